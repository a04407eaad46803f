// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rpc;

import io.verbena.memory.IOBuf;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcException;
import io.verbena.tools.ToolException;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoResponse;
import io.verbena.tools.proto.EchoServiceClient;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;

/** Calls {@code example.EchoService} repeatedly and checks what comes back. */
final class EchoCaller {
    private final PrintWriter out;
    private final Channel channel;
    private final EchoServiceClient client;
    private final EchoRequest request;
    private final byte[] attachment;

    EchoCaller(PrintWriter out, Channel channel, String message, int attachmentSize) {
        this.out = out;
        this.channel = channel;
        this.client = new EchoServiceClient(channel);
        this.request = EchoRequest.newBuilder().setMessage(message).build();
        this.attachment = new byte[attachmentSize];
        new Random(attachmentSize).nextBytes(attachment);
    }

    void run(long count) {
        for (long i = 1; i <= count; i++) {
            call(i);
        }
    }

    private void call(long number) {
        try (ClientCall call = channel.newCall()) {
            call.requestAttachment().append(attachment);
            EchoResponse response = client.echo(request, call);
            check(number, response.getMessage(), call.responseAttachment());
            out.printf(
                    Locale.ROOT,
                    "reply %d from %s: %s (attached: %d B) in %d us%n",
                    number,
                    address(call),
                    response.getMessage(),
                    attachment.length,
                    call.latencyUs());
        } catch (RpcException e) {
            throw new ToolException("call " + number + " failed: " + e.getMessage(), e);
        }
    }

    private static String address(ClientCall call) {
        return call.remoteSide().getAddress().getHostAddress() + ":" + call.remoteSide().getPort();
    }

    private void check(long number, String message, IOBuf attached) {
        if (!message.equals(request.getMessage())
                || !Arrays.equals(attached.toByteArray(), attachment)) {
            throw new ToolException(
                    "call "
                            + number
                            + ": the answer has "
                            + message.length()
                            + " characters and "
                            + attached.size()
                            + " bytes attached (expected: what was sent)");
        }
    }
}
