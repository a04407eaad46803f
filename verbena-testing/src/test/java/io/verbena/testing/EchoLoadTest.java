// SPDX-License-Identifier: Apache-2.0
package io.verbena.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** A load that finds no faults would prove nothing. */
class EchoLoadTest {
    private static final int TIMEOUT_MS = 5;
    private static final String DUMP = "threads when a call was late: ";

    private static EchoLoad run(EchoLoad.Caller caller) throws InterruptedException {
        EchoLoad load = new EchoLoad(TIMEOUT_MS);
        load.start(2, System.nanoTime() + 20_000_000, caller);
        load.awaitCallers();
        return load;
    }

    @Test
    void shouldAcceptAnswersAndFailures() throws InterruptedException {
        EchoLoad load =
                run(
                        (text, ending) -> {
                            if (text.equals("caller-0/0")) {
                                ending.onFailure(1008);
                            } else {
                                ending.onAnswer(text);
                            }
                        });

        load.assertOneOutcomeEach();
        assertThat(load.toString()).contains("1008 x 1");
    }

    @Test
    void shouldNoticeTheAnswerOfAnother() throws InterruptedException {
        EchoLoad load = run((_, ending) -> ending.onAnswer("other"));

        assertThatThrownBy(load::assertOneOutcomeEach).hasMessageContaining("of another");
    }

    @Test
    void shouldNoticeASecondOutcome() throws InterruptedException {
        EchoLoad load =
                run(
                        (text, ending) -> {
                            ending.onAnswer(text);
                            ending.onFailure(1);
                        });

        assertThatThrownBy(load::assertOneOutcomeEach).hasMessageContaining("two outcomes");
    }

    @Test
    void shouldNoticeThatNothingWentWell() throws InterruptedException {
        EchoLoad load = run((_, ending) -> ending.onFailure(1));

        assertThatThrownBy(load::assertOneOutcomeEach).hasMessageContaining("went well");
    }

    @Test
    void shouldNoticeALateEnd() throws InterruptedException {
        EchoLoad load = run(EchoLoadTest::answerLate);

        load.assertOneOutcomeEach();
        load.assertInTime(60_000);
        assertThatThrownBy(() -> load.assertInTime(0)).hasMessageContaining("after the deadline");
    }

    @Test
    void shouldKeepWhatAllThreadsDoWhenACallIsVeryLate() throws Exception {
        EchoLoad load = new EchoLoad(TIMEOUT_MS);
        Queue<EchoLoad.Ending> endings = new ConcurrentLinkedQueue<>();
        load.start(1, System.nanoTime(), (_, ending) -> endings.add(ending));

        Eventually.become(() -> load.toString().contains(DUMP), load::toString);
        endings.remove().onFailure(1);
        load.awaitCallers();

        String said = load.toString();
        Path dump = Path.of(said.substring(said.indexOf(DUMP) + DUMP.length()));
        assertThat(dump).content().contains("late-watch").contains("caller-0");
        Files.delete(dump);
    }

    @Test
    void shouldSayHowLateTheMachineWas() throws InterruptedException {
        EchoLoad load = run((text, ending) -> ending.onAnswer(text));

        assertThat(load.toString()).containsPattern("only sleeps was up to \\d+ ms late");
    }

    private static void answerLate(String text, EchoLoad.Ending ending) {
        long end = System.nanoTime() + 30_000_000;
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
        ending.onAnswer(text);
    }
}
