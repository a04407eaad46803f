// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.netty.buffer.ByteBuf;
import io.verbena.memory.IOBuf;

/**
 * Receives the messages of a call of a service of this module, which handles them at once. What
 * arrives while an answer waits for the client's window stays in the window of the stream.
 */
final class BuiltinReceiver implements Receiver {
    /** A call. In the link's turn. */
    interface BuiltinCall extends MessageReader.Sink {
        /** The client has sent its last message. */
        void onEnd();

        /** The stream is over. */
        default void onClosed() {}
    }

    /** For a client that is about to be refused. */
    static final BuiltinCall NOTHING =
            new BuiltinCall() {
                @Override
                public void onMessage(IOBuf message, boolean isCompressed) {
                    message.close();
                }

                @Override
                public void onEnd() {}
            };

    private final ServerStream stream;
    private final BuiltinCall call;
    private final MessageReader reader;

    /** Bytes that have not left the window. */
    private int owed;

    BuiltinReceiver(ServerStream stream, BuiltinCall call) {
        this.stream = stream;
        this.call = call;
        this.reader =
                new MessageReader(
                        stream.owner().connection().server().pool(),
                        stream.owner().connection().server()::maxBodyBytes);
    }

    @Override
    public long onData(ByteBuf data) throws MalformedMessageException {
        int size = data.readableBytes();
        reader.read(data, call);
        owed += size;
        creditUnlessAnswerWaits();
        return reader.bytesInside();
    }

    @Override
    public void onWritten() {
        creditUnlessAnswerWaits();
    }

    private void creditUnlessAnswerWaits() {
        if (owed > 0 && !stream.isAnswerWaiting()) {
            int bytes = owed;
            owed = 0;
            stream.credit(bytes);
        }
    }

    @Override
    public void onEnd() throws MalformedMessageException {
        reader.end();
        call.onEnd();
    }

    @Override
    public void onClosed() {
        reader.close();
        call.onClosed();
    }
}
