// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

/** A page where administrators can change what it shows, by POST. */
interface ChangeablePage extends Page {
    /**
     * {@return what it shows after a change}
     *
     * @param request the request of a client that may change it
     * @throws RefusedRequestException if there is no such thing, or it cannot be changed like that
     */
    PageContent change(PageRequest request) throws RefusedRequestException;
}
