// SPDX-License-Identifier: Apache-2.0
/** What the clients of registries share. */
module io.verbena.naming {
    requires transitive com.google.gson;
    requires transitive io.verbena.rpc;
    requires transitive java.net.http;
    requires org.slf4j;

    exports io.verbena.naming;
}
