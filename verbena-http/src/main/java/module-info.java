// SPDX-License-Identifier: Apache-2.0
/**
 * HTTP/1.1 for RPC servers, enabled by having this module on the path: calls of the services with
 * JSON or protobuf bodies, and the pages that show the server's state. Exports nothing.
 */
module io.verbena.http {
    requires HdrHistogram;
    requires com.google.gson;
    requires com.google.protobuf;
    requires com.google.protobuf.util;
    requires io.verbena.rpc;
    requires org.slf4j;

    provides io.verbena.rpc.spi.ClientProtocolProvider with
            io.verbena.http.HttpClientProvider;
    provides io.verbena.rpc.spi.MessageFormat with
            io.verbena.http.BrpcJsonMessages,
            io.verbena.http.ProtoJsonMessages;
    provides io.verbena.rpc.spi.ProtocolProvider with
            io.verbena.http.HttpProvider;
}
