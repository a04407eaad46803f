// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;

/**
 * A piece of one of the device's shared segments.
 *
 * @param segment the segment's number, by which peers map it
 * @param memory the whole segment
 * @param offset where the piece starts
 */
record SharedBlock(int segment, MemorySegment memory, long offset) {}
