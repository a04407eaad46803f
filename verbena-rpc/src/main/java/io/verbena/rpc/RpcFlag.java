// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.transport.Flag;

/**
 * The settings of a process beside those of its transport, by brpc's names. All of them can be
 * changed while it runs.
 */
public enum RpcFlag implements Flag {
    /** The largest body of a frame that is taken; the connection of a larger one is closed. */
    MAX_BODY_SIZE(64L << 20, 1, Integer.MAX_VALUE),
    /** Seconds between two looks at a server that could not be reached. */
    HEALTH_CHECK_INTERVAL(3, 1, 86_400),
    /** Idle connections kept for channels with pooled connections, per server. */
    MAX_CONNECTION_POOL_SIZE(100, 0, 1 << 20),
    /** Whether requests tell servers how long their clients wait. */
    BAIDU_STD_PROTOCOL_DELIVER_TIMEOUT_MS(false),
    /** Calls at a time a limiter of type auto begins with. */
    AUTO_CL_INITIAL_MAX_CONCURRENCY(40, 1, 1 << 20),
    /** Calls at a time a limiter of type timeout allows at most. */
    TIMEOUT_CL_MAX_CONCURRENCY(100, 1, 1 << 20);

    @SuppressWarnings("ImmutableEnumChecker") // a Long or a Boolean
    private final Setting setting;

    RpcFlag(long initial, long least, long most) {
        setting = new Setting(initial, least, most);
    }

    RpcFlag(boolean initial) {
        setting = new Setting(initial);
    }

    @Override
    public Setting setting() {
        return setting;
    }
}
