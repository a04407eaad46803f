# SPDX-License-Identifier: Apache-2.0
#
# The Debian packages that tests and the lab need. Sourced by the launcher, after lib.sh.

# Sets $missing to the packages of scripts/packages that are not installed; says why each is needed.
find_missing_packages() {
    missing=
    while read -r package present reason; do
        case $package in
            '' | '#'*) continue ;;
        esac
        is_present "$present" && continue
        missing="$missing $package"
        say "missing: $package ($reason)"
    done <"$root/scripts/packages"
    missing=${missing# }
}

# A program on PATH or in a folder of root's PATH, or a file.
is_present() {
    case $1 in
        /*) [ -e "$1" ] ;;
        *) command -v "$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$1" ] || [ -x "/sbin/$1" ] ;;
    esac
}

can_install() {
    [ "$(id -u)" = 0 ] && [ -f /etc/debian_version ] && command -v apt-get >/dev/null 2>&1
}

# Installs missing packages where possible. Fails if any are still missing.
install_packages() {
    find_missing_packages
    [ -n "$missing" ] || return 0
    if ! can_install; then
        say "not root on Debian: install by hand (on Debian: apt install $missing)"
        return 1
    fi
    say "installing: $missing"
    mkdir -p "$root/target"
    # shellcheck disable=SC2086 # a list of words
    if { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
        $missing; } >"$root/target/apt.log" 2>&1; then
        return 0
    fi
    say "could not install them; see $root/target/apt.log"
    return 1
}
