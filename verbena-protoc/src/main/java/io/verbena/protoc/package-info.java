// SPDX-License-Identifier: Apache-2.0
/**
 * A protoc plugin: for each service in a {@code .proto} file it writes an interface to implement
 * and a client to call it with.
 *
 * <p>protoc starts {@link io.verbena.protoc.ProtocPlugin}, passes a request on its standard input,
 * and reads the sources from its standard output.
 */
package io.verbena.protoc;
