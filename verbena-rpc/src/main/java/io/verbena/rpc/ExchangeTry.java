// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import io.verbena.rpc.spi.ClientStream;
import io.verbena.rpc.spi.StreamEvents;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One try of an {@link ExchangeCall}. Its server and the balancer learn once how it ended: by its
 * outcome, or with the call if that ends first. Any thread.
 */
final class ExchangeTry implements StreamEvents {
    private final ExchangeCall call;
    private final int attempt;
    private final Target target;
    private final long beganNs = System.nanoTime();
    private final AtomicBoolean isEnded = new AtomicBoolean();
    private final AtomicBoolean isTold = new AtomicBoolean();
    private volatile Optional<ClientStream> stream = Optional.empty();

    /** Null until it is known. */
    private volatile TryFailure outcome;

    private volatile boolean isGivenUp;

    ExchangeTry(ExchangeCall call, int attempt, Target target) {
        this.call = call;
        this.attempt = attempt;
        this.target = target;
    }

    Target target() {
        return target;
    }

    void started(ClientStream made) {
        stream = Optional.of(made);
        end();
        // asked after that was published: whoever gives up sees the stream, or is seen here
        if (isGivenUp) {
            cancel();
        }
    }

    /** Tells the server and the balancer how it ended, unless they know. */
    void tell(int code) {
        if (isTold.compareAndSet(false, true)) {
            TryFeedback.report(target, System.nanoTime() - beganNs, code);
        }
    }

    /**
     * {@return what tells the server and the balancer how it ended, and does nothing if they know}
     * It calls foreign code. What happens to the try from now on is not told.
     */
    Runnable telling(int code) {
        if (!isTold.compareAndSet(false, true)) {
            return () -> {};
        }
        long latencyNs = System.nanoTime() - beganNs;
        return () -> TryFeedback.report(target, latencyNs, code);
    }

    /** Nobody waits for it any more. */
    void cancel() {
        isGivenUp = true;
        Optional<ClientStream> made = stream;
        if (made.isPresent()) {
            cancel(made.get(), RpcError.ECANCELED.code());
        }
    }

    /** Never throws: what follows must happen. */
    private void cancel(ClientStream made, int code) {
        try {
            made.cancel(code);
        } catch (Throwable e) {
            Faults.warn(ExchangeTry.class, "canceling it failed", target.node(), e);
        }
    }

    @Override
    public void onReadable() {}

    @Override
    public void onWritable() {}

    @Override
    public void onOver(int code, String text) {
        outcome = TryFailure.reported(code, text);
        end();
    }

    /** Ends the try once its outcome is known. A response is read from its stream, once there. */
    private void end() {
        TryFailure known = outcome;
        if (known == null
                || known.code() == 0 && stream.isEmpty()
                || !isEnded.compareAndSet(false, true)) {
            return;
        }
        if (known.code() == 0) {
            succeed(stream.orElseThrow());
            return;
        }
        tell(known.code());
        cancel();
        call.failed(this, attempt, known);
    }

    private void succeed(ClientStream from) {
        Message response = null;
        TryFailure failure =
                TryFailure.of(RpcError.ERESPONSE, "the call succeeded without a response");
        try {
            response = from.responses().poll(call.responsePrototype());
        } catch (RpcException e) {
            failure = TryFailure.of(RpcError.ERESPONSE, e.text());
        } catch (Throwable e) {
            failure = TryFailure.of(RpcError.EINTERNAL, "the response cannot be decoded", e);
        }
        if (response == null) {
            tell(failure.code());
            call.unreadable(this, failure.code(), failure.text());
        } else {
            tell(0);
            call.succeeded(this, from, response);
        }
        cancel(from, 0);
    }
}
