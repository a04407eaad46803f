// SPDX-License-Identifier: Apache-2.0
/**
 * The provider of the system's RDMA devices: libibverbs and librdmacm, bound at run time. It needs
 * {@code --enable-native-access=io.verbena.verbs.ibv}.
 */
module io.verbena.verbs.ibv {
    requires io.verbena.verbs;

    provides io.verbena.verbs.spi.VerbsProvider with
            io.verbena.verbs.ibv.NativeProvider;
}
