// SPDX-License-Identifier: Apache-2.0
package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import sample.proto.GreetingServiceClient;
import sample.proto.Name;

@SpringBootTest(
        properties = {
            "verbena.flags.rdma-device=soft0",
            "verbena.channels.greetings.timeout=20s",
            "verbena.channels.greetings.connect-timeout=20s"
        })
class ApplicationTest {
    @DynamicPropertySource
    static void useAFreePort(DynamicPropertyRegistry properties) {
        int port = freePort();
        properties.add("verbena.server.port", () -> port);
        properties.add("verbena.channels.greetings.address", () -> "127.0.0.1:" + port);
    }

    /** Below the ports that the system gives to others, so that it is still free a moment later. */
    private static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(10_000, 30_000);
            try (ServerSocket free = new ServerSocket(port)) {
                return free.getLocalPort();
            } catch (IOException e) {
                // taken: try another
            }
        }
    }

    @Autowired private GreetingServiceClient greetings;
    @Autowired private HealthIndicator verbenaHealthIndicator;
    @Autowired private MeterRegistry registry;

    @Test
    void shouldServeCallAndMeasure() {
        Name name = Name.newBuilder().setName("Spring").build();

        assertEquals("Hello Spring", greetings.greet(name).getText());
        assertEquals(Status.UP, verbenaHealthIndicator.health().getStatus());
        assertTrue(
                registry.getMeters().stream()
                        .anyMatch(meter -> meter.getId().getName().startsWith("verbena")));
    }
}
