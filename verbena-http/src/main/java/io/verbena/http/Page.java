// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

/** A page that shows the server's state. Any thread may show it; it may block. */
interface Page {
    /** {@return the first part of its path, without a slash} */
    String name();

    /** {@return a short description of its content} */
    String description();

    /** {@return whether it asks for no credentials even if other pages do} */
    default boolean isPublic() {
        return false;
    }

    /**
     * {@return what it shows}
     *
     * @param request the request
     * @throws RefusedRequestException if what is asked for does not exist
     */
    PageContent show(PageRequest request) throws RefusedRequestException;
}
