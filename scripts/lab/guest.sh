# SPDX-License-Identifier: Apache-2.0
#
# Starts guests and waits for their end.

lab_folder=$root/target/lab

# $1 as one word of shell source.
quote() {
    printf "'"
    printf %s "$1" | sed "s/'/'\\\\''/g"
    printf "'"
}

# The shell source that the guest's "start" reads: what to run, where, with which environment.
lab_job() {
    printf 'lab_directory=%s\n' "$(quote "$(pwd -P)")"
    printf 'lab_out=%s\n' "$(quote "$lab_folder/out")"
    printf 'lab_bin=%s\n' "$(quote "$root/scripts/lab/guest/bin")"
    printf 'lab_mode=%s\n' "$lab_mode"
    printf 'lab_name=%s\n' "$lab_name"
    printf 'lab_address=%s\n' "$lab_address"
    printf 'lab_peer=%s\n' "$lab_peer"
    printf 'lab_netem=%s\n' "$(quote "$lab_netem")"
    printf 'lab_window=%s\n' "$(quote "$lab_window")"
    printf 'lab_environment=%s\n' "$(quote "$(lab_exports)")"
    lab_words=
    for word in "$@"; do
        lab_words="$lab_words $(quote "$word")"
    done
    printf 'lab_arguments=%s\n' "$(quote "${lab_words# }")"
}

# Exports for the command: a fixed set of the caller's variables, VERBENA_*, and --env.
lab_exports() {
    printf 'export PATH=%s\n' "$(quote "$root/scripts/lab/guest/bin:$PATH:/usr/sbin:/sbin")"
    for name in HOME JAVA_HOME LANG LC_ALL TERM USER TZ $(env | sed -n 's/^\(VERBENA_[A-Za-z0-9_]*\)=.*/\1/p'); do
        eval "value=\${$name-}"
        [ -z "$value" ] || printf 'export %s=%s\n' "$name" "$(quote "$value")"
    done
    # On emulated processors JVMs crashed in code that the compilers had just replaced, in methods of the JDK, too. With one
    # compiler code is hardly ever replaced, and programs start faster.
    if [ "$lab_accelerator" != kvm ]; then
        printf 'export VERBENA_LAB_COMPILERS=-XX:TieredStopAtLevel=1\n'
    fi
    # to search all sources for changes takes long in a guest, where they do not change
    ! up_to_date || printf 'export VERBENA_LAB_UP_TO_DATE=%s\n' "$(quote "$stamp")"
    printf 'export VERBENA_LAB=guest\n'
    printf 'export VERBENA_LAB_ADDRESS=10.77.0.%s\n' "$lab_address"
    printf 'export VERBENA_LAB_OUT=%s\n' "$(quote "$lab_folder/out")"
    [ -z "$lab_peer" ] || printf 'export VERBENA_LAB_PEER=10.77.0.%s\n' "$lab_peer"
    printf '%s' "$lab_extra_exports"
}

# $1 as a value inside one of QEMU's comma-separated lists.
lab_value() {
    printf %s "$1" | sed 's/,/,,/g'
}

# Becomes QEMU, with the given options and those that all guests have. QEMU ends at the time limit, or with the process
# that started it, even if that is killed. Expects the descriptors 5 (status, for writing) and 8 (job).
lab_become_qemu() {
    # shellcheck disable=SC2086,SC2094 # the clock, and options for experiments, are lists of words
    exec setpriv --pdeathsig KILL timeout --foreground -k 5 "$lab_time_limit" \
        setpriv --pdeathsig KILL qemu-system-x86_64 -name "$lab_name" \
        -M q35,sata=off,smbus=off,vmport=off -nodefaults -no-user-config -display none -no-reboot \
        -accel "$lab_accelerator" $lab_clock -cpu "$lab_cpu" -smp "$lab_cpus" -m "$lab_memory" \
        -kernel "$lab_guest/kernel" -initrd "$lab_guest/initramfs" -append "$lab_append" \
        -chardev "file,id=console,path=$(lab_value "$lab_console"),append=on" -serial chardev:console \
        -device virtio-serial-pci "$@" \
        -add-fd fd=5,set=5 -chardev file,id=status,path=/dev/fdset/5,append=on \
        -device virtserialport,chardev=status,name=status \
        -fw_cfg name=opt/verbena/job,file=/dev/fd/8 \
        -fw_cfg "name=opt/verbena/start,file=$(lab_value "$root/scripts/lab/guest/start")" \
        -fsdev local,id=host,path=/,security_model=none,readonly=on,multidevs=remap \
        -device virtio-9p-pci,fsdev=host,mount_tag=host \
        -fsdev "local,id=out,path=$(lab_value "$lab_folder/out"),security_model=none,multidevs=remap" \
        -device virtio-9p-pci,fsdev=out,mount_tag=out \
        -netdev "$lab_network" -device virtio-net-pci,netdev=net,host_mtu=9000,mac="52:54:00:77:00:0$lab_address" \
        ${VERBENA_LAB_QEMU_OPTIONS-} 2>>"$lab_console"
}

# Opens the status pipe and the job for a guest: descriptors 5 (QEMU writes), 7 (read here) and 8.
lab_begin() {
    mkdir -p "$lab_folder/out"
    find "$lab_folder" -maxdepth 1 -name 'console-*.log' -mmin +1440 -exec rm -f {} +
    lab_console=$lab_folder/console-$$.log
    lab_process=
    lab_readers=
    lab_terminal=
    lab_began=$(date +%s)
    lab_pipes=$(mktemp -d)
    trap lab_clean_up EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 141' PIPE
    trap 'exit 143' TERM
    mkfifo "$lab_pipes/status"
    lab_job "$@" >"$lab_pipes/job"
    exec 6<>"$lab_pipes/status"
    # shellcheck disable=SC2094 # a pipe
    exec 5>"$lab_pipes/status" 7<"$lab_pipes/status" 6>&- 8<"$lab_pipes/job"
}

# Runs at exit, except on SIGKILL.
lab_clean_up() {
    [ -z "$lab_process" ] || kill "$lab_process" 2>/dev/null || true
    for process in $lab_process $lab_readers; do
        # inside a trap, dash's "wait" may return at once
        while kill -0 "$process" 2>/dev/null; do
            wait "$process" 2>/dev/null || true
            sleep 0.05
        done
    done
    [ -z "$lab_terminal" ] || stty "$lab_terminal" || true
    rm -rf "$lab_pipes"
}

# Runs a command in a guest; its status is the result.
lab_run() {
    lab_begin "$@"
    mkfifo "$lab_pipes/stdout" "$lab_pipes/stderr"
    # if nobody reads the output any more, the guest is not needed, either
    { lab_show <"$lab_pipes/stdout" || kill -s PIPE $$; } 5>&- 7<&- 8<&- &
    lab_readers=$!
    { lab_show <"$lab_pipes/stderr" >&2 || kill -s PIPE $$; } 5>&- 7<&- 8<&- &
    lab_readers="$lab_readers $!"
    exec 3>"$lab_pipes/stdout" 4>"$lab_pipes/stderr"
    # once opened, the pipes need no names: nothing is left behind, however this ends
    rm -rf "$lab_pipes"
    lab_await_socket
    lab_become_qemu \
        -add-fd fd=3,set=3 -chardev file,id=stdout,path=/dev/fdset/3,append=on \
        -device virtserialport,chardev=stdout,name=stdout \
        -add-fd fd=4,set=4 -chardev file,id=stderr,path=/dev/fdset/4,append=on \
        -device virtserialport,chardev=stderr,name=stderr 7<&- </dev/null &
    lab_process=$!
    exec 3>&- 4>&- 5>&- 8<&-
    lab_await_end
    # shellcheck disable=SC2086 # two numbers
    wait $lab_readers || true
    lab_readers=
    lab_conclude
}

lab_show() {
    if [ -n "$lab_prefix" ]; then
        sed -u "s/^/$lab_prefix/"
    else
        cat
    fi
}

# Waits for the command's status, which stays empty if there is none, and for the guest to end.
lab_await_end() {
    lab_result=
    # "|| true": a guest that fails closes the pipe without a line
    read -r lab_result <&7 || true
    exec 7<&-
    [ -z "$lab_peer" ] || lab_hold
    # a signal that does not end this process interrupts the wait
    while :; do
        lab_ended=0
        wait "$lab_process" || lab_ended=$?
        kill -0 "$lab_process" 2>/dev/null || break
    done
    lab_process=
}

lab_over_limit() {
    [ "$lab_time_limit" -gt 0 ] && [ $(($(date +%s) - lab_began)) -ge "$lab_time_limit" ]
}

# Returns the command's status or, if the guest failed, a status of our own, with a message.
lab_conclude() {
    case $lab_result in
        '')
            if lab_over_limit; then
                say "lab: ended at the time limit of $lab_time_limit s (--time-limit sets another); the guest's console is in $lab_console"
                return 124
            fi
            say "lab: the guest ended without a result (QEMU's status: $lab_ended); its console is in $lab_console, and says:"
            # the first lines of a panic are the ones that matter
            { grep -A 12 'Kernel panic' "$lab_console" || tail -n 20 "$lab_console"; } >&2 || true
            return 125
            ;;
        *[!0-9]*)
            say "lab: the guest $lab_result; its console is in $lab_console"
            return 125
            ;;
    esac
    rm -f "$lab_console"
    return "$lab_result"
}

# An interactive shell on this terminal.
lab_run_shell() {
    [ -t 0 ] && [ -t 1 ] || lab_bad_usage "shell: needs a terminal; without one, use run"
    lab_window=$(stty size | sed 's/\([0-9]*\) \([0-9]*\)/rows \1 cols \2/')
    lab_begin "$@"
    lab_terminal=$(stty -g)
    rm -rf "$lab_pipes"
    say "lab: booting; \"exit\" ends it"
    exec 6<&0
    lab_become_qemu -chardev stdio,id=terminal,signal=off -device virtconsole,chardev=terminal 7<&- <&6 &
    lab_process=$!
    exec 5>&- 6<&- 8<&-
    lab_await_end
    lab_conclude
}
