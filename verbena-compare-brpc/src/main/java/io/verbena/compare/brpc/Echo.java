// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare.brpc;

import com.baidu.brpc.protocol.BrpcMeta;
import com.google.protobuf.BytesValue;

/** The service, declared the way brpc-java requires. */
public interface Echo {
    /**
     * {@return the same bytes}
     *
     * @param request the bytes
     */
    @BrpcMeta(serviceName = "verbena.compare.EchoService", methodName = "Echo")
    BytesValue echo(BytesValue request);
}
