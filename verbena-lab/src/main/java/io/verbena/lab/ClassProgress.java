// SPDX-License-Identifier: Apache-2.0
package io.verbena.lab;

import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Prints a line for each test class when it ends: in an emulated guest a run takes minutes, and
 * someone may be watching.
 */
public final class ClassProgress implements TestExecutionListener {
    private static final double NANOSECONDS_PER_SECOND = 1e9;

    private final PrintStream out = System.out;
    private final Map<String, Long> began = new ConcurrentHashMap<>();
    private final AtomicInteger passed = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger skipped = new AtomicInteger();
    private volatile TestPlan plan;

    /** Created by the launcher, through its service file. */
    public ClassProgress() {}

    @Override
    public void testPlanExecutionStarted(TestPlan testPlan) {
        plan = testPlan;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (isOutermostClass(test)) {
            began.put(test.getUniqueId(), System.nanoTime());
        }
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        if (isOutermostClass(test)) {
            out.println("  skipped  " + test.getDisplayName() + ": " + reason);
        } else {
            skipped.incrementAndGet();
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        boolean successful = result.getStatus() != TestExecutionResult.Status.FAILED;
        if (test.isTest() || !successful) {
            count(result.getStatus());
        }
        if (isOutermostClass(test)) {
            printLine(test);
        }
    }

    private void count(TestExecutionResult.Status status) {
        switch (status) {
            case SUCCESSFUL -> passed.incrementAndGet();
            case ABORTED -> skipped.incrementAndGet();
            case FAILED -> failed.incrementAndGet();
        }
    }

    private void printLine(TestIdentifier test) {
        double seconds =
                (System.nanoTime() - began.remove(test.getUniqueId())) / NANOSECONDS_PER_SECOND;
        int failures = failed.getAndSet(0);
        out.printf(
                Locale.ROOT,
                "  %s %s: %d passed, %d failed, %d skipped, %.1f s%n",
                failures == 0 ? "ok      " : "FAILED  ",
                test.getDisplayName(),
                passed.getAndSet(0),
                failures,
                skipped.getAndSet(0),
                seconds);
    }

    /** A class whose parent is the engine: nested classes are counted with it. */
    private boolean isOutermostClass(TestIdentifier test) {
        return test.getSource().filter(ClassSource.class::isInstance).isPresent()
                && plan.getParent(test)
                        .filter(parent -> parent.getParentId().isEmpty())
                        .isPresent();
    }
}
