// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.rpc.server.ServerRequest;
import java.io.IOException;

/** A call that came by another protocol than {@code baidu_std}. */
final class ProtocolCall extends IncomingCall {
    private final ServerRequest request;

    ProtocolCall(ServerSession session, ServerRequest request) {
        super(session);
        this.request = request;
        connection(session.transport());
        request.prepare(this);
    }

    @Override
    Message decode(Message prototype) throws IOException {
        return request.decode(prototype);
    }

    @Override
    void answer(Message response) {
        request.answer(this, response);
    }
}
