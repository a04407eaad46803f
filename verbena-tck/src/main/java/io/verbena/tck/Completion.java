// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;

/**
 * A copy of a work completion, with assertions that print all of it.
 *
 * @param id the number given in the work request
 * @param status how it ended
 * @param opcode what kind of request it was; undefined on a failure
 * @param length bytes received or read; undefined on a failure
 * @param flags the flags; undefined on a failure
 * @param immediate the immediate data, if the flags say so
 * @param queuePairNumber the local queue pair
 */
public record Completion(
        long id,
        WorkCompletionStatus status,
        WorkCompletionOpcode opcode,
        int length,
        int flags,
        int immediate,
        int queuePairNumber) {
    /**
     * {@return a copy of the completion at a cursor}
     *
     * @param cursor the cursor
     */
    public static Completion of(WorkCompletion cursor) {
        return new Completion(
                cursor.id(),
                cursor.status(),
                cursor.opcode(),
                cursor.length(),
                cursor.flags(),
                cursor.immediate(),
                cursor.queuePairNumber());
    }

    /** {@return whether there is immediate data} */
    public boolean hasImmediate() {
        return (flags & WorkCompletion.WITH_IMMEDIATE) != 0;
    }

    /**
     * Asserts that a request of a given kind succeeded.
     *
     * @param expected the opcode
     * @return this
     */
    public Completion assertSuccess(WorkCompletionOpcode expected) {
        assertStatus(WorkCompletionStatus.SUCCESS);
        assertThat(opcode).as("opcode of %s", this).isEqualTo(expected);
        return this;
    }

    /**
     * Asserts how the request ended.
     *
     * @param expected the status
     * @return this
     */
    public Completion assertStatus(WorkCompletionStatus expected) {
        assertThat(status).as("status of %s", this).isEqualTo(expected);
        return this;
    }

    /**
     * Asserts which request this is.
     *
     * @param expected the number given in it
     * @return this
     */
    public Completion assertId(long expected) {
        assertThat(id).as("id of %s", this).isEqualTo(expected);
        return this;
    }

    /**
     * Asserts how many bytes were received or read.
     *
     * @param expected how many
     * @return this
     */
    public Completion assertLength(int expected) {
        assertThat(length).as("length of %s", this).isEqualTo(expected);
        return this;
    }

    /**
     * Asserts that there is immediate data.
     *
     * @param expected its value
     * @return this
     */
    public Completion assertImmediate(int expected) {
        assertThat(hasImmediate()).as("immediate flag of %s", this).isTrue();
        assertThat(immediate).as("immediate data of %s", this).isEqualTo(expected);
        return this;
    }

    /**
     * Asserts that there is no immediate data.
     *
     * @return this
     */
    public Completion assertNoImmediate() {
        assertThat(hasImmediate()).as("immediate flag of %s", this).isFalse();
        return this;
    }
}
