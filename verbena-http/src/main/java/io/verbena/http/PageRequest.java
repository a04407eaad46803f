// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.rpc.spi.ServerView;
import java.util.Optional;

/**
 * What is asked of a page.
 *
 * @param server which it tells of
 * @param below the path behind the page's name and a slash; may be empty
 * @param target all of what is asked
 */
record PageRequest(ServerView server, String below, HttpTarget target) {
    Optional<String> parameter(String name) {
        return target.parameter(name);
    }

    /** {@return the refusal of something that does not exist} */
    static RefusedRequestException notFound(String what) {
        return new RefusedRequestException(HttpStatus.NOT_FOUND, what);
    }
}
