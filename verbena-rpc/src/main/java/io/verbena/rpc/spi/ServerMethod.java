// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import com.google.protobuf.Descriptors.MethodDescriptor;

/** A method that a server offers. {@code toString} is its full name. */
public interface ServerMethod {
    /** {@return its descriptor} */
    MethodDescriptor descriptor();

    /** {@return its statistics} */
    MethodStatus status();
}
