// SPDX-License-Identifier: Apache-2.0
/**
 * Who polls completion queues, and when: a thread that sleeps when nothing comes, and in its place
 * any thread that waits for a result.
 */
module io.verbena.completion {
    requires transitive io.verbena.verbs;
    requires org.slf4j;

    exports io.verbena.completion;
}
