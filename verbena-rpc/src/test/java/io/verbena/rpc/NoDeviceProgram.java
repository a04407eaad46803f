// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/** Opens a node and says what it got; what it warns of goes to the same stream. */
final class NoDeviceProgram {
    private NoDeviceProgram() {}

    public static void main(String[] arguments) {
        System.setErr(System.out);
        try (RpcNode node = RpcNode.open()) {
            System.out.println(
                    "device '"
                            + node.deviceName()
                            + "', RDMA "
                            + node.transport().isRdmaAvailable());
        }
    }
}
