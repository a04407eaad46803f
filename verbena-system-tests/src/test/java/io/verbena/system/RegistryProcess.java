// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

/** A registry in a process of its own, which can be killed and started again with its data. */
interface RegistryProcess extends AutoCloseable {
    /** {@return the address of a name in it; valid before it is started} */
    String url(String name);

    /** Starts it, and waits until it answers. */
    void start() throws InterruptedException;

    /** Kills it immediately, and waits until it is gone. */
    void kill() throws InterruptedException;

    long pid();

    @Override
    void close();
}
