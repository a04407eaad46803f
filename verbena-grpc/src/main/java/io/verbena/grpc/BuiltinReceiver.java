// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.netty.buffer.ByteBuf;

/** Receives the messages of a call of a service of this module, which handles them at once. */
final class BuiltinReceiver implements Receiver {
    /** A call. In the link's turn. */
    interface BuiltinCall extends MessageReader.Sink {
        /** The client has sent its last message. */
        void onEnd();

        /** The stream is over. */
        default void onClosed() {}
    }

    private final ServerStream stream;
    private final BuiltinCall call;
    private final MessageReader reader;

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
        stream.credit(size);
        return reader.bytesInside();
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
