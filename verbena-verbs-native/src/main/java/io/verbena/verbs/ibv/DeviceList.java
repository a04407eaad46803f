// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.Device;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * The devices that libibverbs sees at one moment; {@code ibv_get_device_list}.
 *
 * @param devices those found
 * @param problem why there are none, if so
 */
record DeviceList(List<Device> devices, Optional<String> problem) {
    private static final Path CHARACTER_DEVICES = Path.of("/dev/infiniband");
    private static final Path KERNEL_DEVICES = Path.of("/sys/class/infiniband");
    private static final long NAME_LIMIT = 256;

    /** {@return the devices present now; never throws} */
    static DeviceList now() {
        Optional<String> absent = Ibverbs.problem();
        if (absent.isPresent()) {
            return none(absent.get());
        }
        try {
            List<Device> found = new ArrayList<>();
            forEach(
                    device -> {
                        found.add(new NativeDevice(name(device), guid(device)));
                        return Optional.empty();
                    });
            return found.isEmpty()
                    ? none(whyEmpty())
                    : new DeviceList(List.copyOf(found), Optional.empty());
        } catch (VerbsException e) {
            return none(e.getMessage());
        }
    }

    private static DeviceList none(String problem) {
        return new DeviceList(List.of(), Optional.of(problem));
    }

    private static String whyEmpty() {
        if (!Files.isDirectory(KERNEL_DEVICES)) {
            return "the kernel has no RDMA device; load its driver (modprobe mlx5_ib, or modprobe"
                    + " rdma_rxe and rdma link add rxe0 type rxe netdev eth0)";
        }
        if (!Files.isDirectory(CHARACTER_DEVICES)) {
            return "/dev/infiniband is missing; load ib_uverbs, or start the container with"
                    + " --device=/dev/infiniband";
        }
        return "libibverbs has no driver for the kernel's devices; on Debian: apt install"
                + " ibverbs-providers";
    }

    /** {@return whether there is a file through which a device could be opened} */
    static boolean hasCharacterDevices() {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(CHARACTER_DEVICES, "uverbs*")) {
            return files.iterator().hasNext();
        } catch (IOException _) {
            // no directory, or an unreadable one, which is as good as none
            return false;
        }
    }

    String status() {
        return problem.orElseGet(
                () -> devices.size() + (devices.size() == 1 ? " device" : " devices"));
    }

    /**
     * {@return the first result of a function that takes a device's address}
     *
     * @param visit called while the address is valid
     */
    static <T> Optional<T> forEach(LongFunction<Optional<T>> visit) {
        try (NativeCall call = NativeCall.begin()) {
            MemorySegment count = call.allocateWord();
            long list = Ibverbs.ibv_get_device_list(call, count.address());
            if (list == 0 && call.errno() == LinuxLayout.ENOSYS.value()) {
                // A kernel without RDMA has no devices.
                return Optional.empty();
            }
            if (list == 0) {
                throw call.failure("ibv_get_device_list", why(call.errno()));
            }
            try {
                return firstAnswer(list, count.get(ValueLayout.JAVA_INT, 0), visit);
            } finally {
                Ibverbs.ibv_free_device_list(list);
            }
        }
    }

    private static String why(int errno) {
        return errno == Errno.EPERM || errno == Errno.EACCES
                ? "no permission to list the devices; run as a user who has it"
                : "the devices cannot be listed";
    }

    private static <T> Optional<T> firstAnswer(
            long list, int count, LongFunction<Optional<T>> visit) {
        MemorySegment pointers = CStruct.memory(list, (long) count * Long.BYTES);
        for (int i = 0; i < count; i++) {
            Optional<T> answer = visit.apply(pointers.getAtIndex(ValueLayout.JAVA_LONG, i));
            if (answer.isPresent()) {
                return answer;
            }
        }
        return Optional.empty();
    }

    static String name(long device) {
        return CStruct.memory(Ibverbs.ibv_get_device_name(device), NAME_LIMIT).getString(0);
    }

    private static long guid(long device) {
        return Long.reverseBytes(Ibverbs.ibv_get_device_guid(device));
    }
}
