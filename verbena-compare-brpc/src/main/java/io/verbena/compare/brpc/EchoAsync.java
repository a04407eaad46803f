// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare.brpc;

import com.baidu.brpc.client.RpcCallback;
import com.google.protobuf.BytesValue;
import java.util.concurrent.Future;

/** The asynchronous service, declared the way brpc-java requires. */
public interface EchoAsync extends Echo {
    /**
     * {@return a future with the answer}
     *
     * @param request the bytes
     * @param callback called with the answer
     */
    Future<BytesValue> echo(BytesValue request, RpcCallback<BytesValue> callback);
}
