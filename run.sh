#!/usr/bin/env bash
# ./run.sh [command and options]
# Installs what is missing (apt, on Debian and Ubuntu), builds, and runs flashlens with these arguments; bare, it
# compares FlashAttention-1 and 2 on a shape that takes seconds. ./run.sh --help shows the commands.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tools/prepare.sh
source "$top/tools/prepare.sh"
configure program
compile flashlens
exec "$build/bin/flashlens" "$@"
