// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

/** What a client wants to do with a page. */
public enum PageRight {
    /** To ask whether the server is up; anyone may. */
    PROBE,
    /** To see it. */
    VIEW,
    /** To change what it shows, such as a flag. */
    CHANGE
}
