// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.verbena.tck.Dialog.Line;
import io.verbena.tck.Household.Member;
import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueue.Notification;
import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.Errno;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.reflect.Method;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Use after close, and closing twice, in any order, and with everything still open. */
public abstract class LifetimeConformance extends ConformanceTest {
    /** Finds the methods by reflection, so that none can be forgotten. */
    @TestFactory
    Stream<DynamicTest> shouldRefuseEveryCallAfterClose() {
        SampleArguments arguments = samples();
        List<DynamicTest> tests = new ArrayList<>();
        for (Member member : Member.values()) {
            Household household = household();
            household.close(member);
            for (Method method : SampleArguments.methods(member.type())) {
                tests.add(
                        DynamicTest.dynamicTest(
                                SampleArguments.describe(method),
                                () -> assertClosed(household, member, method, arguments)));
            }
        }
        return tests.stream();
    }

    @ParameterizedTest
    @EnumSource
    void shouldCloseTwiceWithoutEffect(Member member) {
        Household household = household();

        household.close(member);
        household.close(member);

        household.close();
        household.close(member);
    }

    @TestFactory
    Stream<DynamicTest> shouldCloseChildrenWithTheirParent() {
        SampleArguments arguments = samples();
        List<DynamicTest> tests = new ArrayList<>();
        for (Member parent : Member.values()) {
            Household household = household();
            household.close(parent);
            for (Member child : Member.values()) {
                if (parent.isParentOf(child)) {
                    Method method = SampleArguments.methods(child.type()).getFirst();
                    tests.add(
                            DynamicTest.dynamicTest(
                                    parent + " closes " + child,
                                    () -> assertClosed(household, child, method, arguments)));
                }
            }
        }
        return tests.stream();
    }

    @TestFactory
    Stream<DynamicTest> shouldLeaveEverythingElseOpen() {
        List<DynamicTest> tests = new ArrayList<>();
        for (Member closed : Member.values()) {
            Household household = household();
            household.close(closed);
            for (Member other : Member.values()) {
                if (other != closed && !closed.isParentOf(other)) {
                    tests.add(
                            DynamicTest.dynamicTest(
                                    closed + " leaves " + other,
                                    () -> assertOpen(household, other)));
                }
            }
        }
        return tests.stream();
    }

    /** Only a completion queue may refuse, and only while a queue pair uses it. */
    @TestFactory
    Stream<DynamicTest> shouldCloseInAnyOrder() {
        return permutations(List.of("pair", "region", "domain", "queue")).stream()
                .map(order -> DynamicTest.dynamicTest(order.toString(), () -> closeIn(order)));
    }

    private void closeIn(List<String> order) {
        Household household = household();
        CompletionQueue queue = household.context().createCompletionQueue(16);
        ProtectionDomain domain = household.context().allocateProtectionDomain();
        MemoryRegion region = domain.allocate(4096, AccessFlag.LOCAL_WRITE);
        QueuePair pair = domain.createQueuePair(QueuePairOptions.of(queue));
        boolean pairOpen = true;
        for (String next : order) {
            switch (next) {
                case "pair" -> pair.close();
                case "region" -> region.close();
                case "domain" -> domain.close();
                default -> closeQueue(queue::close, pairOpen);
            }
            pairOpen &= !next.equals("pair") && !next.equals("domain");
        }
        queue.close();
        household.close();
    }

    private void closeQueue(Runnable close, boolean used) {
        if (used) {
            assertErrno(Errno.EBUSY, close::run);
        } else {
            close.run();
        }
    }

    @Test
    void shouldCloseTheQueuePairWithItsIdentifier() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        Line line = dialog.establish();
        QueuePair pair = line.activePair();

        line.active().close();

        assertThat(catchThrowable(pair::state)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldForgetTheQueuePairThatWasClosedBeforeItsIdentifier() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        Line line = dialog.establish();

        line.activePair().close();
        line.active().close();

        dialog.server().expect(ConnectionEventType.DISCONNECTED);
    }

    @Test
    void shouldCloseAContextWithEverythingInUse() {
        Household household = household();
        QueuePair pair = household.pair();
        pair.modify(
                QueuePairAttributes.to(QueuePairState.INIT)
                        .pkeyIndex(0)
                        .port(1)
                        .access(AccessFlag.REMOTE_WRITE));
        Arena arena = closing(Arena.ofShared());
        ReceiveWorkRequest receive = ReceiveWorkRequest.allocate(arena, 1);
        pair.postReceive(receive.element(household.region(), 0, 64));
        household.queue().requestNotification(Notification.ANY);
        ConnectionIdentifier listener = household.eventChannel().createIdentifier();
        listener.bind(new InetSocketAddress(fixture().address(), 0));
        listener.listen(1);

        household.context().close();

        for (Member member : Member.values()) {
            assertThatCode(() -> household.close(member)).doesNotThrowAnyException();
        }
        assertThat(catchThrowable(pair::state)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldOpenAndCloseManyContexts() {
        for (int i = 0; i < 5; i++) {
            household().close();
        }
        ProcessUse before = ProcessUse.now();

        for (int i = 0; i < 100; i++) {
            try (Household household = new Household(fixture().openInitiator())) {
                assertThat(household.pair().state()).isEqualTo(QueuePairState.RESET);
            }
        }

        ProcessUse.assertReturnsTo(before, fixture().patience());
    }

    private Household household() {
        return closing(new Household(fixture().openInitiator()));
    }

    private SampleArguments samples() {
        Household open = closing(new Household(fixture().openTarget()));
        return new SampleArguments(fixture(), open, closing(Arena.ofShared()));
    }

    private static void assertClosed(
            Household household, Member member, Method method, SampleArguments arguments) {
        Throwable failure = catchThrowable(() -> arguments.call(method, household.get(member)));
        assertThat(failure)
                .as(SampleArguments.describe(method))
                .isInstanceOf(IllegalStateException.class);
        assertThat(member.isNamedIn(failure.getMessage()))
                .as("%s is named in: %s", member, failure.getMessage())
                .isTrue();
    }

    private static void assertOpen(Household household, Member member) {
        try {
            switch (member) {
                case CONTEXT -> household.context().queryDevice();
                case DOMAIN -> household.domain().allocate(4096, AccessFlag.LOCAL_WRITE).close();
                case REGION -> household.region().memory().fill((byte) 1);
                case QUEUE -> household.queue().requestNotification(Notification.ANY);
                case CHANNEL -> household.channel().awaitEvent(Duration.ZERO);
                case PAIR -> household.pair().query();
                case EVENT_CHANNEL -> household.eventChannel().createIdentifier().close();
                case IDENTIFIER -> household.identifier().attach("still open");
            }
        } catch (VerbsException | IllegalStateException | InterruptedException e) {
            throw new AssertionError(member + " should be open", e);
        }
    }

    private static List<List<String>> permutations(List<String> items) {
        if (items.isEmpty()) {
            return List.of(List.of());
        }
        List<List<String>> all = new ArrayList<>();
        for (String first : items) {
            List<String> rest = new ArrayList<>(items);
            rest.remove(first);
            for (List<String> tail : permutations(rest)) {
                List<String> order = new ArrayList<>(List.of(first));
                order.addAll(tail);
                all.add(order);
            }
        }
        return all;
    }
}
