// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.zookeeper;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** The sessions in use, by the registry they belong to. Any thread. */
final class Sessions {
    private static final int CONNECT_MS = 3000;
    private static final int FIRST_PAUSE_MS = 100;
    private static final int MOST_TRIES = 3;

    /** What makes two users share a session. */
    private record Key(String hosts, int timeoutMs) {}

    /** A session, and how many use it. */
    static final class Session {
        private final Key key;
        private final CuratorFramework client;
        private int users;

        private Session(Key key) {
            this.key = key;
            this.client =
                    CuratorFrameworkFactory.builder()
                            .connectString(key.hosts)
                            .sessionTimeoutMs(key.timeoutMs)
                            .connectionTimeoutMs(Math.min(CONNECT_MS, key.timeoutMs))
                            .retryPolicy(new ExponentialBackoffRetry(FIRST_PAUSE_MS, MOST_TRIES))
                            .build();
        }

        CuratorFramework client() {
            return client;
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Key, Session> open = new HashMap<>();

    /** {@return the session with a registry, which goes on connecting by itself} */
    Session acquire(String hosts, int timeoutMs) {
        lock.lock();
        try {
            Session session = open.computeIfAbsent(new Key(hosts, timeoutMs), Session::new);
            if (session.users++ == 0) {
                session.client.start();
            }
            return session;
        } finally {
            lock.unlock();
        }
    }

    int count() {
        lock.lock();
        try {
            return open.size();
        } finally {
            lock.unlock();
        }
    }

    /** The last user closes it. */
    void release(Session session) {
        lock.lock();
        try {
            if (--session.users > 0) {
                return;
            }
            open.remove(session.key);
        } finally {
            lock.unlock();
        }
        session.client.close();
    }
}
