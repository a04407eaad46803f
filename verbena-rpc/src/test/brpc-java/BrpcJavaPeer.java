// SPDX-License-Identifier: Apache-2.0

import com.baidu.brpc.RpcContext;
import com.baidu.brpc.client.BrpcProxy;
import com.baidu.brpc.client.RpcClient;
import com.baidu.brpc.client.RpcClientOptions;
import com.baidu.brpc.exceptions.RpcException;
import com.baidu.brpc.protocol.BrpcMeta;
import com.baidu.brpc.protocol.Options.CompressType;
import com.baidu.brpc.protocol.Options.ProtocolType;
import com.baidu.brpc.server.RpcServer;
import com.baidu.brpc.server.RpcServerOptions;
import com.google.protobuf.StringValue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;

/**
 * brpc-java as the peer, in a process of its own: its libraries are older versions of ours. A
 * message with one text as field 1 is the same on the wire as that of the tests' echo service.
 *
 * <p>{@code server PORT} answers until its input ends; {@code client PORT} makes calls and prints a
 * line for each.
 */
public final class BrpcJavaPeer {
    private static final String BESIDE = "beside the message";

    private BrpcJavaPeer() {}

    /** The echo service. */
    public interface EchoService {
        /** Echoes. */
        @BrpcMeta(serviceName = "test.EchoService", methodName = "Echo")
        StringValue echo(StringValue request);

        /** Does not exist on the other side. */
        @BrpcMeta(serviceName = "test.EchoService", methodName = "Missing")
        StringValue missing(StringValue request);
    }

    /** Its implementation. */
    public static final class Echo implements EchoService {
        @Override
        public StringValue echo(StringValue request) {
            if (request.getValue().equals("fail")) {
                throw new RpcException("asked to fail");
            }
            if (request.getValue().equals("sleep")) {
                try {
                    Thread.sleep(10_000);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            if (RpcContext.isSet()) {
                RpcContext context = RpcContext.getContext();
                ByteBuf attachment = context.getRequestBinaryAttachment();
                if (attachment != null) {
                    context.setResponseBinaryAttachment(Unpooled.copiedBuffer(attachment));
                }
            }
            return request;
        }

        @Override
        public StringValue missing(StringValue request) {
            return request;
        }
    }

    /** Runs one side. */
    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[1]);
        if (arguments[0].equals("server")) {
            serve(port);
        } else {
            for (int number = 0; number <= CompressType.COMPRESS_TYPE_ZLIB_VALUE; number++) {
                call(port, CompressType.valueOf(number));
            }
            System.exit(0);
        }
    }

    private static void serve(int port) throws Exception {
        RpcServerOptions options = new RpcServerOptions();
        options.setIoThreadNum(1);
        options.setWorkThreadNum(4);
        RpcServer server = new RpcServer(port, options);
        server.registerService(new Echo());
        server.start();
        System.out.println("ready");
        while (System.in.read() >= 0) {
            // until the test has gone
        }
        System.exit(0);
    }

    private static void call(int port, CompressType type) {
        RpcClientOptions options = new RpcClientOptions();
        options.setProtocolType(ProtocolType.PROTOCOL_BAIDU_STD_VALUE);
        options.setCompressType(type);
        options.setReadTimeoutMillis(5000);
        options.setConnectTimeoutMillis(5000);
        options.setMaxTryTimes(1);
        options.setIoThreadNum(1);
        options.setWorkThreadNum(2);
        RpcClient client = new RpcClient("list://127.0.0.1:" + port, options);
        EchoService echo = BrpcProxy.getProxy(client, EchoService.class);
        // the first call loads everything, which takes longer than the time limit
        attempt(() -> echo.echo(text("warm")).getValue());
        print(type, "echo", attempt(() -> echo.echo(text("hello")).getValue()));
        String large = "large ".repeat(20_000);
        print(
                type,
                "large",
                attempt(() -> String.valueOf(echo.echo(text(large)).getValue().equals(large))));
        print(type, "attachment", attempt(() -> attached(echo)));
        print(type, "missing", attempt(() -> echo.missing(text("x")).getValue()));
        print(type, "fail", attempt(() -> echo.echo(text("fail")).getValue()));
        if (type == CompressType.COMPRESS_TYPE_NONE) {
            print(type, "timeout", attempt(() -> echo.echo(text("sleep")).getValue()));
        }
        client.stop();
    }

    private static String attached(EchoService echo) {
        RpcContext.removeContext();
        RpcContext.getContext().setRequestBinaryAttachment(BESIDE.getBytes(StandardCharsets.UTF_8));
        String answer = echo.echo(text("with")).getValue();
        ByteBuf attachment = RpcContext.getContext().getResponseBinaryAttachment();
        String beside = attachment.toString(StandardCharsets.UTF_8);
        ReferenceCountUtil.release(attachment);
        RpcContext.removeContext();
        return answer + " " + beside.equals(BESIDE);
    }

    private static StringValue text(String value) {
        return StringValue.newBuilder().setValue(value).build();
    }

    /** A call that answers with a text. */
    private interface Call {
        String make();
    }

    private static String attempt(Call call) {
        try {
            return call.make();
        } catch (RpcException e) {
            return (e.isTimeout() ? "timeout " : "failed ") + e.getCode() + " " + e.getMessage();
        }
    }

    private static void print(CompressType type, String what, String result) {
        System.out.println(
                "RESULT " + type.getNumber() + " " + what + " " + result.replace('\n', ' '));
    }
}
