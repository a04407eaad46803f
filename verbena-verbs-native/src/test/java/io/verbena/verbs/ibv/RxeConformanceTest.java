// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.tck.AsyncEventConformance;
import io.verbena.tck.AtomicConformance;
import io.verbena.tck.BatchConformance;
import io.verbena.tck.BlockingConnectConformance;
import io.verbena.tck.CloseWhileInUseConformance;
import io.verbena.tck.CompletionChannelConformance;
import io.verbena.tck.CompletionQueueConformance;
import io.verbena.tck.CompletionWakeUpConformance;
import io.verbena.tck.ConnectionManagerConformance;
import io.verbena.tck.ConnectionStateConformance;
import io.verbena.tck.ConnectionTeardownConformance;
import io.verbena.tck.DeviceQueryConformance;
import io.verbena.tck.FlushConformance;
import io.verbena.tck.InlineConformance;
import io.verbena.tck.LifetimeConformance;
import io.verbena.tck.LocalErrorConformance;
import io.verbena.tck.MemoryRegionConformance;
import io.verbena.tck.OrderingConformance;
import io.verbena.tck.ReadConformance;
import io.verbena.tck.RemoteErrorConformance;
import io.verbena.tck.RnrConformance;
import io.verbena.tck.ScaleConformance;
import io.verbena.tck.SendReceiveConformance;
import io.verbena.tck.SharedQueueConformance;
import io.verbena.tck.SignalingConformance;
import io.verbena.tck.StateMachineConformance;
import io.verbena.tck.StreamConformance;
import io.verbena.tck.VerbsFixture;
import io.verbena.tck.WriteConformance;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * The conformance suite on the kernel's soft-RoCE, in the lab: two contexts of one device that talk
 * to each other. The guest is emulated, so a test may take minutes.
 */
@Tag("lab")
@EnabledIfEnvironmentVariable(
        named = "VERBENA_LAB",
        matches = "guest",
        disabledReason = "needs soft-RoCE: run it by ./verbena lab run")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class RxeConformanceTest {
    @Nested
    class AsyncEvent extends AsyncEventConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class Atomic extends AtomicConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class Batch extends BatchConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class BlockingConnect extends BlockingConnectConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class CloseWhileInUse extends CloseWhileInUseConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class CompletionChannel extends CompletionChannelConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class CompletionQueue extends CompletionQueueConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class CompletionWakeUp extends CompletionWakeUpConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class ConnectionManager extends ConnectionManagerConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class ConnectionState extends ConnectionStateConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class ConnectionTeardown extends ConnectionTeardownConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class DeviceQuery extends DeviceQueryConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class Flush extends FlushConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class Inline extends InlineConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class Lifetime extends LifetimeConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class LocalError extends LocalErrorConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class MemoryRegion extends MemoryRegionConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class Ordering extends OrderingConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class Read extends ReadConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class RemoteError extends RemoteErrorConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class Rnr extends RnrConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class Scale extends ScaleConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class SendReceive extends SendReceiveConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class SharedQueue extends SharedQueueConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class Signaling extends SignalingConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class StateMachine extends StateMachineConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class Stream extends StreamConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }

    @Nested
    class Write extends WriteConformance {
        @Override
        protected VerbsFixture fixture() {
            return RxeFixture.INSTANCE;
        }
    }
}
