# SPDX-License-Identifier: Apache-2.0
#
# The steps of "./verbena test". Sourced by the launcher, after lib.sh.

run_tests() {
    tests_began=$(date +%s)
    install_packages || say "until then the tests that need them are skipped"
    step "mvn verify $*"
    lock_build
    if [ $# -gt 0 ]; then
        maven verify "$@" || die "test FAILED in: mvn verify $*"
        say "test passed in $(($(date +%s) - tests_began)) s, with these arguments: $*"
        return
    fi
    begin_program
    rm -rf "$root"/verbena-*/target/surefire-reports "$lab_reports"
    maven verify || failed "mvn verify"
    publish_program
    unlock_build

    if has_stress_tests; then
        step "JCStress, a few seconds per test (scripts/jcstress takes longer and finds more)"
        # one JVM per test, with the compiler that reorders most
        run_stress_tests -m quick -iters 2 -time 250 -sc false \
            -jvmArgs "--enable-native-access=ALL-UNNAMED -XX:-TieredCompilation" || failed "JCStress"
    fi

    step "the lab"
    lab_run_tests || failed "the lab"

    step "the commands in the documents"
    "$root/scripts/check-docs" || failed "a documented command"
    passed
}

step() {
    echo
    say "--- $*"
}

failed() {
    total_tests
    die "test FAILED in: $1"
}

passed() {
    total_tests
    say "test passed in $(($(date +%s) - tests_began)) s"
}

# One line over all modules, in Surefire's form.
total_tests() {
    echo
    cat "$root"/verbena-*/target/surefire-reports/TEST-*.xml "$lab_reports"/*/TEST-*.xml 2>/dev/null | awk '
        /<testsuite / {
            run += value("tests"); failures += value("failures")
            errors += value("errors"); skipped += value("skipped")
        }
        function value(name) {
            return match($0, " " name "=\"[0-9]+\"") ? substr($0, RSTART + length(name) + 3) + 0 : 0
        }
        END {
            printf "Tests run: %d, Failures: %d, Errors: %d, Skipped: %d\n", run, failures, errors, skipped
        }'
}
