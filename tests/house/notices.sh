# shellcheck shell=bash
# Sourced by tests that hold a rule of the sources with a function violations ROOT, which prints a line per violation: to
# break the rule in a copy, and see that it would be noticed.

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

# notices FILE LINE: with LINE in FILE of a copy, there is something to report.
notices() {
    mkdir -p "$(dirname "$copy/$1")"
    printf '%s\n' "$2" >"$copy/$1"
    if [[ -z $(violations "$copy") ]]; then
        echo "$(basename "$0") did not notice: $2 in $1"
        exit 1
    fi
    rm "$copy/$1"
}
