// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/**
 * A service that a {@link Server} can run. The interfaces that {@code verbena-protoc} generates
 * extend it and supply the definition; a program implements those.
 */
@FunctionalInterface
public interface RpcService {
    /** {@return its methods, and the code that runs them} */
    ServiceDefinition definition();
}
