// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming;

import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.PollingWatch;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A registration that lasts only for as long as it is renewed: a daemon thread announces the
 * server, renews that again and again, and announces it anew if that fails.
 */
public final class RenewedRegistration implements NamingService.Registration {
    private static final Logger LOG = LoggerFactory.getLogger(RenewedRegistration.class);

    /** How long {@link #close} waits. */
    private static final Duration LAST_WAIT = Duration.ofSeconds(5);

    /** How long a member that cannot be told is told again; each is asked once in any case. */
    private static final Duration LAST_TRIES = Duration.ofSeconds(2);

    private static final int NOT_FOUND = 404;

    /** What the registry is told; by one thread at a time. An interrupt means: give up. */
    public interface Announcement {
        /**
         * Lists the server, whether it is already listed or not.
         *
         * @throws Exception if that failed; it is tried again later
         */
        void announce() throws Exception;

        /**
         * Says that the server is still there.
         *
         * @throws Exception if that failed, or the registry does not know the server; then it is
         *     announced again
         */
        void renew() throws Exception;

        /**
         * Takes the server out, if it is listed.
         *
         * @throws Exception if that failed; it is tried again for a while, on each member at least
         *     once
         */
        void withdraw() throws Exception;

        /**
         * {@return how many members the registry has: after a failure, the next try is for another
         * one}
         */
        default int members() {
            return 1;
        }

        /** Closes what it used; called last. */
        void close();
    }

    private final String name;
    private final Announcement announcement;
    private final long intervalNs;
    private final Thread thread;
    private final CountDownLatch first = new CountDownLatch(1);

    private volatile boolean isListed;
    private volatile boolean isClosed;

    private RenewedRegistration(String name, Duration interval, Announcement announcement) {
        this.name = name;
        this.announcement = announcement;
        this.intervalNs = interval.toNanos();
        this.thread =
                Thread.ofPlatform().daemon().name("verbena-announce-" + name).unstarted(this::run);
    }

    /**
     * {@return a registration that has been tried once, if that took no longer than {@link
     * PollingWatch#FIRST_WAIT}} An interrupt ends that wait, and stays pending.
     *
     * @param name appears in the log and in the thread's name
     * @param interval the pause before each renewal
     * @param announcement tells the registry
     */
    public static RenewedRegistration start(
            String name, Duration interval, Announcement announcement) {
        RenewedRegistration registration = new RenewedRegistration(name, interval, announcement);
        registration.thread.start();
        try {
            boolean _ =
                    registration.first.await(
                            PollingWatch.FIRST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return registration;
    }

    private void run() {
        int failures = 0;
        while (!isClosed) {
            failures = isTold(failures) ? 0 : failures + 1;
            first.countDown();
            if (!isClosed) {
                LockSupport.parkNanos(
                        this,
                        failures == 0
                                ? intervalNs
                                : TimeUnit.MILLISECONDS.toNanos(PollingWatch.pauseMs(failures)));
                boolean _ = Thread.interrupted();
            }
        }
        leave();
    }

    private boolean isTold(int failures) {
        try {
            if (isListed) {
                announcement.renew();
            } else {
                announcement.announce();
                isListed = true;
            }
            if (failures > 0) {
                LOG.info("{}: the server is announced again", name);
            }
            return true;
        } catch (Throwable e) {
            isListed = false;
            if (failures == 0 && !isClosed) {
                LOG.warn("{}: cannot announce the server, trying again: {}", name, e.toString());
            }
            return false;
        }
    }

    /**
     * One member may be down, a connection cut that was kept, and the interrupt of {@link #close}
     * may come as late as the first try: none of that leaves the server listed.
     */
    private void leave() {
        try {
            int members = announcement.members();
            long beganNs = System.nanoTime();
            Optional<Throwable> fault = withdrawn();
            for (int tries = 1;
                    fault.isPresent() && (tries <= members || isEarly(beganNs));
                    tries++) {
                if (tries > members) {
                    LockSupport.parkNanos(
                            this,
                            TimeUnit.MILLISECONDS.toNanos(PollingWatch.pauseMs(tries - members)));
                }
                fault = withdrawn();
            }
            fault.ifPresent(
                    e ->
                            LOG.warn(
                                    "{}: the registry will drop the server by itself: {}",
                                    name,
                                    e.toString()));
        } finally {
            isListed = false;
            announcement.close();
        }
    }

    private static boolean isEarly(long beganNs) {
        return System.nanoTime() - beganNs < LAST_TRIES.toNanos();
    }

    /** {@return why the server may still be listed} */
    private Optional<Throwable> withdrawn() {
        // the interrupt that ended the loop is not meant for this
        boolean _ = Thread.interrupted();
        try {
            announcement.withdraw();
            return Optional.empty();
        } catch (RestClient.StatusException e) {
            return e.status() == NOT_FOUND ? Optional.empty() : Optional.of(e);
        } catch (Throwable e) {
            return Optional.of(e);
        }
    }

    @Override
    public boolean isListed() {
        return isListed && !isClosed;
    }

    /** Withdraws even if the last attempt to announce failed: the registry may have heard it. */
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            thread.interrupt();
        }
        try {
            boolean _ = thread.join(LAST_WAIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
