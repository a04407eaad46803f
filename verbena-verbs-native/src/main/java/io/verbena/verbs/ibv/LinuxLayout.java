// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

/** Structures and constants of the C library, compared with the headers by a test. */
final class LinuxLayout {
    /** Packed on x86-64 only, as in the kernel. */
    private static final boolean PACKED = System.getProperty("os.arch", "").equals("amd64");

    static final CStruct EPOLL_EVENT = new CStruct("struct epoll_event", PACKED ? 12 : 16);
    static final CField EPOLL_EVENTS = EPOLL_EVENT.field("events", 0, 4);
    static final CField EPOLL_DATA = EPOLL_EVENT.field("data", PACKED ? 4 : 8, 8);

    static final CStruct RLIMIT = new CStruct("struct rlimit", 16);
    static final CField RLIMIT_CURRENT = RLIMIT.field("rlim_cur", 0, 8);
    static final CField RLIMIT_MAXIMUM = RLIMIT.field("rlim_max", 8, 8);

    static final CConstant EPOLLIN = new CConstant("EPOLLIN", 1);
    static final CConstant EPOLLONESHOT = new CConstant("EPOLLONESHOT", 1 << 30);
    static final CConstant EPOLL_CLOEXEC = new CConstant("EPOLL_CLOEXEC", 0x80000);
    static final CConstant EPOLL_CTL_ADD = new CConstant("EPOLL_CTL_ADD", 1);
    static final CConstant EPOLL_CTL_DEL = new CConstant("EPOLL_CTL_DEL", 2);
    static final CConstant EPOLL_CTL_MOD = new CConstant("EPOLL_CTL_MOD", 3);
    static final CConstant EFD_CLOEXEC = new CConstant("EFD_CLOEXEC", 0x80000);
    static final CConstant F_GETFL = new CConstant("F_GETFL", 3);
    static final CConstant F_SETFL = new CConstant("F_SETFL", 4);
    static final CConstant O_NONBLOCK = new CConstant("O_NONBLOCK", 0x800);
    static final CConstant RLIMIT_MEMLOCK = new CConstant("RLIMIT_MEMLOCK", 8);
    static final CConstant EINTR = new CConstant("EINTR", 4);
    static final CConstant ENOSYS = new CConstant("ENOSYS", 38);

    private LinuxLayout() {}
}
