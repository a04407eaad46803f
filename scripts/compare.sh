# SPDX-License-Identifier: Apache-2.0
#
# "./verbena compare". Sourced by the launcher, after lib.sh. The systems to compare with are not part of the command
# line: they are separate modules, built on demand.

compare_libraries=$root/verbena-compare/target/lib
compare_brpc_libraries=$root/verbena-compare-brpc/target/lib
compare_stamp=$root/verbena-compare/target/stamp

compare_up_to_date() {
    [ -f "$compare_stamp" ] && [ -d "$compare_libraries" ] && [ -d "$compare_brpc_libraries" ] &&
        [ -z "$(find "$root"/pom.xml "$root"/verbena-*/pom.xml "$root"/verbena-*/src/main \
            -newer "$compare_stamp" 2>/dev/null | head -n 1)" ]
}

run_compare() {
    if ! compare_up_to_date; then
        find_maven
        say "building the comparison (the libraries are downloaded if needed) ..."
        lock_build
        rm -rf "$compare_libraries" "$compare_brpc_libraries"
        # sources that change after this moment are newer than the build
        : >"$launcher_dir/compare.began"
        build_modules verbena-compare,verbena-compare-brpc
        mv "$launcher_dir/compare.began" "$compare_stamp"
        unlock_build
    fi
    exec "$jdk/bin/java" -XX:+UseSerialGC -cp "$compare_libraries/*" io.verbena.compare.CompareCommand \
        --brpc-libraries "$compare_brpc_libraries" "$@"
}
