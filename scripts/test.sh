# SPDX-License-Identifier: Apache-2.0
#
# The steps of "./verbena test". Sourced by the launcher, after lib.sh.

run_tests() {
    tests_began=$(date +%s)
    install_packages
    step "mvn verify $*"
    lock_build
    if [ $# -gt 0 ]; then
        maven verify "$@" || die "test FAILED in: mvn verify $*"
        say "test passed in $(($(date +%s) - tests_began)) s, with these arguments: $*"
        return
    fi
    begin_program
    rm -rf "$root"/verbena-*/target/surefire-reports
    maven verify || failed "mvn verify"
    publish_program
    unlock_build

    if has_stress_tests; then
        step "JCStress, a few seconds per test (scripts/jcstress takes longer and finds more)"
        # one JVM per test, with the compiler that reorders most
        run_stress_tests -m quick -iters 2 -time 250 -sc false \
            -jvmArgs "--enable-native-access=ALL-UNNAMED -XX:-TieredCompilation" || failed "JCStress"
    fi

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
    cat "$root"/verbena-*/target/surefire-reports/TEST-*.xml 2>/dev/null | awk '
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

# scripts/packages lists the Debian packages that tests need. Installs the missing ones where that is possible.
install_packages() {
    missing=
    while read -r package binary reason; do
        case $package in
            '' | '#'*) continue ;;
        esac
        command -v "$binary" >/dev/null 2>&1 && continue
        missing="$missing $package"
        say "missing: $package ($reason)"
    done <"$root/scripts/packages"
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" = 0 ] && [ -f /etc/debian_version ] && command -v apt-get >/dev/null 2>&1; then
        say "installing:$missing"
        mkdir -p "$root/target"
        # shellcheck disable=SC2086 # a list of words
        { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
            $missing; } >"$root/target/apt.log" 2>&1 || say "could not install them; see $root/target/apt.log"
    else
        say "not root on Debian: install them by hand; until then the tests named above are skipped"
    fi
}
