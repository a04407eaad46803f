# SPDX-License-Identifier: Apache-2.0
#
# Help that needs no build. Sourced by the launcher, after lib.sh. The pages in scripts/help are what the commands print
# themselves; scripts/update-help writes them, and tests compare them.

help_pages=$root/scripts/help

# True if the arguments ask for help: "help ...", or --help or -h anywhere before "--".
asks_for_help() {
    [ "${1-}" != help ] || return 0
    for help_word in "$@"; do
        case $help_word in
            --) return 1 ;;
            -h | --help) return 0 ;;
        esac
    done
    return 1
}

# Prints the page of the longest command that the arguments begin with, and ends.
print_help() {
    [ "${1-}" != help ] || shift
    help_page=verbena
    for help_word in "$@"; do
        case $help_word in
            -*) break ;;
        esac
        case $help_page in
            verbena) help_next=$help_word ;;
            *) help_next=$help_page-$help_word ;;
        esac
        if [ ! -f "$help_pages/$help_next.txt" ]; then
            [ "$help_page" != verbena ] || unknown_command "$help_word"
            break
        fi
        help_page=$help_next
    done
    cat "$help_pages/$help_page.txt"
    exit
}

unknown_command() {
    say "$1: no such command"
    cat "$help_pages/verbena.txt" >&2
    exit 2
}
