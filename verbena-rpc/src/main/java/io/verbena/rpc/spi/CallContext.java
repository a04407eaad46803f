// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import com.google.protobuf.Descriptors.MethodDescriptor;

/**
 * A try of a call that needs a server, and the servers it can have. Valid only during {@link
 * LoadBalancer.Picker#select}: the object serves the next call afterwards.
 */
public interface CallContext {
    /** {@return how many servers there are: as many as the picker was made for} */
    int size();

    /**
     * {@return whether the try may go to a server: it can be reached, is not isolated, and was not
     * tried by this call, unless all were}
     *
     * @param index its place in the picker's list
     */
    boolean isAvailable(int index);

    /** {@return whether the caller has set a request code} */
    boolean hasRequestCode();

    /** {@return the caller's request code: equal codes go to the same server; 0 if not set} */
    long requestCode();

    /** {@return the method that is called} */
    MethodDescriptor method();

    /** {@return how many tries of the call came before this one} */
    int tries();
}
