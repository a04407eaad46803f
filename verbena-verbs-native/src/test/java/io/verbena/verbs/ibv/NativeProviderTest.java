// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.Device;
import io.verbena.verbs.Devices;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.spi.VerbsProvider;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class NativeProviderTest {
    @Test
    void shouldBeFoundAndExplainItself() {
        assertThat(Devices.providers()).extracting(VerbsProvider::name).contains("native");

        NativeProvider provider = new NativeProvider();

        assertThat(provider.status()).doesNotContain("\n");
        if (provider.devices().isEmpty()) {
            assertThat(provider.status())
                    .containsAnyOf("apt install", "modprobe", "--device=/dev/infiniband");
        } else {
            assertThat(provider.status()).contains(provider.devices().size() + " device");
        }
    }

    @Test
    void shouldSayThatADeviceIsGone() {
        Assumptions.assumeTrue(Ibverbs.problem().isEmpty(), "libibverbs is not installed");
        Device gone = new NativeDevice("nosuchdevice9", 0);

        assertThatThrownBy(gone::open)
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("nosuchdevice9")
                .hasMessageContaining("ENODEV");
    }

    @Test
    void shouldExplainALibraryThatIsMissing() {
        NativeLibrary library = NativeLibrary.open("libnosuchthing9.so.1");

        assertThat(library.problem()).get().asString().contains("libnosuchthing9.so.1");
        assertThat(library.has("anything")).isFalse();
        MethodHandle handle =
                library.capturing("anything", FunctionDescriptor.of(ValueLayout.JAVA_INT));
        assertThatThrownBy(
                        () -> {
                            try (NativeCall call = NativeCall.begin()) {
                                int _ = (int) handle.invokeExact(call.state());
                            } catch (Throwable e) {
                                throw NativeLibrary.unexpected("anything", e);
                            }
                        })
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("libnosuchthing9.so.1");
    }

    @Test
    void shouldExplainTheLimitOnPinnedMemory() {
        try (NativeCall call = NativeCall.begin()) {
            assertThat(MemoryLock.advice(call)).contains("RLIMIT_MEMLOCK is ");
        }
    }
}
