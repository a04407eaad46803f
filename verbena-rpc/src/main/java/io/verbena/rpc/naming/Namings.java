// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.naming;

import io.verbena.rpc.spi.HostLookup;
import io.verbena.rpc.spi.NamingService;
import java.util.List;

/** All naming services of this package. */
public final class Namings {
    private Namings() {}

    /** {@return new ones, for one node} */
    public static List<NamingService> all() {
        return List.of(
                new ListNaming("list", HostLookup.SYSTEM),
                new ListNaming("dlist", HostLookup.SYSTEM),
                new FileNaming(HostLookup.SYSTEM),
                new DnsNaming(HostLookup.SYSTEM, ServiceRecords.SYSTEM),
                new HttpNaming("http", HostLookup.SYSTEM),
                new HttpNaming("https", HostLookup.SYSTEM));
    }
}
