# SPDX-License-Identifier: Apache-2.0
#
# What the launcher and the scripts share. Sourced, with $root set to the checkout.

java_wanted=25
launcher_dir=$root/target/launcher
stamp=$launcher_dir/stamp

# How the program is started. The serial collector starts fastest and has no threads that compete with polling on a
# small machine.
program_options="-XX:+UseSerialGC --enable-native-access=io.verbena.verbs.soft,io.verbena.verbs.ibv"
program_main=io.verbena.cli/io.verbena.cli.Main

say() {
    echo "verbena: $*" >&2
}

die() {
    say "$*"
    exit 1
}

# True if $1 is the home of a JDK that is new enough. Reads its release file: starting a JVM to ask would be slow.
is_jdk() {
    [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 1
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release")
    [ -n "$version" ] && [ "$version" -ge "$java_wanted" ]
}

# The JDK of the java on PATH, through any symbolic links.
home_of_path_java() {
    java=$(command -v java) || return 0
    java=$(readlink -f "$java" 2>/dev/null) || return 0
    dirname "$(dirname "$java")"
}

# Sets $jdk, and JAVA_HOME for Maven.
find_jdk() {
    jdk=
    if [ -n "${VERBENA_JAVA_HOME-}" ]; then
        is_jdk "$VERBENA_JAVA_HOME" ||
            die "VERBENA_JAVA_HOME=$VERBENA_JAVA_HOME is not a JDK $java_wanted or newer; point it to one or unset it"
        jdk=$VERBENA_JAVA_HOME
    else
        for candidate in "${JAVA_HOME-}" "$(home_of_path_java)" /usr/lib/jvm/* \
            "${HOME-}"/.sdkman/candidates/java/* \
            /Library/Java/JavaVirtualMachines/*/Contents/Home "${HOME-}"/.jdks/*; do
            if [ -n "$candidate" ] && is_jdk "$candidate"; then
                jdk=$candidate
                break
            fi
        done
    fi
    [ -n "$jdk" ] ||
        die "no JDK $java_wanted found: install one (for example Temurin $java_wanted, https://adoptium.net) or set VERBENA_JAVA_HOME"
    export JAVA_HOME="$jdk"
}

find_maven() {
    command -v mvn >/dev/null 2>&1 ||
        die "no Maven found: install Maven 3.8 or newer (on Debian: apt install maven)"
}

# Prints the modules that programs depend on: those of the BOM.
published_modules() {
    sed -n '/<dependencyManagement>/,/<\/dependencyManagement>/s/.*<artifactId>\(.*\)<\/artifactId>.*/\1/p' \
        "$root/verbena-bom/pom.xml"
}

# Prints the version of all modules.
version_of_modules() {
    sed -n 's/^    <version>\(.*\)<\/version>/\1/p' "$root/pom.xml"
}

# packaged MODULE: prints its jar, or nothing. Those of programs lie among their libraries.
packaged() {
    for found in "$root/$1/target/$1-$(version_of_modules).jar" "$root/$1/target/lib/$1-$(version_of_modules).jar"; do
        [ ! -f "$found" ] || echo "$found"
    done
}

# lay_out_artifacts FOLDER MODULE...: makes a local Maven repository that has these modules as packaged; its other folders
# are links to those of the user.
lay_out_artifacts() {
    laid_out=$1
    shift
    version=$(version_of_modules)
    rm -rf "$laid_out"
    for artifact in "$@"; do
        folder=$laid_out/io/verbena/$artifact/$version
        mkdir -p "$folder"
        case $artifact in
            verbena-parent) cp "$root/pom.xml" "$folder/$artifact-$version.pom" && continue ;;
            verbena-bom) cp "$root/verbena-bom/pom.xml" "$folder/$artifact-$version.pom" && continue ;;
        esac
        jar=$(packaged "$artifact")
        [ -n "$jar" ] || die "$artifact is not packaged (expected: mvn package -DskipTests, or ./verbena test, first)"
        cp "$root/$artifact/pom.xml" "$folder/$artifact-$version.pom"
        cp "$jar" "$folder/"
    done
    usual=$(printf '%s\n' ${MAVEN_OPTS-} | sed -n 's/^-Dmaven.repo.local=//p')
    usual=${usual:-${HOME-}/.m2/repository}
    link_all "$usual" "$laid_out"
    link_all "$usual/io" "$laid_out/io"
}

# link_all FROM TO: links to everything in a folder, but not to what is there already
link_all() {
    for found in "$1"/*; do
        [ ! -e "$found" ] || [ -e "$2/${found##*/}" ] || ln -s "$found" "$2/"
    done
}

# Runs Maven in the checkout. The options silence the JVM's warnings about Maven's own libraries.
maven() {
    (cd "$root" &&
        MAVEN_OPTS="--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow ${MAVEN_OPTS-}" \
            mvn "$@") 9>&-
}

# For runs of Maven that compile nothing: they are over before the second compiler pays off, and leave the other processors
# to what they start. The user may have chosen another collector.
use_quick_maven() {
    case ${MAVEN_OPTS-} in
        *-XX:+Use*GC*) MAVEN_OPTS="-XX:TieredStopAtLevel=1 $MAVEN_OPTS" ;;
        *) MAVEN_OPTS="-XX:+UseSerialGC -XX:TieredStopAtLevel=1 ${MAVEN_OPTS-}" ;;
    esac
}

# Takes the build lock, or waits for it; the lock ends with the process, and Maven does not inherit it.
lock_build() {
    [ -z "${VERBENA_BUILDING-}" ] ||
        die "called from within a build of the same checkout, and the program is out of date"
    if ! mkdir -p "$launcher_dir" 2>/dev/null || ! [ -w "$launcher_dir" ]; then
        die "cannot write to $launcher_dir: the checkout is read-only or another user's; build it where you may write, or copy it"
    fi
    if command -v flock >/dev/null 2>&1; then
        exec 9>"$launcher_dir/lock"
        if ! flock -n 9; then
            say "waiting for another build of this checkout ..."
            flock 9
        fi
    else
        waiting=
        until mkdir "$launcher_dir/lock.d" 2>/dev/null; do
            [ -n "$waiting" ] ||
                say "waiting for another build of this checkout (if there is none, remove $launcher_dir/lock.d) ..."
            waiting=yes
            sleep 1
        done
        trap 'rmdir "$launcher_dir/lock.d" 2>/dev/null || true' EXIT
        trap 'exit 130' INT TERM
    fi
    export VERBENA_BUILDING=1
}

unlock_build() {
    unset VERBENA_BUILDING
    if command -v flock >/dev/null 2>&1; then
        exec 9>&-
    else
        rmdir "$launcher_dir/lock.d"
        trap - EXIT INT TERM
    fi
}

# Sets $app to the published program. Fails if there is none, or if a source, a descriptor or a folder of them (a
# file was removed) is newer; for a guest of the lab, its host has looked.
up_to_date() {
    [ -f "$stamp" ] && read -r app_name <"$stamp" && app=$launcher_dir/$app_name && [ -d "$app" ] || return 1
    [ "${VERBENA_LAB_UP_TO_DATE-}" != "$stamp" ] || return 0
    [ -z "$(find "$root"/pom.xml "$root"/verbena-*/pom.xml "$root"/verbena-*/src/main "$root"/.mvn \
        -newer "$stamp" 2>/dev/null | head -n 1)" ]
}

# Call this under the lock, before Maven starts: sources that change after this moment are newer than the build.
begin_program() {
    rm -rf "$root/verbena-cli/target/lib"
    : >"$launcher_dir/stamp.new"
}

# Copies the program that Maven built to its own folder, so that the next build does not replace the jars of a running
# program. The three newest stay.
publish_program() {
    app_name=app-$(date +%Y%m%d-%H%M%S)-$$
    app=$launcher_dir/$app_name
    cp -R "$root/verbena-cli/target/lib" "$app"
    make_start_cache
    began=$launcher_dir/stamp.began
    mv "$launcher_dir/stamp.new" "$began"
    echo "$app_name" >"$launcher_dir/stamp.new"
    touch -r "$began" "$launcher_dir/stamp.new"
    mv "$launcher_dir/stamp.new" "$stamp"
    rm -f "$began"
    # shellcheck disable=SC2012 # the names are ours
    ls -d "$launcher_dir"/app-* | sort -r | tail -n +4 | while read -r old; do rm -rf "$old"; done
}

# Stores the classes that a short command loads, with what the JVM learned about them, next to the program. Where the
# JVM cannot do that, startup just takes longer.
make_start_cache() {
    # shellcheck disable=SC2086 # a list of words
    "$jdk/bin/java" $program_options -XX:AOTCacheOutput="$app/start.aot" -p "$app" -m $program_main devices \
        >"$launcher_dir/start-cache.log" 2>&1 || rm -f "$app/start.aot"
}

# Runs Maven with the given arguments; shows a line per module, keeps the rest in a log, shows its errors.
maven_with_progress() {
    log=$launcher_dir/build.log
    rm -f "$log.failed"
    { maven "$@" 2>&1 || : >"$log.failed"; } | tee "$log" |
        sed -n -u 's/^\[INFO\] Building \(verbena-[^ ]*\) .*\(\[[0-9]*\/[0-9]*\]\)$/verbena:   \2 \1/p' >&2
    if [ -f "$log.failed" ]; then
        grep '^\[ERROR\]' "$log" | head -n 20 >&2 || true
        die "the build failed; all of its output is in $log"
    fi
}

# Builds modules and what they need, without tests and checks.
build_modules() {
    maven_with_progress package -pl "$1" -am -Dmaven.test.skip -Denforcer.skip -Dcheckstyle.skip \
        -Dspotless.check.skip -Dforbiddenapis.skip
}

build_if_needed() {
    up_to_date && return
    [ -z "${VERBENA_LAB-}" ] ||
        die "the program is out of date, and the lab's guest does not build: run ./verbena --version outside of it first"
    find_maven
    lock_build
    if ! up_to_date; then
        if [ -f "$stamp" ]; then
            say "building (sources changed) ..."
        else
            say "building (first use, one to three minutes, longer if libraries must be downloaded) ..."
        fi
        begin_program
        build_modules verbena-cli
        publish_program
    fi
    unlock_build
}
