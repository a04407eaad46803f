// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.rpc.spi.ServerView;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * A request for a page.
 *
 * @param server the server that it shows
 * @param below the path after the page's name and a slash; may be empty
 * @param target the whole target, with the names and values of its form
 * @param client who sent it
 */
record PageRequest(ServerView server, String below, HttpTarget target, InetSocketAddress client) {
    Optional<String> parameter(String name) {
        return target.parameter(name);
    }

    /** {@return the exception for something that does not exist} */
    static RefusedRequestException notFound(String what) {
        return new RefusedRequestException(HttpStatus.NOT_FOUND, what);
    }
}
