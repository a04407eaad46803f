// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.verbena.grpc.builtin.ServerReflectionRequest;
import io.verbena.memory.IOBuf;

/** A call of {@code ServerReflectionInfo}: an answer for each request. */
final class ReflectionCall implements BuiltinReceiver.BuiltinCall {
    private final Reflection reflection;
    private final ServerStream stream;

    ReflectionCall(Reflection reflection, ServerStream stream) {
        this.reflection = reflection;
        this.stream = stream;
    }

    @Override
    public void onMessage(IOBuf message, boolean isCompressed) throws MalformedMessageException {
        if (stream.isFinished()) {
            message.close();
            return;
        }
        stream.writeMessage(
                reflection.answer(
                        stream.decode(
                                message,
                                isCompressed,
                                ServerReflectionRequest.getDefaultInstance())));
    }

    @Override
    public void onEnd() {
        stream.succeed();
    }
}
