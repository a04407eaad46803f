# SPDX-License-Identifier: Apache-2.0
#
# Runs the tests of verbena-stress. Sourced, after lib.sh.

has_stress_tests() {
    [ -n "$(find "$root/verbena-stress/src" -name '*.java' ! -name package-info.java | head -n 1)" ]
}

run_stress_tests() {
    results=$root/verbena-stress/target/results
    mkdir -p "$results"
    (cd "$results" && "$jdk/bin/java" -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED \
        -cp "$root/verbena-stress/target/lib/*" org.openjdk.jcstress.Main \
        -jvmArgsPrepend --enable-native-access=ALL-UNNAMED -r "$results" "$@")
}
