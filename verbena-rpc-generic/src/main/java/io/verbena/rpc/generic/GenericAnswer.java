// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.generic;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import java.util.concurrent.CompletableFuture;

/** The callback of a service: its answer, once, by any thread. */
final class GenericAnswer implements RpcCallback<Message> {
    private final MethodDescriptor method;
    private final GenericServerController controller;
    private final CompletableFuture<Message> answer;

    GenericAnswer(
            MethodDescriptor method,
            GenericServerController controller,
            CompletableFuture<Message> answer) {
        this.method = method;
        this.controller = controller;
        this.answer = answer;
    }

    /**
     * {@return the response}
     *
     * @throws RpcException if it is of another type: its client could not read it, or worse, would
     */
    static Message check(MethodDescriptor method, Message response) {
        if (response == null
                || response.getDescriptorForType()
                        .getFullName()
                        .equals(method.getOutputType().getFullName())) {
            return response;
        }
        throw new RpcException(
                RpcError.EINTERNAL,
                "the service answered "
                        + response.getDescriptorForType().getFullName()
                        + " (expected: "
                        + method.getOutputType().getFullName()
                        + ")");
    }

    @Override
    public void run(Message response) {
        boolean isFirst;
        try {
            controller.throwIfFailed();
            isFirst = answer.complete(check(method, response));
        } catch (RpcException e) {
            isFirst = answer.completeExceptionally(e);
        }
        if (!isFirst) {
            throw new IllegalStateException(
                    "done: called twice (expected: once for each call of "
                            + method.getFullName()
                            + ")");
        }
    }
}
