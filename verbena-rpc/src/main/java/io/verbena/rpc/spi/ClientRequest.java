// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;

/**
 * One try of a call that a client makes, for its protocol.
 *
 * @param server where to send it
 * @param method the method; its descriptor says how many messages go each way
 * @param request the request, if the method has one
 * @param timeoutMs how long the client waits; -1 means without limit. The core ends the call then
 * @param compressType brpc's number for how requests are compressed; 0 means not at all
 * @param userFields names and values to send
 */
public record ClientRequest(
        InetSocketAddress server,
        MethodDescriptor method,
        Optional<Message> request,
        int timeoutMs,
        int compressType,
        Map<String, String> userFields) {}
