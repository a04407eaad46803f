// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.verbena.micrometer.CallMetrics;
import io.verbena.micrometer.CoarseClock;
import io.verbena.rpc.AccessLog;
import io.verbena.rpc.Call;
import io.verbena.rpc.CallChain;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.ClientInterceptor;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.ServerInterceptor;
import io.verbena.rpc.ServerOptions;
import java.util.Set;

/**
 * What a service in production has around its calls: metrics, an access log (of failures only, as
 * nobody turned it on), and one that decides by method. Apart from {@link VerbenaSystem}, because
 * the process of brpc-java has no Micrometer.
 */
final class Interceptors {
    private static final Set<String> ALLOWED = Set.of("Echo", "Other");

    private Interceptors() {}

    static ServerOptions addTo(ServerOptions options) {
        return options.withInterceptors(new AccessLog(), new Guard(), metrics());
    }

    static ChannelOptions addTo(ChannelOptions options) {
        return options.withInterceptors(new AccessLog(), new Guard(), metrics());
    }

    private static CallMetrics metrics() {
        return new CallMetrics(new SimpleMeterRegistry(SimpleConfig.DEFAULT, new CoarseClock()));
    }

    private static final class Guard implements ServerInterceptor, ClientInterceptor {
        @Override
        public void intercept(Call call, Message request, CallChain next) {
            check(call.methodName());
            next.proceed(request);
        }

        @Override
        public void intercept(
                MethodDescriptor method, Message request, ClientCall call, CallChain next) {
            check(method.getName());
            next.proceed(request);
        }

        private static void check(String method) {
            if (!ALLOWED.contains(method)) {
                throw new RpcException(RpcError.ERPCAUTH, "not allowed: " + method);
            }
        }
    }
}
