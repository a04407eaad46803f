// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.cli.proto.ConnectionState;
import io.verbena.cli.proto.StateRequest;
import io.verbena.cli.proto.StateResponse;
import io.verbena.cli.proto.StateService;
import io.verbena.memory.BlockPool;
import io.verbena.rpc.Call;
import io.verbena.rpc.Server;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionStatistics;

/** Reports the state of the demonstration's server: its connections and its memory. */
final class StateResponder implements StateService {
    private final Server server;
    private final BlockPool pool;

    StateResponder(Server server, BlockPool pool) {
        this.server = server;
        this.pool = pool;
    }

    @Override
    public StateResponse state(Call call, StateRequest request) {
        PoolUse use = PoolUse.of(pool);
        StateResponse.Builder state =
                StateResponse.newBuilder()
                        .setPoolBytes(use.bytes())
                        .setPoolBytesInUse(use.bytesInUse());
        server.connections().forEach(connection -> state.addConnection(describe(connection)));
        return state.build();
    }

    private static ConnectionState describe(Connection connection) {
        ConnectionStatistics now = connection.statistics();
        return ConnectionState.newBuilder()
                .setIsRdma(connection.isRdma())
                .setHandshake(now.handshakeState().toString())
                .setSendWindow(now.sendWindow())
                .setRemoteWindow(now.remoteReceiveWindow())
                .setWindowCapacity(now.localWindowCapacity())
                .setUnwrittenBytes(now.unwrittenBytes())
                .build();
    }
}
