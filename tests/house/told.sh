#!/usr/bin/env bash
# told.sh ROOT: what people are told goes through say(), so that it is there in Chinese.
#
# Errors of the rooms that a user meets carry a Message (src/message.h): no plain text is thrown there, and no Message is
# put together by hand. Practice says both languages side by side, through both() of src/practice/two_languages.h. First it
# breaks the rule in a copy, to show that it would notice.
set -euo pipefail

# Prints one line per violation.
violations() {
    local root=$1
    cd "$root"
    # std::logic_error and std::invalid_argument are for mistakes of the program itself, std::bad_alloc has no text.
    grep -rnE 'throw[[:space:]]+std::(runtime|range|system|length)_error|throw[[:space:]]+(UsageError|Failure|Error|gpu::Error)[({][[:space:]]*["{]' \
        src/cli src/explorer src/gpu src/hardware src/practice src/report src/teaching --include='*.h' --include='*.cpp' --include='*.cu' \
        --include='*.cuh' 2>/dev/null |
        grep -v '^src/hardware/registers\.cpp:.*"registers\.csv: ' | # a file that is part of the program
        sed 's/$/   (say() says it in every language)/' || true
    # A text in only one of them.
    grep -rnE 'Message\{"|(refusal|reason|why) = "' src --include='*.h' --include='*.cpp' --include='*.cu' \
        --include='*.cuh' 2>/dev/null | sed 's/$/   (say() says it in every language)/' || true
}

# shellcheck source=tests/house/notices.sh
source "$(dirname "${BASH_SOURCE[0]}")/notices.sh"
notices src/cli/bad.cpp 'throw std::runtime_error("no");'
notices src/explorer/bad.cpp 'throw UsageError("no");'
notices src/gpu/bad.cu 'throw Error({"no", "no"});'
notices src/practice/bad.cpp 'throw Failure({"no", "no"});'
notices src/explorer/bad.cpp 'facts.refusal = "no";'
notices src/report/bad.cpp 'return Message{"no", "no"};'

found=$(violations "$(realpath "$1")")
[[ -z $found ]] && exit 0
echo "$found"
exit 1
