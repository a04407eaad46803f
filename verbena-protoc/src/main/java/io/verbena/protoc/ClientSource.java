// SPDX-License-Identifier: Apache-2.0
package io.verbena.protoc;

import com.google.protobuf.compiler.PluginProtos.CodeGeneratorResponse;
import java.util.ArrayList;
import java.util.List;

/** Writes the class that calls a service. */
final class ClientSource {
    static final String CALL_PARAMETER =
            "@param call the settings of the call; belongs to it until it is over";

    private final ServiceNames names;
    private final JavaSource source;
    private final String channel;
    private final String clientCall;
    private final String rpcException;
    private final String table;

    ClientSource(ServiceNames names) {
        this.names = names;
        this.source = new JavaSource(names, names.clientName());
        this.channel = source.use("io.verbena.rpc.Caller");
        this.clientCall = source.use("io.verbena.rpc.ClientCall");
        this.rpcException = source.use("io.verbena.rpc.RpcException");
        this.table =
                source.use(ProtoFiles.qualified(names.javaPackage(), names.interfaceName()))
                        + "."
                        + names.methodsName()
                        + ".";
    }

    CodeGeneratorResponse.File file() {
        List<String> text = new ArrayList<>(Comments.of(names.descriptor()));
        if (!text.isEmpty()) {
            text.add("");
        }
        text.add(
                (text.isEmpty() ? "" : "<p>")
                        + "Calls {@code "
                        + names.descriptor().getFullName()
                        + "}. Any thread may call any method.");
        source.javadoc(text, List.of());
        source.deprecated(names.descriptor().getOptions().getDeprecated());
        source.suppressDeprecation();
        source.open("public final class " + names.clientName());
        source.line("private final " + channel + " channel;");
        source.line("");
        source.javadoc(List.of("A client."), List.of("@param channel where its calls go"));
        source.open("public " + names.clientName() + "(" + channel + " channel)");
        source.line(
                "this.channel = "
                        + source.use("java.util.Objects")
                        + ".requireNonNull(channel, \"channel\");");
        source.close();
        StreamClientSource streams = new StreamClientSource(source, table);
        for (MethodNames method : names.methods()) {
            if (method.isUnary()) {
                blocking(method);
                async(method);
                callback(method);
            } else {
                streams.write(method);
            }
        }
        source.close();
        return source.file();
    }

    private void blocking(MethodNames method) {
        String thrown = "@throws " + rpcException + " if the call failed";
        String response = source.use(method.responseClass());
        method(
                method,
                List.of(request(method), "@return the response", thrown),
                response + " " + method.javaName(),
                parameter(method),
                "return channel.call(" + arguments(method) + ");");
        method(
                method,
                List.of(request(method), CALL_PARAMETER, "@return the response", thrown),
                response + " " + method.javaName(),
                parameter(method) + ", " + clientCall + " call",
                "return channel.call(" + arguments(method) + ", call);");
    }

    private void async(MethodNames method) {
        String returned = "@return the future response; fails with an {@link " + rpcException + "}";
        String future =
                source.use("java.util.concurrent.CompletableFuture")
                        + "<"
                        + source.use(method.responseClass())
                        + ">";
        method(
                method,
                List.of(request(method), returned),
                future + " " + method.asyncName(),
                parameter(method),
                "return channel.callAsync(" + arguments(method) + ");");
        method(
                method,
                List.of(request(method), CALL_PARAMETER, returned),
                future + " " + method.asyncName(),
                parameter(method) + ", " + clientCall + " call",
                "return channel.callAsync(" + arguments(method) + ", call);");
    }

    private void callback(MethodNames method) {
        String consumer = source.use("java.util.function.Consumer");
        method(
                method,
                List.of(
                        request(method),
                        CALL_PARAMETER,
                        "@param done called once, with an empty response if the call failed"),
                "void " + method.asyncName(),
                parameter(method)
                        + ", "
                        + clientCall
                        + " call, "
                        + consumer
                        + "<? super "
                        + source.use(method.responseClass())
                        + "> done",
                "channel.start(" + arguments(method) + ", call, done);");
    }

    private static String request(MethodNames method) {
        return "@param " + method.requestName() + " the request";
    }

    private String parameter(MethodNames method) {
        return source.use(method.requestClass()) + " " + method.requestName();
    }

    private String arguments(MethodNames method) {
        return table + method.constant() + ", " + method.requestName();
    }

    private void method(
            MethodNames method,
            List<String> tags,
            String resultAndName,
            String parameters,
            String body) {
        source.line("");
        source.javadoc(Docs.of(method), tags);
        source.deprecated(method.isDeprecated());
        source.open("public " + resultAndName + "(" + parameters + ")");
        source.line(body);
        source.close();
    }
}
