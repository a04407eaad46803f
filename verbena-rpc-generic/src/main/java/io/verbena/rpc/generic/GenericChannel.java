// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.generic;

import com.google.protobuf.BlockingRpcChannel;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcChannel;
import com.google.protobuf.RpcController;
import com.google.protobuf.ServiceException;
import io.verbena.rpc.Caller;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcMethod;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the stubs of protobuf's generated code call through.
 *
 * <p>The controller of a call is one of {@link #newController}, which has its settings; null; or
 * one of the program's own, which is only told if the call fails.
 *
 * <p>Ownership: whoever has opened the channel below closes it.
 *
 * <p>Threads: any may call any method.
 */
public final class GenericChannel implements RpcChannel, BlockingRpcChannel {
    private final Caller caller;
    private final Map<MethodDescriptor, RpcMethod<Message, Message>> methods =
            new ConcurrentHashMap<>();

    /**
     * Stubs' way to a channel.
     *
     * @param caller a channel, or several that are combined
     */
    public GenericChannel(Caller caller) {
        this.caller = Objects.requireNonNull(caller, "caller");
    }

    /** {@return a controller for calls on this channel, with the channel's settings} */
    public GenericClientController newController() {
        return new GenericClientController(caller.newCall());
    }

    /**
     * Starts a call and returns.
     *
     * @param method the method to call
     * @param controller see {@link GenericChannel}; belongs to the call until it is done
     * @param request what to send
     * @param responsePrototype an instance of the answer's class
     * @param done called once, with an empty response if the call failed
     */
    @Override
    public void callMethod(
            MethodDescriptor method,
            RpcController controller,
            Message request,
            Message responsePrototype,
            RpcCallback<Message> done) {
        Objects.requireNonNull(done, "done");
        RpcMethod<Message, Message> typed = typed(method, request, responsePrototype);
        if (controller instanceof GenericClientController own) {
            caller.start(typed, request, own.call(), done::run);
        } else {
            ClientCall call = caller.newCall();
            caller.start(
                    typed,
                    request,
                    call,
                    response -> {
                        tell(controller, call);
                        call.close();
                        done.run(response);
                    });
        }
    }

    /**
     * Makes a call and waits until it is done. An interrupt cancels the call.
     *
     * @param method the method to call
     * @param controller see {@link GenericChannel}
     * @param request what to send
     * @param responsePrototype an instance of the answer's class
     * @throws ServiceException if the call failed; its cause is an {@link RpcException}
     */
    @Override
    public Message callBlockingMethod(
            MethodDescriptor method,
            RpcController controller,
            Message request,
            Message responsePrototype)
            throws ServiceException {
        RpcMethod<Message, Message> typed = typed(method, request, responsePrototype);
        if (controller instanceof GenericClientController own) {
            return callAndWait(typed, request, own.call());
        }
        try (ClientCall call = caller.newCall()) {
            try {
                return callAndWait(typed, request, call);
            } finally {
                tell(controller, call);
            }
        }
    }

    private Message callAndWait(
            RpcMethod<Message, Message> method, Message request, ClientCall call)
            throws ServiceException {
        try {
            return caller.call(method, request, call);
        } catch (RpcException e) {
            throw new ServiceException(e.text(), e);
        }
    }

    private static void tell(RpcController controller, ClientCall call) {
        if (controller != null && call.failed()) {
            controller.setFailed(call.errorText());
        }
    }

    /** Tries get first: computeIfAbsent may lock even if the key is present. */
    private RpcMethod<Message, Message> typed(
            MethodDescriptor method, Message request, Message responsePrototype) {
        RpcMethod<Message, Message> known = methods.get(method);
        if (known == null) {
            known = methods.computeIfAbsent(method, m -> make(m, request, responsePrototype));
        }
        // a program may read one call's answer as its own class, and another's field by field
        return known.responsePrototype().getClass() == responsePrototype.getClass()
                ? known
                : make(method, request, responsePrototype);
    }

    private static RpcMethod<Message, Message> make(
            MethodDescriptor method, Message request, Message responsePrototype) {
        RpcMethod<Message, Message> made =
                RpcMethod.of(method, request.getDefaultInstanceForType(), responsePrototype);
        if (made.form() != RpcMethod.Form.UNARY) {
            throw new IllegalArgumentException(
                    "method: " + made + ", " + made.form() + " (expected: UNARY)");
        }
        return made;
    }
}
