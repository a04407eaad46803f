// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.naming;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import javax.naming.CommunicationException;
import javax.naming.Context;
import javax.naming.NameNotFoundException;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.directory.DirContext;
import javax.naming.directory.InitialDirContext;

/**
 * Name servers, asked directly: the JVM keeps none of their answers. May block.
 *
 * @param url {@code dns://host:port}, or {@code dns:} for those of the system
 */
record NameServers(String url) {
    static final NameServers SYSTEM = new NameServers("dns:");

    /**
     * {@return a certain name server}
     *
     * @param address {@code host:port}, or only the host
     * @throws IllegalArgumentException if it is malformed
     */
    static NameServers at(String address) {
        String url = "dns://" + address;
        if (URI.create(url).getHost() == null) {
            throw new IllegalArgumentException(
                    "name server: " + address + " (expected: host:port)");
        }
        return new NameServers(url);
    }

    /** {@return the records of a name as text; empty if it has none of that type} */
    // JNDI's interface; its provider for DNS only reads records, and deserializes nothing
    @SuppressWarnings({"BanJNDI", "JdkObsolete"})
    List<String> records(String name, String type) throws NamingException {
        Hashtable<String, String> settings = new Hashtable<>();
        settings.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.dns.DnsContextFactory");
        settings.put(Context.PROVIDER_URL, url);
        settings.put("com.sun.jndi.dns.timeout.initial", "500");
        settings.put("com.sun.jndi.dns.timeout.retries", "3");
        DirContext context = new InitialDirContext(settings);
        try {
            return texts(context.getAttributes(name, new String[] {type}).get(type));
        } finally {
            context.close();
        }
    }

    private static List<String> texts(Attribute records) throws NamingException {
        List<String> found = new ArrayList<>();
        if (records != null) {
            NamingEnumeration<?> each = records.getAll();
            while (each.hasMore()) {
                found.add(each.next().toString());
            }
        }
        return found;
    }

    /**
     * {@return the addresses of a host, IPv4 and IPv6}
     *
     * @throws UnknownHostException if there is none, or they failed to find out
     * @throws CommunicationException if they do not answer; not if they have named some already
     */
    InetAddress[] addressesOf(String host) throws UnknownHostException, CommunicationException {
        List<InetAddress> found = new ArrayList<>();
        NamingException failure = null;
        for (String type : List.of("A", "AAAA")) {
            try {
                for (String address : records(host, type)) {
                    found.add(InetAddress.ofLiteral(address));
                }
            } catch (NameNotFoundException e) {
                // as if it had no record of that type
            } catch (CommunicationException e) {
                if (found.isEmpty()) {
                    throw e;
                }
            } catch (NamingException e) {
                // some servers fail for types that they do not know
                failure = e;
            }
        }
        if (found.isEmpty()) {
            throw unknown(host, failure);
        }
        return found.toArray(InetAddress[]::new);
    }

    private UnknownHostException unknown(String host, Throwable cause) {
        UnknownHostException unknown = new UnknownHostException(host + ": unknown to " + url);
        unknown.initCause(cause);
        return unknown;
    }
}
