#!/usr/bin/env bash
# What only a real process shows: pipes, full disks, closed outputs.  process_test.sh /path/to/flashlens
set -u
unset LC_ALL LC_MESSAGES
export LANG=C
flashlens=$1
failed=0

expect() {  # what, wanted, got
    if [[ $2 != "$3" ]]; then
        echo "$1: expected '$2', got '$3'"
        failed=1
    fi
}

"$flashlens" devices 2>/tmp/flashlens-err.$$ | head -1 >/dev/null
codes=("${PIPESTATUS[@]}")
expect "exit code into head" 0 "${codes[0]}"
expect "errors into head" "" "$(cat /tmp/flashlens-err.$$)"

"$flashlens" devices 2>/tmp/flashlens-err.$$ | true
codes=("${PIPESTATUS[@]}")
expect "exit code into a reader that leaves at once" 0 "${codes[0]}"
expect "errors into a reader that leaves at once" "" "$(cat /tmp/flashlens-err.$$)"

if [[ -w /dev/full ]]; then
    "$flashlens" devices >/dev/full 2>/tmp/flashlens-err.$$
    expect "exit code on a full disk" 1 $?
    expect "error on a full disk" "flashlens: standard output: No space left on device" "$(cat /tmp/flashlens-err.$$)"
    "$flashlens" devices --lang zh >/dev/full 2>/tmp/flashlens-err.$$
    expect "error on a full disk, in Chinese" "flashlens: 标准输出：磁盘已满" "$(cat /tmp/flashlens-err.$$)"
fi

"$flashlens" devices >&- 2>/dev/null
expect "exit code without standard output" 1 $?

"$flashlens" --seqlen 12abc >/tmp/flashlens-out.$$ 2>/tmp/flashlens-err.$$
expect "exit code of bad usage" 2 $?
expect "output of bad usage" "" "$(cat /tmp/flashlens-out.$$)"
expect "error of bad usage" "flashlens: --seqlen 12abc: not a whole number; try --seqlen 1024" "$(cat /tmp/flashlens-err.$$)"

if TERM=xterm LANG=C.UTF-8 "$flashlens" devices | grep -q $'\x1b'; then
    echo "an escape code in a pipe"
    failed=1
fi
TERM=xterm LANG=C.UTF-8 COLUMNS=nonsense "$flashlens" devices --lang zh >/tmp/flashlens-out.$$
expect "exit code of devices --lang zh" 0 $?

# A full disk: an error that names the file, and nothing half done.
practice=$(mktemp -d)
(
    trap '' XFSZ
    ulimit -f 1
    "$flashlens" practice --folder "$practice/mine" >/tmp/flashlens-out.$$ 2>/tmp/flashlens-err.$$
)
expect "exit code of practice without room" 1 $?
expect "output of practice without room" "" "$(cat /tmp/flashlens-out.$$)"
if ! grep -q "^flashlens: $practice/mine/.*: can't be written: File too large$" /tmp/flashlens-err.$$; then
    echo "error of practice without room: $(cat /tmp/flashlens-err.$$)"
    failed=1
fi
expect "files half written" "" "$(find "$practice" -name '*.part')"
# A folder that may only be read: what is asked is shown all the same (root may write everywhere).
"$flashlens" practice --folder "$practice/mine" >/dev/null 2>&1
chmod -R a-w "$practice/mine"
"$flashlens" practice --folder "$practice/mine" >/tmp/flashlens-out.$$ 2>/tmp/flashlens-err.$$
expect "exit code of practice in a folder to read" 0 $?
expect "errors of practice in a folder to read" "" "$(cat /tmp/flashlens-err.$$)"
chmod -R u+w "$practice"
# Ended from outside while it judges: nothing temporary stays, and the shell is told of the signal.
mkdir "$practice/temporary"
TMPDIR=$practice/temporary "$flashlens" practice 1 --check --folder "$practice/mine" >/dev/null 2>&1 &
for ((i = 0; i < 500; ++i)); do
    [[ -z $(ls "$practice/temporary") ]] || break
    sleep 0.01
done
expect "folders of practice that judges" 1 "$(find "$practice/temporary" -maxdepth 1 -name 'flashlens-*' | wc -l)"
kill -TERM $!
wait $! 2>/dev/null
expect "exit code of practice that is ended" 143 $?
expect "what practice that is ended leaves" "" "$(ls "$practice/temporary")"
rm -rf "$practice"

rm -f /tmp/flashlens-out.$$ /tmp/flashlens-err.$$
exit $failed
