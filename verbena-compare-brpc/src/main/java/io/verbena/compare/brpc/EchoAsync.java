// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare.brpc;

import com.baidu.brpc.client.RpcCallback;
import com.google.protobuf.BytesValue;
import java.util.concurrent.Future;

/** The service without waiting, as brpc-java wants it described. */
public interface EchoAsync extends Echo {
    /**
     * {@return what will have the answer}
     *
     * @param request the bytes
     * @param callback told when there is one
     */
    Future<BytesValue> echo(BytesValue request, RpcCallback<BytesValue> callback);
}
