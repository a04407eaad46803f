// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.perf;

import io.verbena.transport.Flag;

/** The flags of {@code perf client}, those of brpc's program. */
enum ClientFlag implements Flag {
    /** Channels that call at the same time; 0 tries 1, 2, 4 and so on. */
    THREAD_NUM(0, 0, 1 << 16),
    /** Calls under way on each of them. */
    QUEUE_DEPTH(1, 1, 1 << 16),
    /** Calls per second over all of them; 0 means as many as possible. */
    EXPECTED_QPS(0, 0, Integer.MAX_VALUE),
    /** Where 1, 2, 4 and so on ends. */
    MAX_THREAD_NUM(16, 1, 1 << 16),
    /** Bytes attached to each request; -1 tries 1, 4, 16 and so on to 1024. */
    ATTACHMENT_SIZE(-1, -1, 32 << 20),
    /** Whether the server sends them back. */
    ECHO_ATTACHMENT(false),
    /** How channels share connections: single, pooled or short. */
    CONNECTION_TYPE("single"),
    /** The wire format. */
    PROTOCOL("baidu_std"),
    /** Addresses separated by +, which the channels take in turn. */
    SERVERS("0.0.0.0:8002+0.0.0.0:8002"),
    /** Whether to use RDMA, if the server has it. */
    USE_RDMA(true),
    /** How long a call may take. */
    RPC_TIMEOUT_MS(2000, 1, Integer.MAX_VALUE),
    /** How long each run takes. */
    TEST_SECONDS(20, 1, 86_400),
    /** How many calls each channel makes in a run; 0 runs for the test time. */
    TEST_ITERATIONS(0, 0, Integer.MAX_VALUE),
    /** The port on which this program shows its own state. */
    DUMMY_PORT(8001, 0, 65_535);

    @SuppressWarnings("ImmutableEnumChecker") // a Long, a Boolean or a String
    private final Setting setting;

    ClientFlag(long initial, long least, long most) {
        setting = new Setting(initial, least, most);
    }

    ClientFlag(Object initial) {
        setting = new Setting(initial);
    }

    @Override
    public Setting setting() {
        return setting;
    }
}
