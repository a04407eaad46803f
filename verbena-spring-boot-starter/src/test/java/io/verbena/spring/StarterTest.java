// SPDX-License-Identifier: Apache-2.0
package io.verbena.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.verbena.rpc.Call;
import io.verbena.rpc.Channel;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.spring.test.Greeting;
import io.verbena.spring.test.GreetingService;
import io.verbena.spring.test.GreetingServiceClient;
import io.verbena.spring.test.Name;
import io.verbena.testing.FreePort;
import io.verbena.transport.TransportFlag;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What the starter gives an application. */
class StarterTest {
    private final ApplicationContextRunner runner =
            new ApplicationContextRunner()
                    .withConfiguration(
                            AutoConfigurations.of(
                                    VerbenaAutoConfiguration.class,
                                    VerbenaHealthAutoConfiguration.class,
                                    VerbenaMetricsAutoConfiguration.class))
                    .withPropertyValues("verbena.flags.rdma-device=soft0");

    /** An application with a service, and its own registry of metrics. */
    @Configuration(proxyBeanMethods = false)
    static class Application {
        @Bean
        GreetingService greeter() {
            return new GreetingService() {
                @Override
                public Greeting greet(Call call, Name name) {
                    return Greeting.newBuilder().setText("Hello " + name.getName()).build();
                }
            };
        }

        @Bean
        MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }
    }

    @Test
    void shouldServeAndCall() throws IOException {
        int port = FreePort.choose();
        runner.withUserConfiguration(Application.class)
                .withPropertyValues(
                        "verbena.server.port=" + port,
                        "verbena.channels.greetings.address=127.0.0.1:" + port,
                        "verbena.channels.greetings.timeout=20s",
                        "verbena.channels.greetings.connect-timeout=20s")
                .run(
                        context -> {
                            Channel channel = context.getBean("greetings", Channel.class);
                            Greeting greeting =
                                    new GreetingServiceClient(channel)
                                            .greet(Name.newBuilder().setName("Boot").build());

                            assertThat(greeting.getText()).isEqualTo("Hello Boot");
                            assertThat(channel.options().timeoutMs()).isEqualTo(20_000);
                            assertThat(
                                            context
                                                    .getBean(MeterRegistry.class)
                                                    .getMeters()
                                                    .stream()
                                                    .map(meter -> meter.getId().getName()))
                                    .anyMatch(name -> name.startsWith("verbena"));
                            Health health = context.getBean(HealthIndicator.class).health();
                            assertThat(health.getStatus()).isEqualTo(Status.UP);
                            assertThat(health.getDetails())
                                    .containsEntry("device", "soft0")
                                    .containsEntry("port", port);
                        });
    }

    @Test
    void shouldBeDownWhenTheServerHasStopped() {
        runner.withUserConfiguration(Application.class)
                .withPropertyValues("verbena.server.port=0")
                .run(
                        context -> {
                            VerbenaServer server = context.getBean(VerbenaServer.class);
                            assertThat(server.server().map(Server::address)).isPresent();
                            server.stop();

                            assertThat(context.getBean(HealthIndicator.class).health().getStatus())
                                    .isEqualTo(Status.DOWN);
                        });
    }

    @Test
    void shouldNotListenWithoutServices() {
        runner.run(
                context -> {
                    assertThat(context).hasSingleBean(RpcNode.class);
                    assertThat(context).doesNotHaveBean(VerbenaServer.class);
                    assertThat(context.getBean(HealthIndicator.class).health().getStatus())
                            .isEqualTo(Status.UP);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"rdma-sq-size", "rdma_sq_size", "rdmasqsize"})
    void shouldFindAFlagByEachSpelling(String key) {
        runner.withPropertyValues("verbena.flags." + key + "=64")
                .run(
                        context ->
                                assertThat(
                                                context.getBean(RpcNode.class)
                                                        .transport()
                                                        .flags()
                                                        .integer(TransportFlag.RDMA_SQ_SIZE))
                                        .isEqualTo(64));
    }

    @Test
    void shouldRefuseAMisspeltFlag() {
        runner.withPropertyValues("verbena.flags.rdma-sq-siz=16")
                .run(
                        context ->
                                assertThat(context)
                                        .getFailure()
                                        .rootCause()
                                        .hasMessageContaining("did you mean rdma_sq_size?"));
    }
}
