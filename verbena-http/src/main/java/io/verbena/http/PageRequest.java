// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.rpc.spi.ServerView;
import java.util.Optional;

/**
 * A request for a page.
 *
 * @param server the server that it shows
 * @param below the path after the page's name and a slash; may be empty
 * @param target the whole target
 */
record PageRequest(ServerView server, String below, HttpTarget target) {
    Optional<String> parameter(String name) {
        return target.parameter(name);
    }

    /** {@return the exception for something that does not exist} */
    static RefusedRequestException notFound(String what) {
        return new RefusedRequestException(HttpStatus.NOT_FOUND, what);
    }
}
