# SPDX-License-Identifier: Apache-2.0
#
# The steps of "./verbena test". Sourced by the launcher, after lib.sh. A failed step does not end the run: the summary
# says what failed, and how to run just that again.

tests_folder=$root/target/test
system_tests=verbena-system-tests

run_tests() {
    tests_began=$(date +%s)
    install_packages || say "until then the tests that need them are skipped"
    if [ $# -gt 0 ]; then
        lock_build
        maven verify "$@" || die "test FAILED in: mvn verify $*"
        say "test passed in $(($(date +%s) - tests_began)) s, with these arguments: $*"
        return
    fi
    rm -rf "$tests_folder" "$root"/verbena-*/target/surefire-reports "$lab_reports"
    mkdir -p "$tests_folder"
    lock_build
    step checks "format, style, licence" check_sources
    step build "compile, API checks, package" build_all
    if step_failed build; then
        say "the other steps need a build"
    else
        run_tests_of_build
    fi
    conclude
}

# The lab's guest takes long: what needs neither the guest nor a quiet machine runs in parallel with it. Tests of whole
# programs wait for processes much of the time: the stress tests run in parallel with them.
run_tests_of_build() {
    lay_out_modules
    # shellcheck disable=SC2046 # names of modules
    step quiet "the tests that measure time, with nothing beside them" test_modules quiet $(quiet_modules)
    # shellcheck disable=SC2046 # names of modules
    step polling "the tests of the modules whose threads poll, two modules at a time" \
        test_modules polling $(modules_with_tests | grep -xE "$polling_modules")
    unlock_build
    start_beside lab "tests on soft-RoCE" "$root/verbena" lab tests
    # shellcheck disable=SC2046 # names of modules
    step tests "the tests of the other modules, two modules at a time" \
        test_modules tests $(modules_with_tests | grep -vxE "$polling_modules|$system_tests")
    if has_stress_tests; then
        # one JVM per test, with the compiler that reorders most; it starts fastest if its heap is not touched in advance
        start_beside stress "JCStress, a few seconds per test (scripts/jcstress takes longer and finds more)" \
            "$root/scripts/jcstress" --built -m quick -iters 2 -time 250 -sc false -pth false \
            -jvmArgs "--enable-native-access=ALL-UNNAMED -XX:-TieredCompilation -XX:+UseSerialGC"
    fi
    step system "tests of whole programs, in several processes" test_modules system "$system_tests"
    ! has_stress_tests || await_beside stress
    step samples "projects that use the artifacts by their coordinates" "$root/scripts/check-samples"
    step docs "the commands in the documents that show no figures" "$root/scripts/check-docs" --others
    await_beside lab
    # alone, as a reader of the documents would run them
    step figures "the commands in the documents that show figures" "$root/scripts/check-docs" --figures
}

check_sources() {
    maven validate -N
}

build_all() {
    begin_program
    maven package -T 2 -DskipTests -Dcheckstyle.skip -Dspotless.check.skip || return 1
    publish_program
}

# Modules with tests that need not run in the lab.
modules_with_tests() {
    for folder in "$root"/verbena-*/src/test/java; do
        if [ -n "$(find "$folder" -name '*Test.java' -exec grep -LE '@InLab|@Tag\("lab' {} +)" ]; then
            module=${folder#"$root"/}
            echo "${module%%/*}"
        fi
    done
}

# Two threads that poll, or wait for a processor each, take many times as long beside the guest, which wants both processors: the
# tests of bench took 71 s without it and 330 s beside it, those of generic stubs 5 s and 90 s. The guest suffers as much: two
# of its tests took 20 s alone and 170 s beside those of generic stubs.
polling_modules='verbena-(verbs-soft|memory|completion|transport|socket|bench|compare|rpc-generic)'

# Modules with tests that measure time: whatever runs beside them makes them fail.
quiet_modules() {
    grep -rl '@Tag("quiet")' "$root"/verbena-*/src/test/java | sed 's/.*\/\(verbena-[a-z-]*\)\/src\/.*/\1/' | sort -u
}

# How long the tests of a module take, in seconds, to share the work. Measured now and then; MODULE.log has the time.
seconds_of() {
    case $1 in
        verbena-rpc) echo 150 ;;
        verbena-verbs-soft) echo 80 ;;
        verbena-bench) echo 70 ;;
        verbena-http | verbena-transport) echo 45 ;;
        verbena-compare) echo 40 ;;
        verbena-grpc | verbena-rpc-generic | verbena-socket) echo 30 ;;
        verbena-cli | verbena-completion | verbena-examples | verbena-memory | verbena-naming-*) echo 10 ;;
        *) echo 5 ;;
    esac
}

# share_out MODULE...: prints two lists of modules, with commas, that take about the same time.
share_out() {
    for module in "$@"; do
        echo "$(seconds_of "$module") $module"
    done | sort -k 1,1nr -k 2 | awk '
        {
            lane = sum[2] < sum[1] ? 2 : 1
            sum[lane] += $1
            list[lane] = list[lane] (list[lane] == "" ? "" : ",") $2
        }
        END { for (lane = 1; lane <= 2; lane++) if (list[lane] != "") print list[lane] }'
}

lay_out_modules() {
    built=
    for folder in "$root"/verbena-*/src; do
        module=$(basename "${folder%/src}")
        [ -z "$(packaged "$module")" ] || built="$built $module"
    done
    # shellcheck disable=SC2086 # names of modules
    lay_out_artifacts "$tests_folder/repository" verbena-parent verbena-bom $built
}

# test_modules STEP MODULE...: everything is compiled and packaged, so only the tests have to run. Those tagged "quiet" run one
# after the other, in the step of that name. Otherwise two modules are tested at a time, by two Mavens that take the others as
# packaged, each with half of the work: one Maven for all would let a module wait for those below it. A failed test must not
# keep other modules from being tested, so the reports decide. A JVM that crashed or took too long has no report; the log
# says so.
test_modules() {
    logs=$tests_folder/modules-$1
    if [ "$1" = quiet ]; then
        shares=all_in_one
        report_folder=surefire-reports/quiet
        options="-Dverbena.onlyTags=quiet -Dverbena.testReports=$report_folder"
    else
        shares=share_out
        report_folder=surefire-reports
        options=-Dverbena.excludedTags=lab,lab-host,quiet
        # one module, whose tests mostly wait for processes
        [ "$1" != system ] || options="$options -Dverbena.testForks=2"
    fi
    shift
    mkdir -p "$logs"
    # shellcheck disable=SC2086 # several options
    $shares "$@" |
        xargs -P 2 -I SHARE "$root/scripts/test-modules" "$tests_folder/repository" "$logs" SHARE $options || return 1
    for module in "$@"; do
        ! has_failed "$module" "$logs" "$report_folder" || return 1
    done
}

all_in_one() {
    echo "$*" | tr ' ' ,
}

# has_failed MODULE LOGS REPORTS: did a test fail, or a JVM with tests, or Maven?
has_failed() {
    [ ! -f "$2/$1.log" ] || [ -f "$2/$1.failed" ] || has_lost_jvm "$2/$1.log" ||
        [ -n "$(failed_classes "$root/$1/target/$3"/TEST-*.xml)" ]
}

# has_lost_jvm LOG: did a JVM with tests crash, or take too long? Then there is no report of them.
has_lost_jvm() {
    grep -q 'error in the fork\|forked VM terminated' "$1"
}

# step NAME TITLE COMMAND...: runs a step, shows its output and keeps it in NAME.log. The file NAME says how it ended.
step() {
    step_name=$1
    echo
    say "--- $1: $2"
    shift 2
    step_began=$(date +%s)
    echo 0 >"$tests_folder/status"
    { ("$@") 2>&1 || echo $? >"$tests_folder/status"; } | tee "$tests_folder/$step_name.log"
    read -r step_status <"$tests_folder/status"
    note_end "$step_name" "$step_status" $(($(date +%s) - step_began))
}

# note_end NAME STATUS SECONDS
note_end() {
    echo "$2 $3" >"$tests_folder/$1"
    if [ "$2" -eq 0 ]; then
        say "--- $1: ok, $3 s"
    else
        say "--- $1: FAILED, $3 s"
    fi
}

step_failed() {
    [ -f "$tests_folder/$1" ] && read -r status seconds <"$tests_folder/$1" && [ "$status" -ne 0 ]
}

# start_beside NAME TITLE COMMAND...: starts a step in parallel with those that follow, in a process group that ends with
# this process. Its output is kept until await_beside. The file NAME.beside has its process and when it began.
start_beside() {
    beside_name=$1
    echo
    say "--- $1: $2; in parallel, with its output in $tests_folder/$1.log"
    shift 2
    # shellcheck disable=SC2016 # for the other shell
    VERBENA_BUILDING='' $(command -v setsid) sh -c '"$@"; echo "$? $(date +%s)" >"$0"' \
        "$tests_folder/$beside_name.end" "$@" >"$tests_folder/$beside_name.log" 2>&1 9>&- &
    echo "$! $(date +%s)" >"$tests_folder/$beside_name.beside"
    besides="${besides-} $beside_name"
    trap end_besides EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

# Ends those that have not ended.
end_besides() {
    for name in $besides; do
        [ ! -f "$tests_folder/$name.end" ] || continue
        read -r process began <"$tests_folder/$name.beside"
        kill -- "-$process" 2>/dev/null || true
    done
}

# await_beside NAME: waits for that step, and shows its output.
await_beside() {
    read -r beside_process beside_began <"$tests_folder/$1.beside"
    echo
    say "--- $1: waiting for it to end"
    wait "$beside_process" || true
    cat "$tests_folder/$1.log"
    beside_status=1
    beside_end=$(date +%s)
    [ ! -f "$tests_folder/$1.end" ] || read -r beside_status beside_end <"$tests_folder/$1.end"
    note_end "$1" "$beside_status" $((beside_end - beside_began))
}

# Ends the run: prints the slowest tests, their number in Surefire's format, the steps, and how to rerun the failed ones.
conclude() {
    reports >"$tests_folder/reports"
    echo
    show_slowest
    echo
    show_lab_classes
    show_total
    echo
    conclusion=0
    for name in checks build quiet polling tests system stress lab samples docs figures; do
        [ -f "$tests_folder/$name" ] || continue
        read -r status seconds <"$tests_folder/$name"
        if [ "$status" -eq 0 ]; then
            say "$(printf '%-8s ok      %4d s' "$name" "$seconds")"
        else
            say "$(printf '%-8s FAILED  %4d s' "$name" "$seconds")"
            conclusion=1
        fi
    done
    if [ $conclusion -ne 0 ]; then
        say "test FAILED after $(($(date +%s) - tests_began)) s; to run only what failed again:"
        show_again >&2
        exit 1
    fi
    say "test passed in $(($(date +%s) - tests_began)) s"
}

# All reports, to be read line by line: Surefire's, one for each class, and JUnit's own from the lab.
reports() {
    cat "$root"/verbena-*/target/surefire-reports/TEST-*.xml \
        "$root"/verbena-*/target/surefire-reports/quiet/TEST-*.xml "$lab_reports"/*/TEST-*.xml 2>/dev/null || true
}

show_slowest() {
    echo "The slowest tests, in seconds:"
    awk '
        /<testcase / { printf "%9.1f  %s.%s\n", value("time"), value("classname"), value("name") }
        function value(name) {
            return match($0, " " name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : ""
        }' "$tests_folder/reports" | sort -rn | head -n 20
}

# The lab is one step of many minutes: where they go. Starting the guest and its JVM is not part of any class.
show_lab_classes() {
    [ -n "$(ls "$lab_reports"/*/TEST-*.xml 2>/dev/null)" ] || return 0
    echo "The classes in the lab, in seconds:"
    cat "$lab_reports"/*/TEST-*.xml | awk '
        /<testcase / { sum[value("classname")] += value("time"); count[value("classname")]++ }
        function value(name) {
            return match($0, " " name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : ""
        }
        END { for (class in sum) printf "%9.1f  %s (%d)\n", sum[class], class, count[class] }' | sort -rn
    echo
}

show_total() {
    awk '
        /<testsuite / {
            run += value("tests"); failures += value("failures")
            errors += value("errors"); skipped += value("skipped")
        }
        function value(name) {
            return match($0, " " name "=\"[0-9]+\"") ? substr($0, RSTART + length(name) + 3) + 0 : 0
        }
        END {
            printf "Tests run: %d, Failures: %d, Errors: %d, Skipped: %d\n", run, failures, errors, skipped
        }' "$tests_folder/reports"
}

# Commands that run again what failed, and nothing else.
show_again() {
    ! step_failed checks || echo "  ./verbena test -N    (mvn spotless:apply -N formats)"
    ! step_failed build || echo "  ./verbena test -DskipTests"
    if step_failed quiet || step_failed polling || step_failed tests || step_failed system; then
        show_modules_again
    fi
    ! step_failed stress || failed_stress_tests | sed 's/^/  scripts\/jcstress -m quick -t /'
    ! step_failed lab || show_lab_again
    ! step_failed samples || echo "  scripts/check-samples"
    ! step_failed docs || echo "  scripts/check-docs --others $(failed_documents docs)"
    ! step_failed figures || echo "  scripts/check-docs --figures $(failed_documents figures)"
}

# A line for each module with failed tests, and one for those whose reports are not complete, because a JVM crashed or Maven
# failed.
show_modules_again() {
    for module in "$root"/verbena-*; do
        classes=$(failed_classes "$module"/target/surefire-reports/TEST-*.xml \
            "$module"/target/surefire-reports/quiet/TEST-*.xml)
        [ -z "$classes" ] ||
            echo "  ./verbena test -pl ${module##*/} -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=$classes"
    done
    lost=$(lost_modules | paste -s -d , -)
    [ -z "$lost" ] || echo "  ./verbena test -fae -pl $lost -am"
}

# The modules of which Maven has not said that it is done with them, or whose JVM was lost.
lost_modules() {
    for log in "$tests_folder"/modules-*/*.log "$tests_folder"/modules-*/*.failed; do
        [ -f "$log" ] || continue
        module=${log##*/}
        module=${module%.*}
        [ "$log" = "${log%.failed}" ] || echo "$module"
        ! has_lost_jvm "$log" || echo "$module"
    done | sort -u
}

show_lab_again() {
    classes=$(failed_classes "$lab_reports"/*/TEST-*.xml)
    if [ -n "$classes" ]; then
        echo "  ./verbena lab tests --include-classname '.*\\.($(echo "$classes" | tr , '|'))'"
    else
        echo "  ./verbena lab tests"
    fi
}

# The outermost classes, without their packages, of the tests in these reports that failed; with commas between them.
failed_classes() {
    cat "$@" 2>/dev/null | awk '
        /<testcase / { name = $0; sub(/.* classname="/, "", name); sub(/".*/, "", name) }
        /<(failure|error)[ >]/ { sub(/[$].*/, "", name); sub(/.*[.]/, "", name); if (!seen[name]++) print name }
    ' | paste -s -d , -
}

failed_documents() {
    sed -n 's/^FAILED  \([^:]*\):.*/\1/p' "$tests_folder/$1.log" | sort -u | paste -s -d ' ' -
}

failed_stress_tests() {
    sed -n 's/.*\[FAILED\] \([A-Za-z0-9_.]*\).*/\1/p' "$tests_folder/stress.log" | sort -u
}
