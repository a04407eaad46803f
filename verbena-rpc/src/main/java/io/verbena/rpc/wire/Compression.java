// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.wire;

import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.compression.Snappy;
import io.verbena.memory.IOBuf;
import io.verbena.memory.ProtobufCodec;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * Compresses payloads. Bytes from a peer are decompressed only up to a limit: a small frame may
 * expand to a huge message.
 */
public final class Compression {
    /** Not compressed. */
    public static final int NONE = 0;

    /** Snappy's raw block format. */
    public static final int SNAPPY = 1;

    /** RFC 1952. */
    public static final int GZIP = 2;

    /** RFC 1950. */
    public static final int ZLIB = 3;

    private static final int CHUNK = 8192;

    /** Snappy stores lengths of at most 32 bits; such a varint has at most five bytes. */
    private static final int MAX_PREAMBLE_BYTES = 5;

    /** Bytes that decompress to more than the limit. */
    public static final class TooLargeException extends IOException {
        private static final long serialVersionUID = 1L;

        private TooLargeException(String message) {
            super(message);
        }
    }

    private Compression() {}

    /**
     * {@return whether a type is known}
     *
     * @param type the type in a meta
     */
    public static boolean isKnown(int type) {
        return type >= NONE && type <= ZLIB;
    }

    /**
     * Appends a message, compressed.
     *
     * @param type the compression type
     * @param message the message
     * @param target receives the bytes
     * @throws IOException if the type is unknown
     */
    public static void compress(int type, MessageLite message, IOBuf target) throws IOException {
        switch (type) {
            case NONE -> ProtobufCodec.append(message, target);
            case SNAPPY -> snap(message.toByteArray(), target);
            default -> {
                try (OutputStream output = deflater(type, target)) {
                    message.writeTo(output);
                }
            }
        }
    }

    /**
     * Appends bytes, compressed.
     *
     * @param type the compression type
     * @param bytes the bytes
     * @param target receives the compressed bytes
     * @throws IOException if the type is unknown
     */
    public static void compress(int type, byte[] bytes, IOBuf target) throws IOException {
        switch (type) {
            case NONE -> target.append(bytes);
            case SNAPPY -> snap(bytes, target);
            default -> {
                try (OutputStream output = deflater(type, target)) {
                    output.write(bytes);
                }
            }
        }
    }

    private static OutputStream deflater(int type, IOBuf target) throws IOException {
        return switch (type) {
            case GZIP -> new GZIPOutputStream(new BufferOutput(target), CHUNK);
            case ZLIB -> new DeflaterOutputStream(new BufferOutput(target));
            default -> throw unknown(type);
        };
    }

    /**
     * Appends the decompressed bytes.
     *
     * @param type the compression type
     * @param source the compressed bytes; they stay in the buffer
     * @param limit the maximum number of decompressed bytes
     * @param target receives the bytes
     * @throws IOException if they are not of that type, or exceed the limit
     */
    public static void decompress(int type, IOBuf source, long limit, IOBuf target)
            throws IOException {
        switch (type) {
            case NONE -> target.append(source);
            case SNAPPY -> unsnap(source.toByteArray(), limit, target);
            case GZIP -> {
                try (InputStream input = gunzip(source)) {
                    copy(input, limit, target);
                }
            }
            case ZLIB -> {
                try (InputStream input = new InflaterInputStream(new BufferInput(source))) {
                    copy(input, limit, target);
                }
            }
            default -> throw unknown(type);
        }
    }

    private static IOException unknown(int type) {
        return new IOException(
                "compress_type: " + type + " (expected: 0 none, 1 snappy, 2 gzip or 3 zlib)");
    }

    private static IOException tooLarge(long limit) {
        return new TooLargeException(
                "decompressed size: more than " + limit + " (expected: at most max_body_size)");
    }

    private static void copy(InputStream input, long limit, IOBuf target) throws IOException {
        byte[] chunk = new byte[CHUNK];
        long total = 0;
        try {
            for (int count = input.read(chunk); count >= 0; count = input.read(chunk)) {
                total += count;
                if (total > limit) {
                    throw tooLarge(limit);
                }
                target.append(chunk, 0, count);
            }
        } catch (EOFException e) {
            throw new IOException("the compressed bytes end too soon", e);
        }
    }

    private static InputStream gunzip(IOBuf source) throws IOException {
        try {
            return new GZIPInputStream(new BufferInput(source), CHUNK);
        } catch (EOFException e) {
            throw new IOException("the gzip header ends too soon", e);
        }
    }

    private static void snap(byte[] original, IOBuf target) {
        ByteBuf output = Unpooled.buffer(original.length + original.length / 6 + 32);
        new Snappy().encode(Unpooled.wrappedBuffer(original), output, original.length);
        target.append(output.array(), output.arrayOffset(), output.readableBytes());
    }

    private static void unsnap(byte[] compressed, long limit, IOBuf target) throws IOException {
        long size = snappySize(compressed);
        if (size < 0 || size > limit) {
            throw tooLarge(limit);
        }
        // grows with the actual data, whatever the preamble claims
        ByteBuf output = Unpooled.buffer((int) Math.min(size, compressed.length * 2L), (int) size);
        try {
            new Snappy().decode(Unpooled.wrappedBuffer(compressed), output);
        } catch (RuntimeException e) {
            // whatever comes to the decoder's mind: lengths above 2 GiB, for one, are negative in
            // it
            throw new IOException("snappy: broken bytes", e);
        }
        if (output.readableBytes() != size) {
            throw new IOException(
                    "snappy: " + output.readableBytes() + " bytes (expected: " + size + ")");
        }
        target.append(output.array(), output.arrayOffset(), output.readableBytes());
    }

    private static long snappySize(byte[] compressed) {
        long size = 0;
        for (int i = 0; i < Math.min(compressed.length, MAX_PREAMBLE_BYTES); i++) {
            size |= (compressed[i] & 0x7fL) << i * 7;
            if (compressed[i] >= 0) {
                return size;
            }
        }
        return -1;
    }

    /** Reads a buffer piece by piece. */
    private static final class BufferInput extends InputStream {
        private final IOBuf buffer;
        private long position;

        BufferInput(IOBuf buffer) {
            this.buffer = buffer;
        }

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            int count = (int) Math.min(length, buffer.size() - position);
            if (count == 0) {
                return length == 0 ? 0 : -1;
            }
            buffer.copyTo(position, target, offset, count);
            position += count;
            return count;
        }

        @Override
        public int available() {
            return (int) Math.min(Integer.MAX_VALUE, buffer.size() - position);
        }
    }

    /** Appends to a buffer. */
    private static final class BufferOutput extends OutputStream {
        private final IOBuf buffer;

        BufferOutput(IOBuf buffer) {
            this.buffer = buffer;
        }

        @Override
        public void write(int value) {
            buffer.append(new byte[] {(byte) value});
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            buffer.append(bytes, offset, length);
        }
    }
}
