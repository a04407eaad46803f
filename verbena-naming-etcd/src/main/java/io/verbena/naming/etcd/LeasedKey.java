// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.etcd;

import io.verbena.naming.RenewedRegistration;
import java.io.IOException;

/** A key that goes with its lease. For the thread of a registration. */
final class LeasedKey implements RenewedRegistration.Announcement {
    private final Etcd etcd;
    private final String key;
    private final String value;
    private final long leaseSeconds;

    /** 0 before the first. */
    private long lease;

    LeasedKey(Etcd etcd, String key, String value, int leaseMs) {
        this.etcd = etcd;
        this.key = key;
        this.value = value;
        this.leaseSeconds = Math.max(1, leaseMs / 1000);
    }

    /** A key that has another lease leaves it for this one. */
    @Override
    public void announce() throws IOException, InterruptedException {
        lease = etcd.grant(leaseSeconds);
        etcd.put(key, value, lease);
    }

    @Override
    public void renew() throws IOException, InterruptedException {
        if (!etcd.isKeptAlive(lease)) {
            throw new IOException("the lease has ended");
        }
        if (!etcd.has(key)) {
            throw new IOException("the key was deleted: " + key);
        }
    }

    @Override
    public void withdraw() throws IOException, InterruptedException {
        if (lease != 0) {
            etcd.revoke(lease);
        }
    }

    @Override
    public int members() {
        return etcd.members();
    }

    @Override
    public void close() {
        etcd.close();
    }
}
