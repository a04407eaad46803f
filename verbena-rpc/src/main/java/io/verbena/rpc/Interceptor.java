// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/**
 * Inspects each request before its service is called. Runs on the service's thread, so it may block
 * unless the service is {@link NonBlocking}.
 */
@FunctionalInterface
public interface Interceptor {
    /**
     * {@return whether the call goes on} If not, {@link ServerController#setFailed(int, String)}
     * says why; without that, the client gets EREJECT.
     *
     * @param controller the controller of the call; the request is not decoded yet
     */
    boolean accept(ServerController controller);
}
