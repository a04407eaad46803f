// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.net.InetSocketAddress;

/**
 * Proves who a client is. The same object may serve both sides. Any thread may call it, and it must
 * not block: the server asks it on the thread that received the request.
 */
public interface Authenticator {
    /** {@return what a client sends to prove itself, once per connection} */
    byte[] generateCredential();

    /**
     * Looks at what a client has sent.
     *
     * @param credential what it sent; empty if nothing
     * @param client where it comes from
     * @return an empty text if it is accepted, or why not
     */
    String verifyCredential(byte[] credential, InetSocketAddress client);
}
