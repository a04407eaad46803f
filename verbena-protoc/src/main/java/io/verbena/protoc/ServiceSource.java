// SPDX-License-Identifier: Apache-2.0
package io.verbena.protoc;

import com.google.protobuf.compiler.PluginProtos.CodeGeneratorResponse;
import java.util.ArrayList;
import java.util.List;

/** Writes the interface that a server implements, and the table of its methods. */
final class ServiceSource {
    private final ServiceNames names;
    private final JavaSource source;
    private final String call;
    private final String rpcService;
    private final String definition;

    ServiceSource(ServiceNames names) {
        this.names = names;
        this.source = new JavaSource(names, names.interfaceName());
        this.call = source.use("io.verbena.rpc.Call");
        this.rpcService = source.use("io.verbena.rpc.RpcService");
        this.definition = source.use("io.verbena.rpc.ServiceDefinition");
    }

    CodeGeneratorResponse.File file() {
        String fullName = names.descriptor().getFullName();
        List<String> text = new ArrayList<>(Comments.of(names.descriptor()));
        if (!text.isEmpty()) {
            text.add("");
        }
        text.add(
                (text.isEmpty() ? "" : "<p>")
                        + "Implement it to serve {@code "
                        + fullName
                        + "}; call it with {@link "
                        + names.clientName()
                        + "}.");
        source.javadoc(text, List.of());
        source.deprecated(names.descriptor().getOptions().getDeprecated());
        source.suppressDeprecation();
        source.open("public interface " + names.interfaceName() + " extends " + rpcService);
        names.methods().forEach(method -> method(method, false));
        definition(false);
        source.line("");
        async();
        source.line("");
        methods();
        source.close();
        return source.file();
    }

    private void method(MethodNames method, boolean isAsync) {
        source.javadoc(Docs.of(method), tags(method, isAsync));
        source.deprecated(method.isDeprecated());
        source.line(
                returned(method, isAsync)
                        + " "
                        + method.javaName()
                        + "("
                        + call
                        + " call, "
                        + parameters(method)
                        + ") throws "
                        + source.use("java.lang.Exception")
                        + ";");
        source.line("");
    }

    private List<String> tags(MethodNames method, boolean isAsync) {
        List<String> tags = new ArrayList<>();
        tags.add("@param call everything about the call except its messages");
        tags.add(
                method.hasRequests()
                        ? "@param requests the requests as they arrive"
                        : "@param " + method.requestName() + " the request");
        if (method.hasResponses()) {
            tags.add("@param responses sends the responses");
        }
        if (isAsync) {
            tags.add(
                    "@return the future "
                            + (method.hasResponses() ? "end of the call" : "response")
                            + "; fails with an RpcException to choose the error");
        } else if (!method.hasResponses()) {
            tags.add("@return the response");
        }
        tags.add(
                "@throws "
                        + source.use("java.lang.Exception")
                        + (isAsync
                                ? " has the same effect as a future that fails with it"
                                : " if the call is to fail, with the code of an RpcException or"
                                        + " else with EINTERNAL"));
        return tags;
    }

    private String returned(MethodNames method, boolean isAsync) {
        String response = method.hasResponses() ? "" : source.use(method.responseClass());
        if (isAsync) {
            return source.use("java.util.concurrent.CompletionStage")
                    + "<"
                    + (method.hasResponses() ? source.use("java.lang.Void") : response)
                    + ">";
        }
        return method.hasResponses() ? "void" : response;
    }

    private String parameters(MethodNames method) {
        String request = source.use(method.requestClass());
        String first =
                method.hasRequests()
                        ? source.use("io.verbena.rpc.StreamReader") + "<" + request + "> requests"
                        : request + " " + method.requestName();
        return method.hasResponses()
                ? first
                        + ", "
                        + source.use("io.verbena.rpc.StreamWriter")
                        + "<"
                        + source.use(method.responseClass())
                        + "> responses"
                : first;
    }

    private void definition(boolean isAsync) {
        source.overrides();
        source.open("default " + definition + " definition()");
        source.line("return " + definition + ".of(" + names.methodsName() + ".SERVICE, this)");
        for (MethodNames method : names.methods()) {
            source.line(
                    "        ."
                            + method.builderMethod(isAsync)
                            + "("
                            + names.methodsName()
                            + "."
                            + method.constant()
                            + ", this::"
                            + method.javaName()
                            + ")");
        }
        source.line("        .build();");
        source.close();
    }

    private void async() {
        source.javadoc(
                List.of("The same service, for implementations that answer later."), List.of());
        source.open("interface " + names.asyncName() + " extends " + rpcService);
        names.methods().forEach(method -> method(method, true));
        definition(true);
        source.close();
    }

    private void methods() {
        String rpcMethod = source.use("io.verbena.rpc.RpcMethod");
        String descriptor = source.use("com.google.protobuf.Descriptors.ServiceDescriptor");
        source.javadoc(List.of("The methods as clients and servers know them."), List.of());
        source.open("final class " + names.methodsName());
        source.javadoc(List.of("The service."), List.of());
        source.line("public static final " + descriptor + " SERVICE =");
        source.line(
                "        "
                        + source.use(names.fileClass())
                        + ".getDescriptor().getServices().get("
                        + names.descriptor().getIndex()
                        + ");");
        for (MethodNames method : names.methods()) {
            String request = source.use(method.requestClass());
            String response = source.use(method.responseClass());
            source.line("");
            source.javadoc(List.of(Docs.form(method)), List.of());
            source.line(
                    "public static final "
                            + rpcMethod
                            + "<"
                            + request
                            + ", "
                            + response
                            + "> "
                            + method.constant()
                            + " =");
            source.line("        " + rpcMethod + ".of(");
            source.line(
                    "                SERVICE.getMethods().get("
                            + method.descriptor().getIndex()
                            + "),");
            source.line("                " + request + ".getDefaultInstance(),");
            source.line("                " + response + ".getDefaultInstance());");
        }
        source.line("");
        source.line("private " + names.methodsName() + "() {}");
        source.close();
    }
}
