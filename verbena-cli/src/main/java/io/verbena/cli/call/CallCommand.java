// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.call;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.TypeRegistry;
import com.google.protobuf.util.JsonFormat;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcMethod;
import io.verbena.rpc.RpcNode;
import io.verbena.tools.NodeOptions;
import io.verbena.tools.ToolException;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code verbena call}: a call with JSON in and out. */
@Command(
        name = "call",
        description = {
            "Call a method of a server with a request in JSON, and print the answer in JSON.",
            "The schema comes from the server, unless a file is given."
        })
public final class CallCommand implements Callable<Integer> {
    /** How the call is sent. */
    enum Protocol {
        BAIDU_STD,
        HTTP
    }

    @Spec private CommandSpec spec;
    @Mixin private NodeOptions socket;
    @Mixin private SchemaSource source;

    @Parameters(index = "0", paramLabel = "HOST:PORT", description = "The server.")
    private String address;

    @Parameters(
            index = "1",
            paramLabel = "SERVICE.METHOD",
            description = "The method; the service's package may be omitted.")
    private String methodName;

    @Parameters(
            index = "2",
            arity = "0..1",
            paramLabel = "JSON",
            description = "The request. Default: ${DEFAULT-VALUE}.")
    private String json = "{}";

    @Option(
            names = "--timeout-ms",
            paramLabel = "MS",
            description = "How long the call, or connecting, may take. Default: ${DEFAULT-VALUE}.")
    private int timeoutMs = 5000;

    @Option(
            names = "--protocol",
            paramLabel = "PROTOCOL",
            description = "baidu_std or http. Default: baidu_std.")
    private Protocol protocol = Protocol.BAIDU_STD;

    /** A command that picocli fills in and runs. */
    public CallCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        check(timeoutMs > 0, "--timeout-ms: " + timeoutMs + " (expected: > 0)");
        check(
                protocol == Protocol.BAIDU_STD || socket.mode() == SocketMode.TCP,
                "--protocol: http (expected: baidu_std, with RDMA)");
        try (HttpServer server = new HttpServer(address, Duration.ofMillis(timeoutMs))) {
            Schema schema = source.read(server);
            MethodDescriptor method = schema.method(methodName);
            TypeRegistry types = schema.types();
            Message request = request(method.getInputType(), types);
            Message response =
                    switch (protocol) {
                        case HTTP -> callByHttp(server, method, request, types);
                        case BAIDU_STD -> callByRpc(method, request);
                    };
            spec.commandLine().getOut().println(JsonText.plain(printer(types).print(response)));
        }
        return 0;
    }

    private void check(boolean isFine, String text) {
        if (!isFine) {
            throw new ParameterException(spec.commandLine(), text);
        }
    }

    private static JsonFormat.Printer printer(TypeRegistry types) {
        return JsonFormat.printer().usingTypeRegistry(types).preservingProtoFieldNames();
    }

    private Message request(Descriptor type, TypeRegistry types) {
        DynamicMessage.Builder builder = DynamicMessage.newBuilder(type);
        try {
            JsonFormat.parser().usingTypeRegistry(types).merge(json, builder);
        } catch (InvalidProtocolBufferException e) {
            throw new ToolException(
                    "request: "
                            + e.getMessage()
                            + " (expected: JSON of "
                            + type.getFullName()
                            + ")",
                    e);
        }
        if (!builder.isInitialized()) {
            throw new ToolException(
                    "request: lacks "
                            + builder.getInitializationErrorString()
                            + " (expected: all required fields of "
                            + type.getFullName()
                            + ")");
        }
        return builder.build();
    }

    private static Message callByHttp(
            HttpServer server, MethodDescriptor method, Message request, TypeRegistry types)
            throws IOException, InterruptedException {
        DynamicMessage.Builder response = DynamicMessage.newBuilder(method.getOutputType());
        String answer = server.call(method, printer(types).print(request));
        JsonFormat.parser()
                .usingTypeRegistry(types)
                .ignoringUnknownFields()
                .merge(answer, response);
        return response.build();
    }

    private Message callByRpc(MethodDescriptor method, Message request) {
        ChannelOptions options =
                ChannelOptions.DEFAULT
                        .withSocketMode(socket.mode())
                        .withTimeoutMs(timeoutMs)
                        .withConnectTimeoutMs(timeoutMs);
        try (RpcNode node = socket.open();
                Channel channel = Channel.open(node, address, options)) {
            return channel.call(
                    RpcMethod.of(
                            method,
                            request,
                            DynamicMessage.getDefaultInstance(method.getOutputType())),
                    request);
        } catch (RpcException e) {
            throw new ToolException("the call failed: " + e.getMessage(), e);
        }
    }
}
