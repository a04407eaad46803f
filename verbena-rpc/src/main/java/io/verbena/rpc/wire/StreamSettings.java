// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.wire;

import java.util.Arrays;

/**
 * The streams that one side of a call offers: brpc's {@code StreamSettings}. Immutable once read.
 */
public final class StreamSettings {
    /** No more streams than this can be opened by one call. */
    public static final int MOST_STREAMS = 1024;

    static final int STREAM_ID = 1;
    static final int NEED_FEEDBACK = 2;
    static final int WRITABLE = 3;
    static final int EXTRA_STREAM_IDS = 4;

    long[] ids = {};
    boolean isFeedbackNeeded;
    boolean isWritable;
    boolean hasFirst;
    private int count;

    StreamSettings() {
        ids = new long[1];
        count = 1;
    }

    /**
     * Settings to be sent.
     *
     * @param ids of its streams, at least one
     * @param isFeedbackNeeded whether it has to hear what was consumed
     * @param isWritable whether it reads what is sent to it
     */
    public StreamSettings(long[] ids, boolean isFeedbackNeeded, boolean isWritable) {
        this.ids = ids.clone();
        this.count = ids.length;
        this.isFeedbackNeeded = isFeedbackNeeded;
        this.isWritable = isWritable;
        this.hasFirst = true;
    }

    void first(long id) {
        ids[0] = id;
        hasFirst = true;
    }

    /** {@return whether there is room for one more} */
    boolean tryAdd(long id) {
        if (count == MOST_STREAMS) {
            return false;
        }
        if (count == ids.length) {
            ids = Arrays.copyOf(ids, count * 2);
        }
        ids[count++] = id;
        return true;
    }

    /** {@return how many streams there are, at least one} */
    public int count() {
        return count;
    }

    /**
     * {@return the id of a stream}
     *
     * @param index from 0 to {@link #count} exclusive
     */
    public long id(int index) {
        return ids[index];
    }

    /** {@return whether its side has to hear what was consumed} */
    public boolean isFeedbackNeeded() {
        return isFeedbackNeeded;
    }

    /** {@return whether its side reads what is sent to it} */
    public boolean isWritable() {
        return isWritable;
    }
}
