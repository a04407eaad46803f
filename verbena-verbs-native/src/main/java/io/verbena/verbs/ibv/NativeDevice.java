// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.Device;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.util.Optional;

/**
 * A device that libibverbs has listed; {@code ibv_device}. It is looked up again by name when it is
 * opened, because it may be gone by then.
 *
 * @param name as the kernel calls it
 * @param guid the node's identifier
 */
record NativeDevice(String name, long guid) implements Device {
    @Override
    public String provider() {
        return NativeProvider.NAME;
    }

    @Override
    public boolean isHardware() {
        return true;
    }

    @Override
    public DeviceContext open() {
        Optional<DeviceContext> opened =
                DeviceList.forEach(
                        device ->
                                DeviceList.name(device).equals(name)
                                        ? Optional.of(open(device))
                                        : Optional.empty());
        return opened.orElseThrow(
                () -> new VerbsException("ibv_open_device", Errno.ENODEV, name + " is gone"));
    }

    private DeviceContext open(long device) {
        try (NativeCall call = NativeCall.begin()) {
            long context = Ibverbs.ibv_open_device(call, device);
            if (context == 0) {
                throw call.failure("ibv_open_device", name + ": " + advice(call.errno()));
            }
            return adopt(call, context);
        }
    }

    private DeviceContext adopt(NativeCall call, long context) {
        try {
            return new NativeDeviceContext(this, context);
        } catch (Throwable e) { // even for want of memory
            Ibverbs.ibv_close_device(call, context);
            throw e;
        }
    }

    private static String advice(int errno) {
        // libibverbs tries a second way when it has no permission to open the file, and then
        // reports ENOENT
        boolean isDenied =
                errno == Errno.EACCES
                        || errno == Errno.EPERM
                        || errno == Errno.ENOENT && DeviceList.hasCharacterDevices();
        if (isDenied) {
            return "no permission for /dev/infiniband/uverbs*; change its mode or group";
        }
        return errno == Errno.ENOENT
                ? "/dev/infiniband/uverbs* is missing; load ib_uverbs, or start the container"
                        + " with --device=/dev/infiniband"
                : "cannot be opened";
    }
}
