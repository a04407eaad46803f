// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rpc.test.probe.ProbeServiceClient;
import io.verbena.transport.SocketMode;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

class AccessLogTest {
    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);
    private final List<String> lines = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        fixture.close();
    }

    private Logger logger() {
        return (Logger)
                Proxy.newProxyInstance(
                        Logger.class.getClassLoader(),
                        new Class<?>[] {Logger.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().startsWith("is")) {
                                return true;
                            }
                            lines.add(method.getName() + " " + arguments[1]);
                            return null;
                        });
    }

    @Test
    void shouldWriteOneLineForEachCallOnEachSide() {
        AccessLog log = new AccessLog(logger());
        Server server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(
                                        Probes.service(
                                                (call, question) -> {
                                                    if (question.getText().isEmpty()) {
                                                        throw new RpcException(4711, "two\nlines");
                                                    }
                                                    return Probes.answer("x");
                                                }))
                                .start(
                                        RpcFixture.anyPort(),
                                        ServerOptions.DEFAULT.withInterceptors(log)));
        Channel channel = fixture.channel(server, RpcFixture.PATIENT.withInterceptors(log));
        ProbeServiceClient client = new ProbeServiceClient(channel);

        try (ClientCall call = channel.newCall()) {
            call.setLogId(17);
            client.askQuickly(Probes.question("x"), call);
        }
        assertThatThrownBy(() -> client.askQuickly(Probes.question("")))
                .isInstanceOf(RpcException.class);

        RpcFixture.eventually(() -> lines.size() == 4, lines::toString);
        String method = " test.probe.ProbeService/AskQuickly 127\\.0\\.0\\.1:\\d+ tcp ";
        assertThat(lines)
                .anyMatch(line -> line.matches("info server" + method + "0 \\d+us log=17"))
                .anyMatch(line -> line.matches("info client" + method + "0 \\d+us"))
                .anyMatch(line -> line.matches("warn server" + method + "4711 \\d+us two lines"))
                .anyMatch(line -> line.matches("warn client .* 4711 \\d+us .*two lines"));
    }
}
