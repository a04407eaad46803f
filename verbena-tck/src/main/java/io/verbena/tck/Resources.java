// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import java.util.ArrayDeque;
import java.util.Deque;

/** Closes everything that was added, newest first, even if some closes fail. */
final class Resources implements AutoCloseable {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    <T extends AutoCloseable> T add(T resource) {
        open.push(resource);
        return resource;
    }

    @Override
    public void close() {
        AssertionError failure = null;
        while (!open.isEmpty()) {
            AutoCloseable resource = open.pop();
            try {
                resource.close();
            } catch (Exception e) {
                AssertionError error =
                        new AssertionError("close of " + resource + " failed: " + e, e);
                if (failure == null) {
                    failure = error;
                } else {
                    failure.addSuppressed(error);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
