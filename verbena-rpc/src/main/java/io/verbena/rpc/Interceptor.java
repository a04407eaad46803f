// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/**
 * Looks at each request before its service is called. Runs where the service runs, so it may block
 * unless the service is {@link NonBlocking}.
 */
@FunctionalInterface
public interface Interceptor {
    /**
     * {@return whether the call goes on} If not, {@link Controller#setFailed(int, String)} says
     * why; without that, the client gets EREJECT.
     *
     * @param controller of the call; the request is not decoded yet
     */
    boolean accept(ServerController controller);
}
