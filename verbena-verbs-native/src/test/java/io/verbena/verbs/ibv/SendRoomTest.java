// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How polls give back room to a send queue, without a device. */
class SendRoomTest {
    private static final int NUMBER = 0x11;
    private static final int CAPACITY = 5;

    private final Arena arena = Arena.ofConfined();
    private final SendWorkRequest request = SendWorkRequest.allocate(arena, 1);
    private final WorkCompletion completions = WorkCompletion.allocate(arena, 8);
    private final SendRoom room = new SendRoom(NUMBER, CAPACITY, false);
    private final SendRooms rooms = new SendRooms();

    SendRoomTest() {
        rooms.add(room);
    }

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void shouldTakeAsManyAsItsCapacity() {
        for (int i = 0; i < CAPACITY; i++) {
            post(i, true);
        }

        assertThat(room.isFree(0)).isFalse();
    }

    @Test
    void shouldCountRequestsThatAreOnlyNoted() {
        assertThat(room.isFree(CAPACITY - 1)).isTrue();
        assertThat(room.isFree(CAPACITY)).isFalse();
    }

    @Test
    void shouldGiveBackWhatTheDriverRefused() {
        room.take(CAPACITY);

        room.giveBack(2);

        assertRoom(2);
    }

    @Test
    void shouldFreeEverythingBeforeASignaledRequest() {
        post(0, false);
        post(1, true);
        post(2, false);
        post(3, true);
        post(4, false);

        poll(success(NUMBER, 1));

        assertRoom(2);
    }

    @Test
    void shouldFreeAllIfEveryRequestIsSignaled() {
        SendRoom all = new SendRoom(NUMBER, 1, true);
        request.flags(0);
        all.note(0, request);
        all.take(1);
        assertThat(all.isFree(0)).isFalse();

        all.onSuccess(1);

        assertThat(all.isFree(0)).isTrue();
    }

    @Test
    void shouldNotTakeAReceiveForASend() {
        fill(true);

        poll(completion(NUMBER, 0, WorkCompletionStatus.SUCCESS, WorkCompletionOpcode.RECEIVE));

        assertRoom(0);
    }

    @Test
    void shouldTellQueuePairsApart() {
        SendRoom other = new SendRoom(NUMBER + 8, 1, true);
        rooms.add(other);
        other.take(1);
        fill(true);

        poll(success(NUMBER + 8, 0), success(NUMBER, 0), success(NUMBER + 8, 7));

        assertThat(other.isFree(0)).isTrue();
        assertRoom(1);
    }

    @Test
    void shouldForgetQueuePairThatIsGone() {
        fill(true);
        rooms.remove(room);

        poll(success(NUMBER, 0), failure(NUMBER, 1));

        assertRoom(0);
    }

    @Test
    void shouldFreeUnsignaledRequestsBeforeAFailedOne() {
        fill(false);

        poll(failure(NUMBER, 3));

        assertRoom(4);
    }

    @Test
    void shouldFreeOnePlacePerFailureIfAllIdsAreTheSame() {
        for (int i = 0; i < CAPACITY; i++) {
            post(0, true);
        }

        poll(success(NUMBER, 0), success(NUMBER, 0), failure(NUMBER, 0), failure(NUMBER, 0));

        assertRoom(4);
    }

    @Test
    void shouldIgnoreFailedReceive() {
        fill(true);

        poll(failure(NUMBER, 77));

        assertRoom(0);
    }

    @Test
    void shouldGoOnWithFailuresInError() {
        fill(false);
        for (int id = 0; id < CAPACITY; id++) {
            poll(failure(NUMBER, id));
        }

        for (int id = 10; id < 100; id++) {
            post(id, false);
            poll(failure(NUMBER, id));
        }

        assertRoom(CAPACITY);
    }

    @Test
    void shouldBeEmptyAfterReset() {
        fill(true);
        poll(success(NUMBER, 0), failure(NUMBER, 1));

        room.reset();

        assertRoom(CAPACITY);
    }

    @Test
    void shouldCountFromNewAfterReset() {
        fill(true);
        poll(failure(NUMBER, 0));
        room.reset();

        fill(true);
        assertThat(room.isFree(0)).isFalse();
        poll(success(NUMBER, 0), success(NUMBER, 1));

        assertRoom(2);
    }

    @Test
    void shouldNotKeepMoreCompletionsThanRequests() {
        post(0, true);

        poll(success(NUMBER, 0), success(NUMBER, 0), success(NUMBER, 0));

        assertRoom(CAPACITY);
    }

    @Test
    void shouldAgreeWithAPlainModelOverManyLaps() {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(16);
        List<Boolean> outstanding = new ArrayList<>();
        for (int step = 0; step < 10_000; step++) {
            boolean isPost = random.nextBoolean();
            assertThat(room.isFree(0)).isEqualTo(outstanding.size() < CAPACITY);
            if (isPost && outstanding.size() < CAPACITY) {
                // The last one is signaled, or the queue would stay full forever.
                boolean isSignaled = outstanding.size() == CAPACITY - 1 || random.nextBoolean();
                outstanding.add(isSignaled);
                post(step, isSignaled);
            } else if (!isPost && outstanding.contains(true)) {
                int freed = outstanding.indexOf(true) + 1;
                outstanding.subList(0, freed).clear();
                poll(success(NUMBER, step));
            }
        }
    }

    private void fill(boolean isSignaled) {
        for (int id = 0; id < CAPACITY; id++) {
            post(id, isSignaled);
        }
    }

    private void post(long id, boolean isSignaled) {
        assertThat(room.isFree(0)).as("room for %d", id).isTrue();
        room.note(0, request.id(id).flags(isSignaled ? SendWorkRequest.SIGNALED : 0));
        room.take(1);
    }

    private void assertRoom(int expected) {
        int free = 0;
        while (room.isFree(free)) {
            free++;
        }
        assertThat(free).isEqualTo(expected);
    }

    private record Polled(int number, long id, int status, int opcode) {}

    private static Polled success(int number, long id) {
        return completion(number, id, WorkCompletionStatus.SUCCESS, WorkCompletionOpcode.SEND);
    }

    private static Polled failure(int number, long id) {
        return completion(
                number,
                id,
                WorkCompletionStatus.WORK_REQUEST_FLUSHED,
                WorkCompletionOpcode.UNRECOGNIZED);
    }

    private static Polled completion(
            int number, long id, WorkCompletionStatus status, WorkCompletionOpcode opcode) {
        return new Polled(number, id, status.code(), opcode.code());
    }

    private void poll(Polled... polled) {
        for (int i = 0; i < polled.length; i++) {
            completions
                    .at(i)
                    .set(
                            polled[i].id(),
                            polled[i].status(),
                            polled[i].opcode(),
                            0,
                            0,
                            polled[i].number(),
                            0);
        }
        rooms.onPolled(completions, polled.length);
    }
}
