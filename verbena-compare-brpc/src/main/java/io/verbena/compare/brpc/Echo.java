// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare.brpc;

import com.baidu.brpc.protocol.BrpcMeta;
import com.google.protobuf.BytesValue;

/** The service, as brpc-java wants it described. */
public interface Echo {
    /**
     * {@return the bytes it got}
     *
     * @param request the bytes
     */
    @BrpcMeta(serviceName = "verbena.compare.EchoService", methodName = "Echo")
    BytesValue echo(BytesValue request);
}
