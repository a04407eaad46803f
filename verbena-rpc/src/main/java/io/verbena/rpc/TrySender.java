// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.transport.Connection;
import io.verbena.transport.TransportException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Sends one try of a call: finds a server and a connection, makes the frame, publishes the call and
 * writes. Any thread that owns the call.
 *
 * <p>Foreign code runs here while the call is owned: the balancer, the authenticator and the code
 * of the request. Nothing ends the call before they return; its deadline is kept as soon as they
 * have.
 */
final class TrySender {
    private final FrameBuilders builders;
    private final RpcFlags flags;
    private final CallTimer timer;

    TrySender(FrameBuilders builders, RpcFlags flags, CallTimer timer) {
        this.builders = builders;
        this.flags = flags;
        this.timer = timer;
    }

    /** {@return why the call has no connection, or NONE if it has one} The owner. */
    private static TryFailure tryConnect(PendingCall call) {
        try {
            CallSettings settings = call.settings;
            Target target = settings.servers().select(call);
            if (target == null) {
                return settings.servers().noServer();
            }
            call.tried.add(target.node());
            TryFeedback.begin(call, target);
            call.socket =
                    target.serverFor(call.isTcpForced)
                            .acquire(call.connectionType(), settings.options().connectTimeoutMs());
            call.credentials = call.socket.credentials();
            call.bindStreams();
            return TryFailure.NONE;
        } catch (TransportException e) {
            return TryFailure.of(e);
        } catch (RpcException e) {
            return TryFailure.of(e.code(), e.text());
        } catch (Throwable e) {
            return TryFailure.of(RpcError.EINTERNAL, "no connection for the call", e);
        }
    }

    /** {@return why the caller owns the call again, or NONE if it does not} */
    TryFailure trySend(PendingCall call) {
        TryFailure unconnected = tryConnect(call);
        if (!unconnected.isNone()) {
            return unconnected;
        }
        ClientSocket socket = call.socket;
        long id = call.id();
        FrameBuilder builder = null;
        boolean isPublished = false;
        try {
            builder = builders.take();
            RequestFrame.build(
                    builder,
                    call,
                    deliveredTimeoutMs(call),
                    flags.isOn(RpcFlag.BAIDU_STD_CHECKSUM_WITH_ATTACHMENT));
            long wakeNs = call.wakeNs();
            boolean isAwaited = isAwaited(call.done, socket.connection());
            call.publish();
            isPublished = true;
            timer.expect(wakeNs);
            socket.write(builder, id, isAwaited);
            return TryFailure.NONE;
        } catch (Throwable e) {
            return isPublished && !call.tryClaim(id)
                    ? TryFailure.NONE
                    : TryFailure.unsent(e, isPublished);
        } finally {
            if (builder != null) {
                builders.giveBack(builder);
            }
        }
    }

    /**
     * {@return whether the caller waits for the answer, and may poll for it} If not, the connection
     * must.
     */
    private static boolean isAwaited(Consumer<Message> done, Connection connection) {
        if (done instanceof CallWaiter waiter) {
            waiter.sentOn(connection);
            return true;
        }
        connection.attend();
        return false;
    }

    private int deliveredTimeoutMs(PendingCall call) {
        if (!flags.isOn(RpcFlag.BAIDU_STD_PROTOCOL_DELIVER_TIMEOUT_MS)
                || CallTimes.isUnlimited(call)
                || call.controller.isOnlyOpening()) {
            return 0;
        }
        // the first try begins with its call: one look at the clock less
        boolean isFirst = CallId.attempt(call.id()) == 0;
        long leftNs = isFirst ? call.timeoutNs : call.deadlineNs - System.nanoTime();
        long left = TimeUnit.NANOSECONDS.toMillis(leftNs);
        return Math.clamp(left, 1, Integer.MAX_VALUE);
    }
}
