# SPDX-License-Identifier: Apache-2.0
#
# What the lab keeps between runs: Debian's kernel, the guest's initial file system, and which accelerator works.
#
#   linux-image-VERSION_....deb        the kernel's package, unpacked but never installed
#   guest-VERSION-CHECKSUM/kernel      the kernel
#   guest-VERSION-CHECKSUM/initramfs   busybox, modules, guest/init; the checksum is over what they are made from
#   accelerator-VERSION-on-HOST        "kvm" or "tcg", tried once with this kernel on the host's
#   tsc-BOOT                           the frequency of the time stamp counter in kHz, measured since the machine started

lab_cache=${VERBENA_LAB_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/verbena/lab}

# Succeeds where the lab can run; otherwise sets $lab_obstacle.
lab_possible() {
    lab_obstacle=
    case $(uname -s)-$(uname -m) in
        Linux-x86_64) ;;
        *) lab_obstacle="the lab needs Linux on x86-64, and this is $(uname -s) on $(uname -m)" ;;
    esac
    [ -z "$lab_obstacle" ]
}

# Sets $lab_guest to a folder with a kernel and an initramfs, created if needed. Prints a message if it fails.
lab_prepare() {
    lab_possible || { say "$lab_obstacle"; return 1; }
    install_packages || { lab_obstacle="packages are missing: $missing"; return 1; }
    mkdir -p "$lab_cache" || return 1
    lab_checksum=$(cat "$root/scripts/lab/guest/init" "$root/scripts/lab/modules" "$root/scripts/lab/cache.sh" |
        cksum | cut -d ' ' -f 1)
    lab_find_guest && return
    # one at a time: other processes may start their first guest, too
    exec 8>"$lab_cache/lock"
    flock 8
    lab_find_guest || lab_make_guest || return 1
    exec 8>&-
}

lab_find_guest() {
    lab_guest=
    for candidate in "$lab_cache"/guest-*-"$lab_checksum"; do
        [ -d "$candidate" ] && lab_guest=$candidate
    done
    [ -n "$lab_guest" ]
}

lab_make_guest() {
    lab_find_kernel || return 1
    say "making the lab's guest in $lab_cache ..."
    lab_work=$(mktemp -d "$lab_cache/work.XXXXXX") || return 1
    if lab_unpack_kernel && lab_pack_initramfs && lab_publish_guest; then
        rm -rf "$lab_work"
        return 0
    fi
    rm -rf "$lab_work"
    lab_obstacle="the guest could not be made from $lab_deb"
    say "$lab_obstacle"
    return 1
}

# Sets $lab_deb to the kernel's package, downloaded if there is none.
lab_find_kernel() {
    lab_deb=
    for candidate in "$lab_cache"/linux-image-*.deb; do
        [ -f "$candidate" ] && lab_deb=$candidate
    done
    [ -z "$lab_deb" ] || return 0
    if ! command -v apt-get >/dev/null 2>&1; then
        lab_obstacle="no apt-get to fetch Debian's kernel: put a linux-image-VERSION-amd64_....deb of Debian 12 into $lab_cache"
        say "$lab_obstacle"
        return 1
    fi
    lab_package=$(lab_kernel_package)
    if [ -z "$lab_package" ] && [ "$(id -u)" = 0 ]; then
        apt-get -qq update >/dev/null 2>&1 || true
        lab_package=$(lab_kernel_package)
    fi
    say "downloading ${lab_package:-linux-image-amd64} (about 70 MB; unpacked, not installed) ..."
    lab_download || {
        lab_obstacle="cannot download Debian's kernel: see $lab_cache/apt.log, or put a linux-image-VERSION-amd64_....deb into $lab_cache"
        say "$lab_obstacle"
        return 1
    }
}

# The package that linux-image-amd64 currently stands for.
lab_kernel_package() {
    apt-cache depends linux-image-amd64 2>/dev/null |
        sed -n 's/^ *Depends: \(linux-image-[0-9].*-amd64\)$/\1/p' | head -n 1
}

# The package lists may be older than the archive: if the download fails, they are updated.
lab_download() {
    lab_downloads=$(mktemp -d "$lab_cache/download.XXXXXX") || return 1
    (cd "$lab_downloads" && {
        apt-get -qq download "$lab_package" || {
            apt-get -qq update && apt-get -qq download "$(lab_kernel_package)"
        }
    }) >"$lab_cache/apt.log" 2>&1 && mv "$lab_downloads"/linux-image-*.deb "$lab_cache/"
    lab_status=$?
    rm -rf "$lab_downloads"
    [ $lab_status -eq 0 ] || return 1
    for candidate in "$lab_cache"/linux-image-*.deb; do
        lab_deb=$candidate
    done
}

# The kernel goes to $lab_work/guest, its modules stay in $lab_work/unpacked.
lab_unpack_kernel() {
    dpkg-deb -x "$lab_deb" "$lab_work/unpacked" || return 1
    for candidate in "$lab_work"/unpacked/lib/modules/*; do
        lab_version=${candidate##*/}
    done
    mkdir "$lab_work/guest"
    lab_image=$lab_work/unpacked/boot/vmlinuz-$lab_version
    # In an emulated guest, unpacking the kernel takes longer than the whole boot that follows, so it is done here.
    # shellcheck disable=SC2013 # numbers, no lines
    for offset in $(grep -abo "$(printf '\3757zXZ')" "$lab_image" | cut -d : -f 1); do
        # xz complains about what follows the compressed part
        tail -c "+$((offset + 1))" "$lab_image" | xz -dc >"$lab_work/guest/kernel" 2>/dev/null || true
        [ "$(head -c 4 "$lab_work/guest/kernel" | tail -c 3)" != ELF ] || return 0
    done
    cp "$lab_image" "$lab_work/guest/kernel"
}

lab_pack_initramfs() {
    tree=$lab_work/tree
    modules=$tree/lib/modules/$lab_version
    mkdir -p "$tree/bin" "$tree/proc" "$tree/sys" "$tree/dev" "$tree/mnt" "$modules"
    cp /bin/busybox "$tree/bin/busybox" || return 1
    for applet in sh mount mkdir modprobe cat chroot sync ln ip mkfifo setsid env stty sleep ping; do
        ln -s busybox "$tree/bin/$applet"
    done
    cp "$root/scripts/lab/guest/init" "$tree/init"
    chmod 755 "$tree/init"
    PATH=$PATH:/usr/sbin:/sbin
    depmod -b "$lab_work/unpacked" "$lab_version" || return 1
    while read -r first second; do
        case $first in
            '' | '#'*) continue ;;
            later:) lab_add_module "$second" || return 1 ;;
            *) lab_add_module "$first" && echo "$first" >>"$tree/modules" || return 1 ;;
        esac
    done <"$root/scripts/lab/modules"
    depmod -b "$tree" "$lab_version" 2>/dev/null || return 1
    (cd "$tree" && find . | cpio -o -H newc --quiet -R 0:0) >"$lab_work/guest/initramfs"
}

# Adds module $1 and all it needs, without signatures and debug information, which take long to check and load.
lab_add_module() {
    lab_files=$(modprobe -d "$lab_work/unpacked" -S "$lab_version" --show-depends "$1" |
        sed -n "s|^insmod $lab_work/unpacked\([^ ]*\).*|\1|p")
    [ -n "$lab_files" ] || { say "this kernel has no module $1"; return 1; }
    for file in $lab_files; do
        [ ! -e "$tree$file" ] || continue
        mkdir -p "$tree/$(dirname "$file")"
        objcopy --strip-debug -R .BTF "$lab_work/unpacked$file" "$tree$file" 2>/dev/null ||
            cp "$lab_work/unpacked$file" "$tree$file" || return 1
    done
}

lab_publish_guest() {
    lab_guest=$lab_cache/guest-$lab_version-$lab_checksum
    mv "$lab_work/guest" "$lab_guest" || return 1
    # keep a few guests of other versions of the scripts
    # shellcheck disable=SC2012 # the names are ours
    ls -dt "$lab_cache"/guest-* | tail -n +6 | while read -r old; do rm -rf "$old"; done
}

# Sets $lab_append to the kernel's parameters and $lab_cpu to the processor's kind.
lab_choose_parameters() {
    lab_cpu=max
    # When emulated, a string instruction takes as long as a loop over its bytes; without these features the kernel and the
    # JVM clear and copy memory by words.
    [ "$lab_accelerator" = kvm ] || lab_cpu=max,-erms,-fsrm
    lab_append="console=ttyS0 quiet loglevel=4 panic=-1 nokaslr mitigations=off"
    # self-tests that the kernel need not repeat at each boot, and that may fail on a busy host
    lab_append="$lab_append no_timer_check cryptomgr.notests rodata=off initcall_blacklist=load_system_certificate_list"
    # "start" brings up the other CPUs: while booting, they would mostly wait for each other
    lab_append="$lab_append maxcpus=1 noreplace-smp"
    if [ "$lab_accelerator" != kvm ] && [ -z "$lab_icount" ]; then
        # on a busy host the guest's own measurement can be wrong by a factor of ten
        if lab_measure_tsc; then
            # "lpj": in the same unit, for each of the kernel's 250 ticks per second
            lab_append="$lab_append tsc=reliable tsc_early_khz=$lab_tsc lpj=$((lab_tsc * 4))"
        else
            lab_append="$lab_append clocksource=hpet"
        fi
    fi
}

lab_measure_tsc() {
    lab_tsc_file=$lab_cache/tsc-$(cat /proc/sys/kernel/random/boot_id)
    if [ ! -f "$lab_tsc_file" ]; then
        rm -f "$lab_cache"/tsc-*
        gcc -O2 -o "$lab_cache/tsc.$$" "$root/scripts/lab/tsc.c" && "$lab_cache/tsc.$$" >"$lab_cache/tsc.$$.khz" &&
            mv "$lab_cache/tsc.$$.khz" "$lab_tsc_file"
        rm -f "$lab_cache/tsc.$$"
    fi
    lab_tsc=$(cat "$lab_tsc_file") && [ "$lab_tsc" -gt 0 ]
}

# Sets $lab_accelerator and $lab_clock. KVM may be present but unable to run this kernel, so it is tried once.
lab_choose_accelerator() {
    lab_clock=
    if [ -n "$lab_icount" ]; then
        # one instruction is one nanosecond of the guest's time; the host's time does not matter
        lab_accelerator=tcg,thread=single
        lab_clock="-icount shift=0,sleep=off,align=off"
        return
    fi
    if [ -z "$lab_accelerator" ]; then
        lab_tried=${lab_guest##*/guest-}
        lab_tried=$lab_cache/accelerator-${lab_tried%-*}-on-$(uname -r)
        [ -f "$lab_tried" ] || lab_try_kvm
        lab_accelerator=$(cat "$lab_tried")
    fi
    [ "$lab_accelerator" != tcg ] || lab_accelerator=tcg,thread=multi
}

lab_try_kvm() {
    lab_found=tcg
    if [ -r /dev/kvm ] && [ -w /dev/kvm ]; then
        say "lab: trying KVM, up to 20 s, once ..."
        if "$root/verbena" lab run --accelerator kvm --time-limit 20 -- true >/dev/null 2>&1; then
            lab_found=kvm
        else
            say "lab: KVM cannot run the guest here; using emulation, which is slower"
        fi
    fi
    echo "$lab_found" >"$lab_tried.$$" && mv "$lab_tried.$$" "$lab_tried"
}
