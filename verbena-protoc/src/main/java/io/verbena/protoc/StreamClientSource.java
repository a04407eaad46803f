// SPDX-License-Identifier: Apache-2.0
package io.verbena.protoc;

import java.util.ArrayList;
import java.util.List;

/** Writes the methods of a client that have streams. */
final class StreamClientSource {
    private final JavaSource source;
    private final String table;

    /**
     * Methods of a client.
     *
     * @param source the client
     * @param table how it refers to the constants of the methods
     */
    StreamClientSource(JavaSource source, String table) {
        this.source = source;
        this.table = table;
    }

    /** Writes all methods for one rpc. */
    void write(MethodNames method) {
        plain(method, false);
        plain(method, true);
        if (method.hasResponses()) {
            listening(method);
        }
    }

    /** Without a listener: what is returned is read, or waited for. */
    private void plain(MethodNames method, boolean hasCall) {
        String request = source.use(method.requestClass());
        String response = source.use(method.responseClass());
        if (!method.hasRequests()) {
            method(
                    method,
                    hasCall,
                    List.of("@return the responses; close it unless all are read"),
                    source.use("io.verbena.rpc.StreamReader") + "<" + response + ">",
                    "",
                    "return channel.serverStream(" + arguments(method, hasCall) + ");");
            return;
        }
        boolean isBoth = method.hasResponses();
        String type = isBoth ? "BidirectionalCall" : "ClientStreamCall";
        method(
                method,
                hasCall,
                List.of(
                        isBoth
                                ? "@return sends requests and reads responses"
                                : "@return sends requests and waits for the response"),
                source.use("io.verbena.rpc." + type) + "<" + request + ", " + response + ">",
                "",
                "return channel."
                        + (isBoth ? "bidirectional" : "clientStream")
                        + "("
                        + arguments(method, hasCall)
                        + ");");
    }

    /** With a listener for the responses. */
    private void listening(MethodNames method) {
        String listener =
                source.use("io.verbena.rpc.StreamListener")
                        + "<? super "
                        + source.use(method.responseClass())
                        + "> listener";
        String tag = "@param listener told of the responses";
        if (method.hasRequests()) {
            String types =
                    source.use("io.verbena.rpc.BidirectionalCall")
                            + "<"
                            + source.use(method.requestClass())
                            + ", "
                            + source.use(method.responseClass())
                            + ">";
            method(
                    method,
                    true,
                    List.of(tag, "@return sends the requests"),
                    types,
                    listener,
                    types + " started = channel.bidirectional(" + arguments(method, true) + ");",
                    "started.responses().listen(listener);",
                    "return started;");
        } else {
            String reader =
                    source.use("io.verbena.rpc.StreamReader")
                            + "<"
                            + source.use(method.responseClass())
                            + ">";
            method(
                    method,
                    true,
                    List.of(tag, "@return pauses and resumes the listener, or cancels the call"),
                    reader,
                    listener,
                    reader + " responses = channel.serverStream(" + arguments(method, true) + ");",
                    "responses.listen(listener);",
                    "return responses;");
        }
    }

    private String arguments(MethodNames method, boolean hasCall) {
        return table
                + method.constant()
                + (method.hasRequests() ? "" : ", " + method.requestName())
                + (hasCall ? ", call" : "");
    }

    private void method(
            MethodNames method,
            boolean hasCall,
            List<String> tags,
            String returned,
            String listener,
            String... body) {
        List<String> parameters = new ArrayList<>();
        List<String> all = new ArrayList<>();
        if (!method.hasRequests()) {
            parameters.add(source.use(method.requestClass()) + " " + method.requestName());
            all.add("@param " + method.requestName() + " the request");
        }
        if (hasCall) {
            parameters.add(source.use("io.verbena.rpc.ClientCall") + " call");
            all.add(ClientSource.CALL_PARAMETER);
        }
        if (!listener.isEmpty()) {
            parameters.add(listener);
        }
        all.addAll(tags);
        source.line("");
        source.javadoc(Docs.of(method), all);
        source.deprecated(method.isDeprecated());
        source.open(
                "public "
                        + returned
                        + " "
                        + (listener.isEmpty() ? method.javaName() : method.asyncName())
                        + "("
                        + String.join(", ", parameters)
                        + ")");
        for (String line : body) {
            source.line(line);
        }
        source.close();
    }
}
