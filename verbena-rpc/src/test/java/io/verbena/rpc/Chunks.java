// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.ByteString;
import io.verbena.protoc.test.streams.Chunk;
import io.verbena.protoc.test.streams.StreamService;
import java.util.ArrayList;
import java.util.List;

/** Messages, and a service with streams of them whose methods a test overrides. */
class Chunks implements StreamService {
    static Chunk of(String text) {
        return Chunk.newBuilder().setData(ByteString.copyFromUtf8(text)).build();
    }

    static Chunk of(int number) {
        return of(Integer.toString(number));
    }

    static String text(Chunk chunk) {
        return chunk.getData().toStringUtf8();
    }

    static int number(Chunk chunk) {
        return Integer.parseInt(text(chunk));
    }

    static List<String> read(StreamReader<Chunk> reader) {
        List<String> texts = new ArrayList<>();
        for (Chunk chunk : reader) {
            texts.add(text(chunk));
        }
        return texts;
    }

    @Override
    public Chunk one(Call call, Chunk chunk) {
        return chunk;
    }

    /** Concatenates. */
    @Override
    public Chunk up(Call call, StreamReader<Chunk> requests) throws Exception {
        return of(String.join(",", read(requests)));
    }

    /** Counts to a number. */
    @Override
    public void down(Call call, Chunk chunk, StreamWriter<Chunk> responses) throws Exception {
        for (int i = 0; i < number(chunk); i++) {
            responses.write(of(i));
        }
    }

    /** Echoes. */
    @Override
    public void both(Call call, StreamReader<Chunk> requests, StreamWriter<Chunk> responses)
            throws Exception {
        for (Chunk request : requests) {
            responses.write(request);
        }
    }
}
