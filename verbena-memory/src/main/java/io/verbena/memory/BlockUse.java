// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

/** What a block is for. Decides whether it may come from the reserve. */
public enum BlockUse {
    /** To build something to send, or for anything else. Never takes from the reserve. */
    SEND,
    /** To post as a receive. Takes from the reserve when everything else is gone. */
    RECEIVE
}
