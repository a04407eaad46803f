// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.test.probe.Answer;
import io.verbena.rpc.test.probe.ProbeService;
import io.verbena.rpc.test.probe.Question;
import java.util.concurrent.CompletionStage;

/** Services and messages for tests of generated code. */
final class Probes {
    private Probes() {}

    static Question question(String text) {
        return Question.newBuilder().setText(text).build();
    }

    static Answer answer(String text) {
        return Answer.newBuilder().setText(text).build();
    }

    /** {@return a service whose methods both run this} */
    static ProbeService service(UnaryHandler<Question, Answer> handler) {
        return new ProbeService() {
            @Override
            public Answer ask(Call call, Question question) throws Exception {
                return handler.handle(call, question);
            }

            @Override
            @NonBlocking
            public Answer askQuickly(Call call, Question question) throws Exception {
                return handler.handle(call, question);
            }
        };
    }

    /** {@return a service whose methods both run this} */
    static ProbeService.Async async(AsyncHandler<Question, Answer> handler) {
        return new ProbeService.Async() {
            @Override
            public CompletionStage<Answer> ask(Call call, Question question) throws Exception {
                return handler.handle(call, question).thenApply(answer -> answer);
            }

            @Override
            public CompletionStage<Answer> askQuickly(Call call, Question question)
                    throws Exception {
                return ask(call, question);
            }
        };
    }

    /** Returns what it gets, also next to the message. */
    static Answer echo(Call call, Question question) {
        if (call.hasRequestAttachment()) {
            call.responseAttachment().append(call.requestAttachment());
        }
        call.responseUserFields().putAll(call.requestUserFields());
        return Answer.newBuilder().setText(question.getText()).setData(question.getData()).build();
    }
}
