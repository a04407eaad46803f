// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

/** A page that tells of the server's state. Any thread may show it; it may block. */
interface Page {
    /** {@return the first part of its path, without a slash} */
    String name();

    /** {@return what it tells, in a few words} */
    String description();

    /**
     * {@return what it shows}
     *
     * @param request what is asked of it
     * @throws RefusedRequestException if there is no such thing
     */
    PageContent show(PageRequest request) throws RefusedRequestException;
}
