"""practice_keys_test.py FLASHLENS: `practice --watch` on a terminal: what saving does, key by key."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from keys import ENTER, LEAVE, Program, check, finish, plain

home = pathlib.Path(tempfile.mkdtemp(prefix="flashlens-"))
folder = home / "flashlens-practice"


def ask(*arguments):
    """The program without a terminal."""
    return subprocess.run(
        [sys.argv[1], "practice", *arguments],
        env={"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def watch(*arguments, **more):
    return Program("practice", *arguments, "--watch", HOME=str(home), **({"lines": 24, "columns": 80} | more))


def seen(screen):
    """The last page of what was written, in lines."""
    return plain(screen.rpartition(b"\x1b[H")[2]).replace(b"\r", b"").decode().split("\n")


ask()
names = [row["exercise"] for row in json.loads(ask("--list", "--json", "-").stdout)["exercises"]]
mine = folder / f"{names[0]}.cu"
given = mine.read_text()

# Untouched: what is asked, and nothing is judged.
program = watch()
first = program.read(b"q: quit")
check("a screen of its own", ENTER in first)
check("what is asked", seen(first)[0].startswith("1. ") and str(mine) in plain(first).decode())
check("keys", "saving judges  r: judge  v: verdict  h: hint  n: next  q: quit" in seen(first)[-1])
for line in seen(first):
    check(f"{line!r} fits", len(line) <= 80)

# Saved in place: judged, within seconds.
start = time.monotonic()
mine.write_text("#error not written yet\n" + given)
judged = plain(program.read(b"r: again")).decode()
check("what the compiler says", "It does not compile" in judged and "not written yet" in judged)
check("within 6 s", time.monotonic() - start < 6.0)
# The same content again, with another time: nothing to judge.
os.utime(mine)
time.sleep(0.9)
check("touched is not saved", program.read() == b"")
check("r: judged again", b"not written yet" in plain(program.press(b"r", b"r: again")))
# Saved by rename, as editors do, and back to what was handed out: it is judged all the same.
other = folder / "new.tmp"
other.write_text(given)
other.rename(mine)
check("a wrong one", "✗".encode() in program.read(b"r: again"))

# Hints, the task, the verdict again.
hint = program.press(b"h", b"q: quit")
check("h: a hint", b"Hint 1 of " in plain(hint))
check("h: is kept", json.loads(ask("--list", "--json", "-").stdout)["exercises"][0]["hints_taken"] == 1)
check("h: another one", b"Hint 2 of " in plain(program.press(b"h", b"q: quit")))
check("t: what is asked", str(mine).encode() in plain(program.press(b"t", b"q: quit")))
check("v: the verdict", "✗".encode() in program.press(b"v", b"q: quit"))
solution = pathlib.Path(__file__).parents[2] / f"lessons/exercises/{names[0]}/solution.cu"
mine.write_text(solution.read_text())
solved = seen(program.read(b"r: again"))
check(f"solved: the first lines say so: {solved[:4]}", f"{names[0]} passed." in solved)
check("solved: kept", json.loads(ask("--list", "--json", "-").stdout)["exercises"][0]["state"] == "passed")
program.resize(30, 60)
narrow = program.read(b"saving judges")
for line in seen(narrow):
    check(f"{line!r} fits in 60 columns", len(line) <= 60)
os.write(program.terminal, b"q")
check("q ends with 0", program.end() == 0)
check("the terminal as before", program.restored() and LEAVE in program.output)
program.close()

# An attempt that does not end is given up at a key.
mine.write_text(f"#include <unistd.h>\n__attribute__((constructor)) static void wait_long() {{ for (;;) sleep(1); }}\n{given}")
program = watch(names[0])
check("it is tried", b"compiling and trying" in program.read(b"compiling and trying"))
time.sleep(2.0)
check("and is still", b"r: again" not in program.read())
start = time.monotonic()
os.write(program.terminal, b"q")
check("q while it runs ends with 0", program.end() == 0)
check("at once", time.monotonic() - start < 3.0)
program.close()

# A dumb terminal, Chinese; Ctrl-D ends.
program = watch(names[0], "--lang", "zh", term="dumb")
program.read("编译并检验".encode())
os.write(program.terminal, b"\x04")
check("dumb: ends with 0, no escape codes", program.end() == 0 and b"\x1b" not in program.output)
program.close()

# n: the next one.
if len(names) > 1:
    mine.write_text(given)
    (folder / f"{names[1]}.cu").unlink()
    program = watch(names[0], lines=100)  # the whole task, with the name of its file below
    program.read(b"q: quit")
    check("n: the next", names[1].encode() in plain(program.press(b"n", b"q: quit")))
    os.write(program.terminal, b"\x1b")
    check("Escape ends with 0", program.end() == 0)
    program.close()

# --reset asks on a terminal.
mine.write_text("// mine\n")
program = Program("practice", names[0], "--reset", HOME=str(home))
program.read(b"[y/N] ")
os.write(program.terminal, b"y\n")
check("--reset ends with 0", program.end() == 0)
check("--reset: as handed out", mine.read_text() == given and (folder / f"{names[0]}.cu.bak").read_text() == "// mine\n")
program.close()

shutil.rmtree(home)
finish()
