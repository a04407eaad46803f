// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import io.verbena.verbs.spi.VerbsProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** Finds and opens RDMA devices of every provider; {@code ibv_get_device_list}. */
public final class Devices {
    /** The system property that names the device {@link #open()} opens: {@value}. */
    public static final String DEVICE_PROPERTY = "rdma_device";

    private Devices() {}

    /** {@return the devices present now, hardware first} */
    public static List<Device> list() {
        List<Device> devices = new ArrayList<>();
        for (VerbsProvider provider : providers()) {
            devices.addAll(provider.devices());
        }
        devices.sort((a, b) -> Boolean.compare(b.isHardware(), a.isHardware()));
        return List.copyOf(devices);
    }

    /** {@return the providers found on the class or module path} */
    public static List<VerbsProvider> providers() {
        List<VerbsProvider> providers = new ArrayList<>();
        ServiceLoader.load(VerbsProvider.class, Devices.class.getClassLoader())
                .forEach(providers::add);
        return List.copyOf(providers);
    }

    /**
     * {@return the device named by the property {@value #DEVICE_PROPERTY}, else the first hardware
     * device with an active port, else the first software device}
     */
    public static DeviceContext open() {
        String name = System.getProperty(DEVICE_PROPERTY, "");
        if (!name.isEmpty()) {
            return open(name);
        }
        List<Device> devices = list();
        for (Device device : devices) {
            if (device.isHardware()) {
                DeviceContext context = device.open();
                if (context.queryPort(1).state() == PortState.ACTIVE) {
                    return context;
                }
                context.close();
            }
        }
        return devices.stream()
                .filter(device -> !device.isHardware())
                .findFirst()
                .orElseThrow(
                        () ->
                                new VerbsException(
                                        "ibv_open_device",
                                        Errno.ENODEV,
                                        "no RDMA device" + missing()))
                .open();
    }

    /**
     * {@return a device, opened}
     *
     * @param name a name as {@link #list()} gives it
     */
    public static DeviceContext open(String name) {
        List<Device> devices = list();
        for (Device device : devices) {
            if (device.name().equals(name)) {
                return device.open();
            }
        }
        List<String> names = devices.stream().map(Device::name).toList();
        throw new VerbsException(
                "ibv_open_device",
                Errno.ENODEV,
                "device: " + name + " (expected: one of " + names + ")" + missing());
    }

    /**
     * {@return why there are no more devices, to append to a message: the status of each provider
     * that has none, or that there is no provider at all}
     */
    public static String missing() {
        StringBuilder text = new StringBuilder();
        if (providers().isEmpty()) {
            return "; no provider: put verbena-verbs-soft (a software device) or"
                    + " verbena-verbs-native (hardware) on the class path";
        }
        for (VerbsProvider provider : providers()) {
            if (provider.devices().isEmpty()) {
                text.append("; ").append(provider.name()).append(": ").append(provider.status());
            }
        }
        return text.toString();
    }
}
