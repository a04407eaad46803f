// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.bench.measure.Measurement;
import io.verbena.tools.ToolException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class FloorTest {
    private Path file;
    private Socket near;
    private Socket far;
    private ControlLink nearLink;
    private ControlLink farLink;

    @BeforeEach
    void connect() throws IOException {
        file = Floor.createFile();
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            near = new Socket(listener.getInetAddress(), listener.getLocalPort());
            far = listener.accept();
        }
        nearLink = new ControlLink(near, "far");
        farLink = new ControlLink(far, "near");
    }

    @AfterEach
    void disconnect() throws IOException {
        nearLink.close();
        farLink.close();
        Files.delete(file);
    }

    @Test
    void shouldMeasureRoundTripsOnASharedCacheLine() throws IOException {
        CompletableFuture<Void> pong = new CompletableFuture<>();
        Thread.ofPlatform()
                .name("pong")
                .start(
                        () -> {
                            try (Floor line = Floor.open(file, new StallCheck(farLink))) {
                                line.pong(1000);
                                line.pong(1000);
                                pong.complete(null);
                            } catch (IOException | RuntimeException e) {
                                pong.completeExceptionally(e);
                            }
                        });
        try (Floor line = Floor.open(file, new StallCheck(nearLink))) {
            Measurement first = line.ping(1000);
            Measurement second = line.ping(1000);

            assertThat(first.messages()).isEqualTo(1000);
            assertThat(second.minNs()).isPositive();
            assertThat(second.medianNs()).isLessThan(100e6);
        }
        pong.join();
    }

    @Test
    void shouldNotSpinForAPeerThatIsGone() throws IOException {
        farLink.close();
        try (Floor line = Floor.open(file, new StallCheck(nearLink))) {
            assertThatThrownBy(() -> line.ping(1))
                    .isInstanceOf(ToolException.class)
                    .hasMessageContaining("far");
        }
    }

    @Test
    void shouldKeepTheFileToItsOwner() throws IOException {
        assertThat(Files.getPosixFilePermissions(file)).hasToString("[OWNER_READ, OWNER_WRITE]");
    }

    @Test
    void shouldCopyMemory() {
        try (MemoryCopy copy = new MemoryCopy()) {
            assertThat(copy.run(8).messagesPerSecond() * MemoryCopy.BLOCK).isGreaterThan(1e6);
        }
    }

    @Test
    void shouldPassOnWhyAPeerGaveUp() {
        farLink.sendFailure("out of luck");

        assertThatThrownBy(() -> nearLink.await(ControlLink.Kind.READY, Duration.ofSeconds(10)))
                .isInstanceOf(ToolException.class)
                .hasMessage("far: out of luck");
        assertThatThrownBy(nearLink::checkAlive).hasMessage("far: out of luck");
    }
}
