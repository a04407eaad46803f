// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.ConnectionSettings;
import io.verbena.verbs.EventChannel;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePairAddress;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A valid argument for every parameter type of the API, so that a call on a closed object can fail
 * only because it is closed. A new parameter type without a sample fails the test that needs it.
 */
final class SampleArguments {
    /** What an object was: this stays valid after its close, because messages need it. */
    private static final Set<String> IDENTITY =
            Set.of(
                    "attach",
                    "attachment",
                    "context",
                    "device",
                    "domain",
                    "localAddress",
                    "number",
                    "options",
                    "queuePair",
                    "remoteAddress");

    private final Map<Class<?>, Object> samples = new HashMap<>();

    SampleArguments(VerbsFixture fixture, Household open, Arena arena) {
        samples.put(int.class, 1);
        samples.put(long.class, 4096L);
        samples.put(Object.class, "attachment");
        samples.put(byte[].class, new byte[0]);
        samples.put(Duration.class, Duration.ZERO);
        samples.put(InetSocketAddress.class, new InetSocketAddress(fixture.address(), 0));
        samples.put(MemorySegment.class, arena.allocate(4096, 4096));
        samples.put(AccessFlag[].class, new AccessFlag[] {AccessFlag.LOCAL_WRITE});
        samples.put(ProtectionDomain.class, open.domain());
        samples.put(CompletionChannel.class, open.channel());
        samples.put(EventChannel.class, open.eventChannel());
        samples.put(QueuePairOptions.class, QueuePairOptions.of(open.queue()));
        samples.put(QueuePairAttributes.class, QueuePairAttributes.to(QueuePairState.RESET));
        samples.put(
                QueuePairAddress.class,
                new QueuePairAddress(open.context().queryGids(1).getFirst().gid(), 0, 1, 0));
        samples.put(ConnectionSettings.class, ConnectionSettings.of());
        samples.put(ConnectionParameters.class, ConnectionParameters.DEFAULT);
        samples.put(CompletionQueue.Notification.class, CompletionQueue.Notification.ANY);
        samples.put(WorkCompletion.class, WorkCompletion.allocate(arena, 1));
        samples.put(SendWorkRequest.class, SendWorkRequest.allocate(arena, 1));
        samples.put(ReceiveWorkRequest.class, ReceiveWorkRequest.allocate(arena, 1));
    }

    /** {@return every method of a type except close and those that only identify the object} */
    static List<Method> methods(Class<?> type) {
        return Stream.of(type.getMethods())
                .filter(method -> method.getDeclaringClass() != AutoCloseable.class)
                .filter(method -> !method.getName().equals("close"))
                .filter(method -> !IDENTITY.contains(method.getName()))
                .sorted((a, b) -> a.toString().compareTo(b.toString()))
                .toList();
    }

    /** Calls a method with samples and throws what it throws. */
    void call(Method method, Object target) throws Throwable {
        Object[] arguments =
                Stream.of(method.getParameterTypes())
                        .map(type -> Objects.requireNonNull(samples.get(type), type::toString))
                        .toArray();
        try {
            method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    static String describe(Method method) {
        List<String> types =
                Stream.of(method.getParameterTypes()).map(Class::getSimpleName).toList();
        return method.getDeclaringClass().getSimpleName()
                + "."
                + method.getName()
                + "("
                + String.join(", ", types)
                + ")";
    }
}
