# SPDX-License-Identifier: Apache-2.0
#
# Runs the tests of verbena-lab, -verbs-native, -transport, -rpc and -socket that need the lab: those tagged "lab" inside a
# guest, those tagged "lab-host" here, where they start guests themselves. Expects that the modules are built and the
# program is published, as "./verbena test" leaves them.

lab_reports=$lab_folder/out/reports
lab_tests=$root/verbena-lab/target/test-classes:$root/verbena-verbs-native/target/test-classes
lab_tests=$lab_tests:$root/verbena-transport/target/test-classes:$root/verbena-rpc/target/test-classes
lab_tests=$lab_tests:$root/verbena-socket/target/test-classes

# Arguments go to JUnit's console launcher. Where the lab cannot run, the reports say that each test was skipped.
lab_run_tests() {
    [ -d "$root/verbena-lab/target/lib" ] ||
        die "lab: the tests are not built (expected: mvn package, or ./verbena test, first)"
    rm -rf "$lab_reports"
    mkdir -p "$lab_reports"
    if ! lab_prepare; then
        say "lab: SKIPPED, not passed: all tests of verbena-lab ($lab_obstacle)"
        lab_junit "$jdk/bin/java" skipped --config junit.platform.execution.dryRun.enabled=true \
            --include-tag 'lab | lab-host' "$@" >/dev/null
        return 0
    fi
    lab_compile_peers || return 1
    lab_failed=0
    say "lab: tests inside a guest"
    lab_junit lab_java guest --include-tag lab "$@" || lab_failed=1
    say "lab: tests that start guests"
    lab_junit "$jdk/bin/java" host --include-tag lab-host "$@" || lab_failed=1
    return $lab_failed
}

# The C programs that the tests talk to. Compiled here: the guest has the same compiler, but emulated.
lab_compile_peers() {
    lab_sources=$root/verbena-lab/src/test/c
    mkdir -p "$lab_folder/c"
    for peer in send_recv_peer write_read_peer rdma_socket_peer; do
        gcc -std=c99 -Wall -Wextra -Werror -o "$lab_folder/c/$peer" "$lab_sources/$peer.c" "$lab_sources/peer.c" \
            -lrdmacm -libverbs || { say "lab: $lab_sources/$peer.c does not compile"; return 1; }
    done
}

# lab_junit JAVA REPORTS ARGUMENT...: runs JUnit's console launcher with the tests on its class path.
lab_junit() {
    lab_java=$1
    lab_kind=$2
    shift 2
    # the first compiler alone: in an emulated guest, the second takes longer than it saves
    # shellcheck disable=SC2016 # a class with a dollar in its name
    # shellcheck disable=SC2086 # several options
    (cd "$root" && "$lab_java" ${VERBENA_LAB_JAVA_OPTIONS-} -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED \
        --illegal-native-access=deny -Dverbena.transport.device=rxe0 -Dverbena.transport.address=10.77.0.1 \
        -cp "$lab_tests:$root/verbena-lab/target/classes:$root/verbena-lab/target/lib/*" \
        org.junit.platform.console.ConsoleLauncher execute --disable-banner --disable-ansi-colors --details=none \
        --scan-class-path "$lab_tests" \
        --reports-dir "$lab_reports/$lab_kind" \
        --config junit.jupiter.extensions.autodetection.enabled=true \
        --config junit.jupiter.execution.timeout.default=300s \
        --config junit.jupiter.execution.timeout.threaddump.enabled=true \
        --config 'junit.jupiter.testclass.order.default=org.junit.jupiter.api.ClassOrderer$OrderAnnotation' "$@")
}

# java, inside a guest.
lab_java() {
    "$root/verbena" lab run --time-limit "${VERBENA_LAB_TEST_LIMIT:-3000}" --memory 3072 -- "$jdk/bin/java" "$@"
}
