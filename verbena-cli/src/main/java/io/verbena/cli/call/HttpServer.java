// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.call;

import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import io.verbena.rpc.Addresses;
import io.verbena.rpc.spi.LimitedAnswer;
import io.verbena.tools.ToolException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;

/** A server that is called over HTTP. One thread. */
final class HttpServer implements AutoCloseable {
    private static final int OK = 200;
    private static final Pattern NAME = Pattern.compile("\\w+(\\.\\w+)*");

    private final String address;
    private final Duration timeout;
    private final String scheme;
    private final HttpClient client;

    /**
     * A server; nothing is sent yet.
     *
     * @param address host and port; checked
     * @param timeout the timeout for connecting, and for each request
     * @param tls for https; empty means http
     */
    HttpServer(String address, Duration timeout, Optional<SSLContext> tls) {
        Addresses.parse(address);
        this.address = address;
        this.timeout = timeout;
        this.scheme = tls.isPresent() ? "https://" : "http://";
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(timeout);
        tls.ifPresent(builder::sslContext);
        this.client = builder.build();
    }

    /** {@return its services} */
    FileDescriptorSet descriptors() throws InterruptedException {
        HttpResponse<byte[]> answer = page("?format=descriptors&console=1");
        String type = answer.headers().firstValue("content-type").orElse("");
        if (!type.startsWith("application/proto")) {
            return readText(answer);
        }
        try {
            return FileDescriptorSet.parseFrom(answer.body());
        } catch (InvalidProtocolBufferException e) {
            throw new ToolException(
                    address + "/protobufs: no schema (use --proto or --descriptors)", e);
        }
    }

    /** brpc lists names, and shows one definition at a time, as text. */
    private FileDescriptorSet readText(HttpResponse<byte[]> list) throws InterruptedException {
        Map<String, String> definitions = new TreeMap<>();
        for (String name : text(list).lines().map(String::strip).toList()) {
            if (NAME.matcher(name).matches()) {
                definitions.put(name, text(page("/" + name + "?console=1")));
            }
        }
        if (definitions.isEmpty()) {
            throw new ToolException(
                    address + "/protobufs: no schema (use --proto or --descriptors)");
        }
        return BrpcSchema.of(definitions);
    }

    private HttpResponse<byte[]> page(String rest) throws InterruptedException {
        HttpResponse<byte[]> answer = send(request("/protobufs" + rest).build());
        if (answer.statusCode() != OK) {
            throw new ToolException(
                    address
                            + "/protobufs: "
                            + describe(answer)
                            + " (the server does not provide its schema: use --proto or"
                            + " --descriptors)");
        }
        return answer;
    }

    /** {@return the answer to a call} Both are JSON. */
    String call(MethodDescriptor method, String json) throws InterruptedException {
        String path = "/" + method.getService().getFullName() + "/" + method.getName();
        HttpResponse<byte[]> answer =
                send(
                        request(path)
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(json))
                                .build());
        if (answer.statusCode() != OK) {
            throw new ToolException("the call failed: " + describe(answer));
        }
        return text(answer);
    }

    private HttpRequest.Builder request(String path) {
        try {
            return HttpRequest.newBuilder(URI.create(scheme + address + path));
        } catch (IllegalArgumentException e) {
            throw new ToolException("server: " + address + " (expected: HOST:PORT)", e);
        }
    }

    private HttpResponse<byte[]> send(HttpRequest request) throws InterruptedException {
        try {
            return LimitedAnswer.await(
                    client.sendAsync(request, BodyHandlers.ofByteArray()), timeout);
        } catch (ConnectException e) {
            throw new ToolException("nobody listens at " + address, e);
        } catch (IOException e) {
            throw new ToolException(address + ": " + e.getMessage(), e);
        }
    }

    private static String describe(HttpResponse<byte[]> answer) {
        return "HTTP " + answer.statusCode() + " " + text(answer).strip();
    }

    private static String text(HttpResponse<byte[]> answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        client.close();
    }
}
