// SPDX-License-Identifier: Apache-2.0
/**
 * Servers found and announced through Consul, enabled by having this module on the path. Exports
 * nothing.
 */
module io.verbena.naming.consul {
    requires com.google.gson;
    requires io.verbena.naming;

    provides io.verbena.rpc.spi.NamingService with
            io.verbena.naming.consul.ConsulNaming;
}
