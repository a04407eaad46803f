// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.etcd;

import java.util.Map;

/**
 * Who this process is for etcd.
 *
 * @param name empty if it is nobody: etcd then must not ask
 * @param password its password
 */
record EtcdUser(String name, String password) {
    /** {@return the user that etcdctl would be: {@code name:password}, or both apart} */
    static EtcdUser of(Map<String, String> environment) {
        String[] parts = environment.getOrDefault("ETCDCTL_USER", "").split(":", 2);
        return new EtcdUser(
                parts[0],
                parts.length > 1 ? parts[1] : environment.getOrDefault("ETCDCTL_PASSWORD", ""));
    }

    boolean isNobody() {
        return name.isEmpty();
    }

    /** Without the password, so that it is never logged. */
    @Override
    public String toString() {
        return name;
    }
}
