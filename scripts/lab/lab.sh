# SPDX-License-Identifier: Apache-2.0
#
# "./verbena lab": a throw-away virtual machine with the kernel's soft-RoCE. Sourced by the launcher, after lib.sh.

. "$root/scripts/packages.sh"
. "$root/scripts/lab/cache.sh"
. "$root/scripts/lab/guest.sh"
. "$root/scripts/lab/pair.sh"
. "$root/scripts/lab/tests.sh"

lab_usage() {
    cat <<'END'
Usage: ./verbena lab run [OPTION]... -- COMMAND...      runs a command in a guest that has soft-RoCE
       ./verbena lab pair [OPTION]... -- COMMAND_A... --- COMMAND_B...
                                                        runs two, in two guests joined by a network
       ./verbena lab shell [OPTION]...                  an interactive shell in a guest
       ./verbena lab tests [ARGUMENT]...                the tests of verbena-lab; arguments go to JUnit's console launcher
       ./verbena lab compare-perftest [OPTION]... [TEST]...
                                                        our benchmarks and perftest's in turn, with the ratios
       ./verbena lab available                          can it run here? exits with 0 or, with the reason, with 1

A guest is a throw-away virtual machine (QEMU) with Debian's kernel. It sees all files of this machine at their own
paths; what it writes is lost when it ends, except in target/lab/out of the checkout (VERBENA_LAB_OUT). Device rxe0 is on
eth0, with the addresses 10.77.0.1 and fd77::1. PATH, HOME, JAVA_HOME, VERBENA_* and some more are passed on. Inside,
lab-netns, lab-netem and lab-link create a second network namespace, bad networks, and broken links.

The exit status is the command's; for a pair, the first that is not 0. 124: over the time limit; 125: a guest failed.

  --time-limit SECONDS   for boot and command together (default: 600; none for a shell)
  --cpus N               virtual CPUs (default: 2)
  --memory MEBIBYTES     (default: 2048)
  --env NAME=VALUE       sets a variable for the command; may be repeated
  --accelerator NAME     kvm or tcg (default: kvm if it works; this is tried once)
  --icount               count instructions instead of time: slower, on one CPU, but repeatable
  --netem WORDS          netem for what eth0 sends, in both guests of a pair, for example: 'loss 1% delay 2ms'

In a pair, A is 10.77.0.1 and B is 10.77.0.2 (VERBENA_LAB_ADDRESS, VERBENA_LAB_PEER); a command starts when both guests
are up, and both stay up until both commands have ended, or for 10 s after one has failed.
END
}

run_lab() {
    lab_mode=${1-}
    [ $# -eq 0 ] || shift
    lab_address=1 lab_peer='' lab_member='' lab_prefix='' lab_netem='' lab_window=''
    lab_environment_options='' lab_extra_exports=''
    lab_time_limit=600 lab_cpus=2 lab_memory=2048 lab_icount='' lab_accelerator=''
    # a network that is connected to nothing
    lab_network=hubport,id=net,hubid=0
    case $lab_mode in
        run | pair | shell)
            [ "$lab_mode" != shell ] || lab_time_limit=0
            lab_parse "$@"
            shift "$lab_parsed"
            lab_start "$@"
            ;;
        compare-perftest)
            lab_mode=run lab_time_limit=3600
            lab_parse "$@"
            shift "$lab_parsed"
            build_if_needed
            lab_start "$root/scripts/lab/compare-perftest" "$@"
            ;;
        tests) lab_run_tests "$@" ;;
        available) lab_prepare ;;
        -h | --help | help) lab_usage ;;
        '') lab_usage >&2; exit 2 ;;
        *) lab_bad_usage "$lab_mode: no such command" ;;
    esac
}

lab_bad_usage() {
    say "lab: $*"
    lab_usage >&2
    exit 2
}

# Reads options up to "--" or the first word that is not one, and sets $lab_parsed to how many words they are.
lab_parse() {
    lab_parsed=0
    while [ $# -gt 0 ]; do
        lab_words=2
        case $1 in
            --) lab_parsed=$((lab_parsed + 1)); return ;;
            --icount) lab_icount=yes lab_cpus=1 lab_words=1 ;;
            -h | --help) lab_usage; exit ;;
            -*)
                [ $# -ge 2 ] || lab_bad_usage "$1: no value"
                lab_option "$1" "$2"
                ;;
            *) return ;;
        esac
        lab_parsed=$((lab_parsed + lab_words))
        shift $lab_words
    done
}

lab_option() {
    case $1 in
        --time-limit) lab_check_number "$@"; lab_time_limit=$2 ;;
        --cpus) lab_check_number "$@"; lab_cpus=$2 ;;
        --memory) lab_check_number "$@"; lab_memory=$2 ;;
        --netem) lab_netem=$2 ;;
        --env) lab_add_export "$2" ;;
        --accelerator)
            case $2 in
                kvm | tcg) lab_accelerator=$2 ;;
                *) lab_bad_usage "--accelerator: $2 (expected: kvm or tcg)" ;;
            esac
            ;;
        --member) lab_join_pair "$2" ;;
        *) lab_bad_usage "$1: no such option" ;;
    esac
}

lab_check_number() {
    case $2 in
        '' | 0* | *[!0-9]*) lab_bad_usage "$1: $2 (expected: a number above 0)" ;;
    esac
}

lab_add_export() {
    case $1 in
        [A-Za-z_]*=*) ;;
        *) lab_bad_usage "--env: $1 (expected: NAME=VALUE)" ;;
    esac
    case ${1%%=*} in
        *[!A-Za-z0-9_]*) lab_bad_usage "--env: $1 (expected: NAME=VALUE)" ;;
    esac
    lab_environment_options="$lab_environment_options --env $(quote "$1")"
    lab_extra_exports="$lab_extra_exports
export ${1%%=*}=$(quote "${1#*=}")"
}

lab_start() {
    if [ "$lab_mode" = shell ]; then
        set -- "${SHELL:-/bin/sh}"
    fi
    [ $# -gt 0 ] || lab_bad_usage "$lab_mode: no command (expected: ./verbena lab $lab_mode -- COMMAND...)"
    [ -n "$lab_peer" ] || lab_build_for "$@"
    lab_prepare || exit 125
    lab_choose_accelerator
    lab_choose_parameters
    lab_name=lab${lab_member:+-$lab_member}
    lab_status=0
    case $lab_mode in
        run) lab_run "$@" || lab_status=$? ;;
        pair) lab_run_pair "$@" || lab_status=$? ;;
        shell) lab_run_shell "$@" || lab_status=$? ;;
    esac
    exit "$lab_status"
}

# The guest does not build: Maven would take minutes there, and the result would be lost.
lab_build_for() {
    for word in "$@"; do
        case $word in
            ./verbena | "$root/verbena") build_if_needed; return ;;
        esac
    done
}
