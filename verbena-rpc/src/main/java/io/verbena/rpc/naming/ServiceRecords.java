// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.naming;

import java.util.ArrayList;
import java.util.List;
import javax.naming.NamingException;

/** Finds the SRV records of a name. May block. */
@FunctionalInterface
interface ServiceRecords {
    /** The system's name servers. */
    ServiceRecords SYSTEM = at(NameServers.SYSTEM);

    /**
     * A record.
     *
     * @param priority those with the lowest number are used first
     * @param weight the share among those of the same priority
     * @param port where the server listens
     * @param host where the server runs
     */
    record Service(int priority, int weight, int port, String host) {
        /** {@return a record} */
        static Service parse(String text) throws NamingException {
            String[] parts = text.strip().split("\\s+", -1);
            try {
                String host = parts[3];
                return new Service(
                        Integer.parseInt(parts[0]),
                        Integer.parseInt(parts[1]),
                        Integer.parseInt(parts[2]),
                        host.endsWith(".") ? host.substring(0, host.length() - 1) : host);
            } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
                NamingException malformed = new NamingException("SRV record: " + text);
                malformed.initCause(e);
                throw malformed;
            }
        }
    }

    /** {@return the records of a name} */
    List<Service> of(String name) throws NamingException;

    /** {@return what certain name servers say} */
    static ServiceRecords at(NameServers servers) {
        return name -> {
            List<Service> found = new ArrayList<>();
            for (String record : servers.records(name, "SRV")) {
                found.add(Service.parse(record));
            }
            return found;
        };
    }
}
