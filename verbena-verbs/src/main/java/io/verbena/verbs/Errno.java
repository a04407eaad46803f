// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.util.Map;

/** The error numbers verbs use, with their names. */
public final class Errno {
    /** Operation not permitted. */
    public static final int EPERM = 1;

    /** No such file or directory. */
    public static final int ENOENT = 2;

    /** Input/output error. */
    public static final int EIO = 5;

    /** Resource temporarily unavailable. */
    public static final int EAGAIN = 11;

    /** Out of memory, or a queue is full. */
    public static final int ENOMEM = 12;

    /** Permission denied. */
    public static final int EACCES = 13;

    /** Bad address. */
    public static final int EFAULT = 14;

    /** Device or resource busy. */
    public static final int EBUSY = 16;

    /** No such device. */
    public static final int ENODEV = 19;

    /** Invalid argument. */
    public static final int EINVAL = 22;

    /** No space left on device. */
    public static final int ENOSPC = 28;

    /** Result, or address, out of range. */
    public static final int ERANGE = 34;

    /** Operation not supported. */
    public static final int EOPNOTSUPP = 95;

    /** Address already in use. */
    public static final int EADDRINUSE = 98;

    /** Cannot assign requested address. */
    public static final int EADDRNOTAVAIL = 99;

    /** Network is down. */
    public static final int ENETDOWN = 100;

    /** Network is unreachable. */
    public static final int ENETUNREACH = 101;

    /** Connection reset by peer. */
    public static final int ECONNRESET = 104;

    /** Transport endpoint is already connected. */
    public static final int EISCONN = 106;

    /** Transport endpoint is not connected. */
    public static final int ENOTCONN = 107;

    /** Connection timed out. */
    public static final int ETIMEDOUT = 110;

    /** Connection refused. */
    public static final int ECONNREFUSED = 111;

    /** No route to host. */
    public static final int EHOSTUNREACH = 113;

    private static final Map<Integer, String> NAMES =
            Map.ofEntries(
                    Map.entry(EPERM, "EPERM"),
                    Map.entry(ENOENT, "ENOENT"),
                    Map.entry(EIO, "EIO"),
                    Map.entry(EAGAIN, "EAGAIN"),
                    Map.entry(ENOMEM, "ENOMEM"),
                    Map.entry(EACCES, "EACCES"),
                    Map.entry(EFAULT, "EFAULT"),
                    Map.entry(EBUSY, "EBUSY"),
                    Map.entry(ENODEV, "ENODEV"),
                    Map.entry(EINVAL, "EINVAL"),
                    Map.entry(ENOSPC, "ENOSPC"),
                    Map.entry(ERANGE, "ERANGE"),
                    Map.entry(EOPNOTSUPP, "EOPNOTSUPP"),
                    Map.entry(EADDRINUSE, "EADDRINUSE"),
                    Map.entry(EADDRNOTAVAIL, "EADDRNOTAVAIL"),
                    Map.entry(ENETDOWN, "ENETDOWN"),
                    Map.entry(ENETUNREACH, "ENETUNREACH"),
                    Map.entry(ECONNRESET, "ECONNRESET"),
                    Map.entry(EISCONN, "EISCONN"),
                    Map.entry(ENOTCONN, "ENOTCONN"),
                    Map.entry(ETIMEDOUT, "ETIMEDOUT"),
                    Map.entry(ECONNREFUSED, "ECONNREFUSED"),
                    Map.entry(EHOSTUNREACH, "EHOSTUNREACH"));

    private Errno() {}

    /**
     * {@return the name of an error number, or the number itself}
     *
     * @param errno a positive error number
     */
    public static String name(int errno) {
        return NAMES.getOrDefault(errno, Integer.toString(errno));
    }
}
