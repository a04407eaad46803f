# SPDX-License-Identifier: Apache-2.0
#
# Two guests on one network: each is run by its own launcher, and both end when both commands have ended. The
# launchers write "NAME STATUS" to a pipe when their command has ended; SIGTERM then tells them to end the guest.

# How long the other guest's command may continue after one has failed.
lab_grace=10

lab_run_pair() {
    lab_split "$@"
    lab_pair_begin
    lab_start_member A "$lab_words_a"
    lab_start_member B "$lab_words_b"
    lab_collect
    lab_end_members
    lab_members=
    return "$lab_worst"
}

# Sets $lab_words_a and $lab_words_b, quoted, to what is before and after the word "---".
lab_split() {
    lab_words_a=
    lab_words_b=
    lab_second=
    for word in "$@"; do
        if [ "$word" = --- ] && [ -z "$lab_second" ]; then
            lab_second=yes
        elif [ -z "$lab_second" ]; then
            lab_words_a="$lab_words_a $(quote "$word")"
        else
            lab_words_b="$lab_words_b $(quote "$word")"
        fi
    done
    [ -n "$lab_words_a" ] && [ -n "$lab_words_b" ] ||
        lab_bad_usage "pair: two commands are needed (expected: ./verbena lab pair -- COMMAND_A --- COMMAND_B)"
}

lab_pair_begin() {
    lab_members=
    lab_pipes=$(mktemp -d)
    trap lab_end_members EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 141' PIPE
    trap 'exit 143' TERM
    mkfifo "$lab_pipes/results"
    exec 3<>"$lab_pipes/results"
    rm -rf "$lab_pipes"
}

lab_end_members() {
    for member in $lab_members; do
        kill "$member" 2>/dev/null || true
    done
    for member in $lab_members; do
        while kill -0 "$member" 2>/dev/null; do
            wait "$member" 2>/dev/null || true
            sleep 0.05
        done
    done
    rm -rf "$lab_pipes"
}

# lab_start_member NAME COMMAND: the command quoted. The launcher's descriptor 9 is the pipe.
lab_start_member() {
    lab_name=$1
    eval "set -- $lab_environment_options -- $2"
    setpriv --pdeathsig TERM "$root/verbena" lab run --member "$lab_name:verbena-lab-$$" \
        --netem "$lab_netem" --time-limit "$lab_time_limit" --cpus "$lab_cpus" --memory "$lab_memory" \
        --accelerator "${lab_accelerator%%,*}" "$@" 9>&3 3>&- &
    lab_members="$lab_members $!"
}

# Waits for both results and sets $lab_worst to the first that is not 0.
lab_collect() {
    lab_worst=0
    lab_results=0
    while [ $lab_results -lt 2 ] && read -r name result <&3; do
        [ "$result" != grace ] || { say "lab: ended the other guest, $lab_grace s after one had failed"; return; }
        lab_results=$((lab_results + 1))
        if [ "$result" != 0 ] && [ "$lab_worst" = 0 ]; then
            lab_worst=$result
            [ $lab_results -eq 2 ] || { sleep "$lab_grace"; echo "- grace" >&3; } &
        fi
    done
}

# In the launcher of one of the two guests, for its option --member NAME:SOCKET: which one it is, and what connects them.
lab_join_pair() {
    lab_member=${1%%:*}
    lab_prefix="$lab_member| "
    # an abstract socket: it has no file that could be left behind
    lab_socket=${1#*:}
    lab_network="stream,id=net,addr.type=unix,addr.path=$lab_socket,addr.abstract=on"
    case $lab_member in
        A) lab_address=1 lab_peer=2 lab_network=$lab_network,server=on ;;
        B) lab_address=2 lab_peer=1 lab_network=$lab_network,server=off ;;
    esac
}

# B connects to A, which must be listening by then. If it never does, B's QEMU reports it.
lab_await_socket() {
    [ "$lab_member" = B ] || return 0
    tries=600
    until grep -q "@$lab_socket\$" /proc/net/unix || [ $tries -eq 0 ]; do
        tries=$((tries - 1))
        sleep 0.1
    done
}

# In the launcher of one of the two guests: reports to the parent of both, and keeps the guest until SIGTERM.
lab_hold() {
    trap 'kill "$lab_process" 2>/dev/null || true' TERM
    case $lab_result in
        '') if lab_over_limit; then echo "$lab_member 124" >&9; else echo "$lab_member 125" >&9; fi ;;
        *[!0-9]*) echo "$lab_member 125" >&9 ;;
        *) echo "$lab_member $lab_result" >&9 ;;
    esac
}
