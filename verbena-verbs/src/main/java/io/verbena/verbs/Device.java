// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

/** An RDMA device that is present; {@code ibv_device}. */
public interface Device {
    /** {@return the device's name, such as {@code rxe0} or {@code soft0}} */
    String name();

    /** {@return the name of the provider it belongs to} */
    String provider();

    /**
     * {@return whether it is a hardware or kernel device rather than this library's software
     * device}
     */
    boolean isHardware();

    /** {@return the node's globally unique identifier} */
    long guid();

    /** {@return the device, opened} */
    DeviceContext open();
}
