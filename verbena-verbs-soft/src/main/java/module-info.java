// SPDX-License-Identifier: Apache-2.0
/** The software RDMA device: the same verbs with no hardware, inside a process or between two. */
module io.verbena.verbs.soft {
    requires io.verbena.verbs;

    provides io.verbena.verbs.spi.VerbsProvider with
            io.verbena.verbs.soft.SoftProvider;
}
