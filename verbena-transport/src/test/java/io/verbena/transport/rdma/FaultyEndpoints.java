// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.IOBuf;
import io.verbena.transport.ConnectionStatistics;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.transport.handshake.HelloBaselineTest;
import io.verbena.verbs.ConnectionIdentifier;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** Wraps other endpoints and fails, waits or watches where a test asks for it. */
public final class FaultyEndpoints implements RdmaEndpoints {
    private final RdmaEndpoints real;
    private final List<Hello> peers = new CopyOnWriteArrayList<>();
    private volatile boolean failsAllocation;
    private volatile Optional<Supplier<? extends Error>> allocationFault = Optional.empty();
    private volatile boolean failsBringUp;
    private volatile Optional<Supplier<? extends Error>> bringUpFault = Optional.empty();
    private volatile Runnable beforeBringUp = () -> {};
    private volatile Optional<Hello.Ece> ece = Optional.empty();

    public FaultyEndpoints(RdmaEndpoints real) {
        this.real = real;
    }

    public void failAllocation() {
        failsAllocation = true;
    }

    public void failBringUp() {
        failsBringUp = true;
    }

    /** Allocating throws what it should not. */
    public void failAllocation(Supplier<? extends Error> fault) {
        allocationFault = Optional.of(fault);
    }

    /** Bringing up throws what it should not. */
    public void failBringUp(Supplier<? extends Error> fault) {
        bringUpFault = Optional.of(fault);
    }

    public void beforeBringUp(Runnable action) {
        beforeBringUp = action;
    }

    /** Hellos carry these options, as those of a device that has them would. */
    public void tell(Hello.Ece options) {
        ece = Optional.of(options);
    }

    /** {@return the peers' hellos, one for each bring-up} */
    public List<Hello> peers() {
        return peers;
    }

    @Override
    public boolean isAvailable() {
        return real.isAvailable();
    }

    @Override
    public void disable() {
        real.disable();
    }

    @Override
    public RdmaEndpoint allocate(Side side) {
        checkAllocation();
        return new Watched(real.allocate(side));
    }

    @Override
    public RdmaEndpoint allocate(Side side, ConnectionIdentifier identifier) {
        checkAllocation();
        return new Watched(real.allocate(side, identifier));
    }

    private void checkAllocation() {
        throwIfPresent(allocationFault);
        if (failsAllocation) {
            throw new TransportException(TransportError.ERDMA, "allocation fails on purpose");
        }
    }

    private static void throwIfPresent(Optional<Supplier<? extends Error>> fault) {
        if (fault.isPresent()) {
            throw fault.get().get();
        }
    }

    @Override
    public void close() {
        real.close();
    }

    private final class Watched implements RdmaEndpoint {
        private final RdmaEndpoint endpoint;

        Watched(RdmaEndpoint endpoint) {
            this.endpoint = endpoint;
        }

        @Override
        public Hello hello() {
            Hello hello = endpoint.hello();
            return ece.map(options -> HelloBaselineTest.withEce(hello, options)).orElse(hello);
        }

        @Override
        public void bringUp(Hello peer) {
            beforeBringUp.run();
            peers.add(peer);
            throwIfPresent(bringUpFault);
            if (failsBringUp) {
                throw new TransportException(TransportError.ERDMA, "bring-up fails on purpose");
            }
            endpoint.bringUp(peer);
        }

        @Override
        public void open(Sink sink) {
            endpoint.open(sink);
        }

        @Override
        public void write(IOBuf data) {
            endpoint.write(data);
        }

        @Override
        public long unwrittenBytes() {
            return endpoint.unwrittenBytes();
        }

        @Override
        public ConnectionStatistics statistics() {
            return endpoint.statistics();
        }

        @Override
        public void peerClosed(TransportException reason) {
            endpoint.peerClosed(reason);
        }

        @Override
        public void close(TransportException reason) {
            endpoint.close(reason);
        }

        @Override
        public void abort(TransportException reason) {
            endpoint.abort(reason);
        }
    }
}
