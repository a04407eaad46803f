// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import com.google.protobuf.BoolValue;
import com.google.protobuf.Int32Value;
import com.google.protobuf.Message;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/**
 * Is an answer that comes while its place is given to the next call decoded with its own prototype
 * or not at all, and does it never end the next call?
 */
@JCStressTest
@Outcome(
        id = {"0, false", "1, false", "1, true"},
        expect = ACCEPTABLE,
        desc = "The answer found its own call, or none.")
@Outcome(expect = FORBIDDEN, desc = "The answer reached the next call.")
@State
public class CallReuseTest {
    private final CallTable table = new CallTable();
    private final PendingCall call = table.take();
    private final long id = call.id();

    /** A call that was sent. */
    public CallReuseTest() {
        call.responsePrototype = BoolValue.getDefaultInstance();
        call.publish();
    }

    /** Ends the call, unless the answer has, and starts another at the same place. */
    @Actor
    public void next() {
        if (call.tryOwn(id)) {
            call.end();
            call.free();
            table.giveBack(call);
            PendingCall another = table.take();
            another.responsePrototype = Int32Value.getDefaultInstance();
            another.publish();
        }
    }

    /** Decodes, then claims. */
    @Actor
    public void answer(IZ_Result r) {
        Message prototype = call.prototypeOf(id);
        r.r1 = prototype == null ? 0 : prototype instanceof BoolValue ? 1 : 2;
        if (prototype != null) {
            r.r2 = call.tryClaim(id);
        }
        if (r.r2) {
            call.end();
        }
    }
}
