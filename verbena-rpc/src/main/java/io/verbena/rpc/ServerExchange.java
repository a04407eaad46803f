// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.rpc.spi.ServerStreams;
import io.verbena.transport.Connection;
import java.util.Optional;
import java.util.concurrent.Future;

/** A call with streams that a service of this process runs. */
final class ServerExchange extends Exchange {
    private final IncomingCall call;
    private final ServerStreams request;
    private Optional<Future<?>> deadline = Optional.empty();
    private volatile boolean isAnswered;

    ServerExchange(IncomingCall call, ServerStreams request) {
        this.call = call;
        this.request = request;
    }

    /** The service is about to run. */
    void open(StreamTimer timer) {
        if (call.timeoutMs() > 0) {
            int code = RpcError.ERPCTIMEDOUT.code();
            deadline =
                    Optional.of(
                            timer.schedule(
                                    call.remainingNs(),
                                    () -> cancel(code, "reached timeout=" + call.timeoutMs())));
        }
        request.open(this);
    }

    <M extends Message> StreamReader<M> requests(M prototype) {
        PolledReader<M> reader = new PolledReader<>(this, request.requests(), prototype);
        reader(reader);
        return reader;
    }

    <M extends Message> StreamWriter<M> responses() {
        PolledWriter<M> writer = new PolledWriter<>(this, request.responses());
        writer(writer);
        return writer;
    }

    /** The call is answered: its reader and writer are of no more use. */
    void finish() {
        isAnswered = true;
        deadline.ifPresent(timer -> timer.cancel(false));
        cancel(RpcError.ECANCELED.code(), "the call is over");
    }

    @Override
    void ended(Outcome how) {
        if (!isAnswered) {
            call.canceled();
        }
    }

    /** A service parks: threads that poll for a server may run other services. */
    @Override
    Optional<Connection> polled() {
        return Optional.empty();
    }

    @Override
    boolean isCallbackInline() {
        return call.method().isNonBlocking();
    }

    /** It may go on without further requests. */
    @Override
    void readerClosed() {}

    @Override
    public String toString() {
        return call.toString();
    }
}
