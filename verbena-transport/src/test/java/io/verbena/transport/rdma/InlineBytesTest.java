// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.transport.TransportException;
import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Devices whose queue pairs send less inline than is asked for; the verbs do not say how much. */
class InlineBytesTest {
    private final WatchedDevice device = new WatchedDevice(DeviceUnderTest.LEFT);
    private RdmaDevice domain;

    @BeforeEach
    void open() {
        domain = device.open(Domains.FLAGS);
    }

    @AfterEach
    void close() {
        domain.close();
    }

    @ParameterizedTest
    @CsvSource({"1000,256", "256,256", "255,128", "101,64", "32,32", "31,0", "0,0"})
    void shouldInlineAsMuchAsTheDeviceCan(int possible, int expected) throws Exception {
        device.mostInlineBytes = possible;

        RdmaEndpoint endpoint = domain.endpoints().allocate(Side.CLIENT);

        assertThat(inlineBytesOfLast()).isEqualTo(expected);
        endpoint.close(EndpointPair.bye());
    }

    /** What the first queue pair of all finds out must not depend on who makes it. */
    @ParameterizedTest
    @CsvSource({"1000,256", "101,64", "0,0"})
    void shouldInlineAsMuchAsTheDeviceCanThroughTheConnectionManager(int possible, int expected)
            throws Exception {
        device.mostInlineBytes = possible;

        RdmaEndpoint endpoint = domain.endpoints().allocate(Side.CLIENT, identifier());

        assertThat(inlineBytesOfLast()).isEqualTo(expected);
        endpoint.close(EndpointPair.bye());
    }

    @Test
    void shouldNotTryLessWhenAnythingElseIsWrong() throws Exception {
        device.refuse("createQueuePair", 0);

        assertThatThrownBy(() -> domain.endpoints().allocate(Side.CLIENT))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("refused by the test");

        device.relent();
        RdmaEndpoint endpoint = domain.endpoints().allocate(Side.CLIENT);
        assertThat(inlineBytesOfLast()).isEqualTo(256);
        endpoint.close(EndpointPair.bye());
    }

    private int inlineBytesOfLast() {
        return device.made.getLast().options().maxInlineBytes();
    }

    /** {@return an identifier that makes one queue pair, which ends with it} */
    private static ConnectionIdentifier identifier() {
        AtomicReference<QueuePair> pair = new AtomicReference<>();
        return (ConnectionIdentifier)
                Proxy.newProxyInstance(
                        InlineBytesTest.class.getClassLoader(),
                        new Class<?>[] {ConnectionIdentifier.class},
                        (proxy, method, arguments) -> {
                            switch (method.getName()) {
                                case "createQueuePair" ->
                                        pair.set(
                                                initialized(
                                                        (ProtectionDomain) arguments[0],
                                                        (QueuePairOptions) arguments[1]));
                                case "close" -> pair.get().close();
                                default ->
                                        throw new UnsupportedOperationException(method.getName());
                            }
                            return pair.get();
                        });
    }

    private static QueuePair initialized(ProtectionDomain domain, QueuePairOptions options) {
        QueuePair pair = domain.createQueuePair(options);
        pair.modify(
                QueuePairAttributes.to(QueuePairState.INIT)
                        .pkeyIndex(0)
                        .port(1)
                        .access(AccessFlag.LOCAL_WRITE));
        return pair;
    }
}
