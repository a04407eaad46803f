// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import io.verbena.memory.IOBuf;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The outcome of a call with streams as brpc's {@code RpcResponseMeta}. */
record StreamStatus(int code, String text) {
    static final StreamStatus SUCCESS = new StreamStatus(0, "");

    private static final int ERROR_CODE = 1;
    private static final int ERROR_TEXT = 2;
    private static final int MAX_TEXT = 1 << 16;

    /** Appends it. */
    void appendTo(IOBuf target) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(encoded.length, MAX_TEXT);
        byte[] bytes =
                new byte
                        [CodedOutputStream.computeInt32Size(ERROR_CODE, code)
                                + CodedOutputStream.computeTagSize(ERROR_TEXT)
                                + CodedOutputStream.computeUInt32SizeNoTag(length)
                                + length];
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        try {
            out.writeInt32(ERROR_CODE, code);
            out.writeTag(ERROR_TEXT, 2);
            out.writeUInt32NoTag(length);
            out.writeRawBytes(encoded, 0, length);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        target.append(bytes);
    }

    /** {@return what a peer has sent; a message that is no status is a failure too} */
    static StreamStatus read(IOBuf source) {
        int code = 0;
        String text = "";
        try {
            CodedInputStream in = CodedInputStream.newInstance(source.toByteArray());
            for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
                switch (tag) {
                    case ERROR_CODE << 3 -> code = in.readInt32();
                    case ERROR_TEXT << 3 | 2 ->
                            text = new String(in.readByteArray(), StandardCharsets.UTF_8);
                    default -> in.skipField(tag);
                }
            }
        } catch (IOException e) {
            return new StreamStatus(RpcError.ERESPONSE.code(), "the status is broken");
        }
        return new StreamStatus(code, text);
    }
}
