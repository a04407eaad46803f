// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.naming;

import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import javax.naming.Context;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.directory.DirContext;
import javax.naming.directory.InitialDirContext;

/** Finds the SRV records of a name. May block. */
@FunctionalInterface
interface ServiceRecords {
    /** The system's name servers. */
    ServiceRecords SYSTEM = at("dns:");

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
    // JNDI's interface; its provider for DNS only reads records, and deserializes nothing
    @SuppressWarnings({"BanJNDI", "JdkObsolete"})
    static ServiceRecords at(String url) {
        return name -> {
            Hashtable<String, String> settings = new Hashtable<>();
            settings.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.dns.DnsContextFactory");
            settings.put(Context.PROVIDER_URL, url);
            settings.put("com.sun.jndi.dns.timeout.initial", "500");
            settings.put("com.sun.jndi.dns.timeout.retries", "3");
            DirContext context = new InitialDirContext(settings);
            try {
                return read(context.getAttributes(name, new String[] {"SRV"}).get("SRV"));
            } finally {
                context.close();
            }
        };
    }

    private static List<Service> read(Attribute records) throws NamingException {
        List<Service> found = new ArrayList<>();
        if (records != null) {
            NamingEnumeration<?> each = records.getAll();
            while (each.hasMore()) {
                found.add(Service.parse(each.next().toString()));
            }
        }
        return found;
    }
}
