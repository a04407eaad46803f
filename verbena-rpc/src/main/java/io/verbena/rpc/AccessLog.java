// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs one line for each call when it is over. The same object serves servers and channels.
 *
 * <pre>
 *   server test.EchoService/Echo 10.0.0.7:41234 rdma alice 0 83us log=17
 *   client test.EchoService/Echo 10.0.0.9:8002 tcp 1008 500012us retries=1 [E1008]reached timeout=500ms
 * </pre>
 *
 * <p>The logger is {@code io.verbena.rpc.access}, at INFO; failed calls are logged at WARN. Any
 * thread.
 */
public final class AccessLog implements ServerInterceptor, ClientInterceptor {
    private static final String NAME = "io.verbena.rpc.access";

    private final Logger log;

    /** Logs to {@code io.verbena.rpc.access}. */
    public AccessLog() {
        this(LoggerFactory.getLogger(NAME));
    }

    AccessLog(Logger log) {
        this.log = log;
    }

    @Override
    public void onEnd(Call call) {
        if (!isLogged(call.failed())) {
            return;
        }
        StringBuilder line = line("server", call.descriptor(), call.remoteSide(), call.isRdma());
        if (!call.identity().isEmpty()) {
            line.append(call.identity()).append(' ');
        }
        line.append(call.errorCode()).append(' ');
        line.append(TimeUnit.NANOSECONDS.toMicros(call.elapsedNs())).append("us");
        if (call.logId() != 0) {
            line.append(" log=").append(call.logId());
        }
        if (!call.requestId().isEmpty()) {
            line.append(" request=").append(call.requestId());
        }
        write(line, call.failed(), call.errorText());
    }

    @Override
    public void onEnd(MethodDescriptor method, ClientCall call) {
        if (!isLogged(call.failed())) {
            return;
        }
        StringBuilder line = line("client", method, call.remoteSide(), call.isRdma());
        line.append(call.errorCode()).append(' ').append(call.latencyUs()).append("us");
        if (call.retriedCount() > 0) {
            line.append(" retries=").append(call.retriedCount());
        }
        write(line, call.failed(), call.errorText());
    }

    private boolean isLogged(boolean isFailure) {
        return isFailure ? log.isWarnEnabled() : log.isInfoEnabled();
    }

    private static StringBuilder line(
            String side, MethodDescriptor method, InetSocketAddress peer, boolean isRdma) {
        return new StringBuilder(128)
                .append(side)
                .append(' ')
                .append(method.getService().getFullName())
                .append('/')
                .append(method.getName())
                .append(' ')
                .append(Addresses.text(peer))
                .append(isRdma ? " rdma " : " tcp ");
    }

    private void write(StringBuilder line, boolean isFailure, String errorText) {
        if (isFailure) {
            // what a peer or a service says must not look like another line
            line.append(' ').append(errorText.replace('\n', ' ').replace('\r', ' '));
            log.warn("{}", line);
        } else {
            log.info("{}", line);
        }
    }
}
