// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rpc;

import com.google.protobuf.ServiceException;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ClientController;
import io.verbena.rpc.Controller;
import io.verbena.tools.ToolException;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoResponse;
import io.verbena.tools.proto.EchoService;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;

/** Calls {@code example.EchoService} repeatedly and checks what comes back. */
final class EchoClient {
    private final PrintWriter out;
    private final Channel channel;
    private final EchoService.BlockingInterface stub;
    private final EchoRequest request;
    private final byte[] attachment;

    EchoClient(PrintWriter out, Channel channel, String message, int attachmentSize) {
        this.out = out;
        this.channel = channel;
        this.stub = EchoService.newBlockingStub(channel);
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
        try (ClientController controller = channel.controller()) {
            controller.requestAttachment().append(attachment);
            EchoResponse response = stub.echo(controller, request);
            check(number, response.getMessage(), controller.responseAttachment());
            out.printf(
                    Locale.ROOT,
                    "reply %d from %s: %s (attached: %d B) in %d us%n",
                    number,
                    address(controller),
                    response.getMessage(),
                    attachment.length,
                    controller.latencyUs());
        } catch (ServiceException e) {
            throw new ToolException("call " + number + " failed: " + e.getMessage(), e);
        }
    }

    private static String address(Controller controller) {
        return controller.remoteSide().getAddress().getHostAddress()
                + ":"
                + controller.remoteSide().getPort();
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
