// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.Device;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Gid;
import io.verbena.verbs.GidEntry;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.PortAttributes;
import io.verbena.verbs.PortState;
import io.verbena.verbs.VerbsException;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Finding devices and asking them what they can do. */
public abstract class DeviceQueryConformance extends ConformanceTest {
    @Test
    void shouldListItsDevice() {
        DeviceContext context = closing(fixture().openInitiator());

        assertThat(Devices.list()).extracting(Device::name).contains(context.device().name());
        assertThat(Devices.list()).extracting(Device::name).doesNotHaveDuplicates();
    }

    @Test
    void shouldListHardwareFirst() {
        List<Boolean> kinds = Devices.list().stream().map(Device::isHardware).toList();

        assertThat(kinds.lastIndexOf(true))
                .isLessThan(kinds.contains(false) ? kinds.indexOf(false) : kinds.size());
    }

    @Test
    void shouldDescribeItsDevice() {
        Device device = closing(fixture().openInitiator()).device();

        assertThat(device.name()).isNotBlank();
        assertThat(device.provider()).isNotBlank();
        assertThat(Devices.providers())
                .extracting(provider -> provider.name())
                .contains(device.provider());
        assertThat(Devices.providers())
                .allSatisfy(provider -> assertThat(provider.status()).isNotBlank());
    }

    @Test
    void shouldOpenByName() {
        DeviceContext context = closing(fixture().openInitiator());

        DeviceContext again = closing(Devices.open(context.device().name()));

        assertThat(again.device().name()).isEqualTo(context.device().name());
        assertThat(again.device().guid()).isEqualTo(context.device().guid());
        assertThat(again).isNotSameAs(context);
    }

    @Test
    void shouldNameTheDevicesThereAreWhenOneIsUnknown() {
        DeviceContext context = closing(fixture().openInitiator());

        assertThatThrownBy(() -> Devices.open("nosuchdevice9"))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("nosuchdevice9")
                .hasMessageContaining(context.device().name());
    }

    @Test
    void shouldHaveSaneAttributes() {
        DeviceContext context = closing(fixture().openInitiator());

        DeviceAttributes attributes = context.queryDevice();

        assertThat(attributes.firmwareVersion()).isNotNull();
        assertThat(attributes.nodeGuid()).isNotZero().isEqualTo(context.device().guid());
        assertThat(attributes.ports()).isBetween(1, 255);
        assertThat(attributes.completionVectors()).isPositive();
        assertThat(attributes.maxMemoryRegionBytes()).isGreaterThanOrEqualTo(64L << 20);
        assertThat(attributes.maxMemoryRegions()).isGreaterThanOrEqualTo(1024);
        assertThat(attributes.maxQueuePairs()).isGreaterThanOrEqualTo(2000);
        assertThat(attributes.maxQueuePairWorkRequests()).isGreaterThanOrEqualTo(128);
        assertThat(attributes.maxElements()).isGreaterThanOrEqualTo(4);
        assertThat(attributes.maxCompletionQueues()).isGreaterThanOrEqualTo(64);
        assertThat(attributes.maxCompletions()).isGreaterThanOrEqualTo(1024);
        assertThat(attributes.maxProtectionDomains()).isPositive();
        assertThat(attributes.maxReadAtomic()).isPositive();
        assertThat(attributes.maxInitiatorReadAtomic()).isPositive();
        assertThat(attributes.maxInlineBytes()).isNotNegative();
    }

    @Test
    void shouldAnswerTheSameTwice() {
        DeviceContext context = closing(fixture().openInitiator());

        assertThat(context.queryDevice()).isEqualTo(context.queryDevice());
        assertThat(context.queryPort(1)).isEqualTo(context.queryPort(1));
        assertThat(context.queryGids(1)).isEqualTo(context.queryGids(1));
    }

    @Test
    void shouldHaveAnActivePort() {
        PortAttributes port = closing(fixture().openInitiator()).queryPort(1);

        assertThat(port.state()).isEqualTo(PortState.ACTIVE);
        assertThat(port.maxMtu()).isNotEqualTo(PathMtu.UNRECOGNIZED);
        assertThat(port.activeMtu().bytes()).isBetween(256, port.maxMtu().bytes());
        assertThat(port.maxMessageBytes()).isGreaterThanOrEqualTo(1L << 20);
        assertThat(port.gidTableLength()).isPositive();
        assertThat(port.linkLayer()).isIn("InfiniBand", "Ethernet", "Memory");
    }

    static Stream<Arguments> portQueries() {
        BiConsumer<DeviceContext, Integer> port = DeviceContext::queryPort;
        BiConsumer<DeviceContext, Integer> gids = DeviceContext::queryGids;
        return IntStream.of(-1, 0, 256, Integer.MAX_VALUE)
                .boxed()
                .flatMap(
                        number ->
                                Stream.of(
                                        Arguments.of("queryPort", number, port),
                                        Arguments.of("queryGids", number, gids)));
    }

    @ParameterizedTest(name = "{0}({1})")
    @MethodSource("io.verbena.tck.DeviceQueryConformance#portQueries")
    void shouldRefuseAPortThatIsNotThere(
            String name, int number, BiConsumer<DeviceContext, Integer> query) {
        DeviceContext context = closing(fixture().openInitiator());

        assertOutOfRange(context, number, query);
    }

    @Test
    void shouldRefuseThePortAfterTheLast() {
        DeviceContext context = closing(fixture().openInitiator());
        int beyond = context.queryDevice().ports() + 1;

        assertOutOfRange(context, beyond, DeviceContext::queryPort);
        assertOutOfRange(context, beyond, DeviceContext::queryGids);
    }

    private static void assertOutOfRange(
            DeviceContext context, int number, BiConsumer<DeviceContext, Integer> query) {
        assertThatThrownBy(() -> query.accept(context, number))
                .isInstanceOfAny(IllegalArgumentException.class, VerbsException.class)
                .hasMessageContaining("port: " + number)
                .hasMessageContaining("expected: 1");
    }

    @Test
    void shouldHaveGlobalIdentifiers() {
        DeviceContext context = closing(fixture().openInitiator());

        List<GidEntry> entries = context.queryGids(1);

        assertThat(entries).isNotEmpty();
        assertThat(entries).extracting(GidEntry::gid).doesNotContain(Gid.ZERO);
        assertThat(entries).extracting(GidEntry::index).doesNotHaveDuplicates();
        assertThat(entries).allSatisfy(entry -> assertThat(entry.type()).isNotBlank());
    }

    @Test
    void shouldChooseOneOfItsGlobalIdentifiers() {
        DeviceContext context = closing(fixture().openInitiator());

        assertThat(context.queryGids(1))
                .extracting(GidEntry::index)
                .contains(context.defaultGidIndex(1));
        assertOutOfRange(
                context, context.queryDevice().ports() + 1, DeviceContext::defaultGidIndex);
    }

    @Test
    void shouldKeepItsGlobalIdentifiersAcrossContexts() {
        DeviceContext first = closing(fixture().openInitiator());
        List<GidEntry> before = first.queryGids(1);
        String name = first.device().name();
        first.close();

        assertThat(closing(Devices.open(name)).queryGids(1)).isEqualTo(before);
    }

    @Test
    void shouldReadItsOwnGlobalIdentifiersBack() {
        for (GidEntry entry : closing(fixture().openInitiator()).queryGids(1)) {
            assertThat(Gid.parse(entry.gid().toString())).isEqualTo(entry.gid());
            assertThat(Gid.of(entry.gid().toBytes())).isEqualTo(entry.gid());
        }
    }
}
