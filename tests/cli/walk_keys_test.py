"""walk_keys_test.py FLASHLENS: `walk` on a terminal, key by key, through a pty: what is shown after which key, and that
the terminal is as it was afterwards, however the program ends."""

import functools
import os
import signal
import termios

from keys import ENTER, LEAVE, Program, check, finish, plain

Walk = functools.partial(Program, "walk")


# Forward with Enter, blank and arrows; back; the end; the last page stays.
walk = Walk()
first = walk.read(b"1/20")
check("its own screen", ENTER in first)
check("the problem first", b"step by step" in plain(first))
check("single keys, no echo", not termios.tcgetattr(walk.inside)[3] & (termios.ICANON | termios.ECHO))
check("Ctrl-C stays a signal", termios.tcgetattr(walk.inside)[3] & termios.ISIG)
check("v1's first step", b"v1, step 1 of 6" in plain(walk.press(b"\r", b"2/20")))
check("v1's second", b"v1, step 2 of 6" in plain(walk.press(b" ", b"3/20")))
third = walk.press(b"\x1b[C", b"4/20")
check("v1's third, by an arrow", b"v1, step 3 of 6" in plain(third))
check("a page fits its screen", third.count(b"\n") == 33)
check("what changed is bold", b"\x1b[1m  1.5875\x1b[0m" in third)
check("back", b"v1, step 2 of 6" in plain(walk.press(b"b", b"3/20")))
check("back by an arrow", b"v1, step 1 of 6" in plain(walk.press(b"\x1bOD", b"2/20")))
check("back stops at the start", b"step by step" in plain(walk.press(b"bb", b"1/20")))
check("a key without a meaning changes nothing", b"step by step" in plain(walk.press(b"x", b"1/20")))
check("the last page", b"One result, two orders" in plain(walk.press(b"\x1b[F", b"20/20")))
walk.press(b"\x1b[H", b"1/20")
walk.press(b"\r", b"2/20")
walk.output = b""
os.write(walk.terminal, b"q")
check("q ends with 0", walk.end() == 0)
check("q: the terminal as before", walk.restored())
left = walk.output.partition(LEAVE)[2]
check("q: the screen as before, the step on it", plain(left).startswith(b"v1, step 1 of 6") and LEAVE in walk.output)
check("q: nothing else on it", b"step 2 of 6" not in left)
walk.close()

# "a" shows the rest; Enter on the last page ends.
walk = Walk("--order", "v2")
walk.press(b"\r", b"2/12")
os.write(walk.terminal, b"a")
check("a ends with 0", walk.end() == 0)
left = plain(walk.output.partition(LEAVE)[2])
check("a: all from here on", all(b"v2, step %d of 10" % step in left for step in range(1, 11)))
check("a: the result", b"gives the softmax over all keys" in left and b"step by step" not in left)
check("a: the terminal as before", walk.restored())
walk.close()
walk = Walk("--order", "v1", "--scores", "0 5")
for page in (b"1/4", b"2/4", b"3/4"):
    walk.read(page)
    os.write(walk.terminal, b"\n")
walk.read(b"4/4")
os.write(walk.terminal, b"\n")
check("Enter on the last page ends with 0", walk.end() == 0)
walk.close()

# Signals: the terminal is given back, and the shell sees which signal it was.
for name, send in (
    ("Ctrl-C", lambda walk: os.write(walk.terminal, b"\x03")),
    ("SIGTERM", lambda walk: os.kill(walk.pid, signal.SIGTERM)),
    ("SIGHUP", lambda walk: os.kill(walk.pid, signal.SIGHUP)),
    ("Ctrl-\\", lambda walk: os.write(walk.terminal, b"\x1c")),
):
    wanted = {"Ctrl-C": signal.SIGINT, "SIGTERM": signal.SIGTERM, "SIGHUP": signal.SIGHUP, "Ctrl-\\": signal.SIGQUIT}
    walk = Walk()
    walk.read(b"1/20")
    send(walk)
    status = walk.end()
    check(f"{name}: ended by it", os.WIFSIGNALED(status) and os.WTERMSIG(status) == wanted[name])
    check(f"{name}: the terminal as before", walk.restored())
    check(f"{name}: the screen as before", walk.output.rstrip().endswith(LEAVE) or LEAVE in walk.output)
    check(f"{name}: the cursor is back", b"\x1b[?25h" in walk.output)
    walk.close()

# Stopped and continued: the terminal is the shell's in between.
walk = Walk()
walk.read(b"1/20")
walk.press(b"\r", b"2/20")
os.kill(walk.pid, signal.SIGTSTP)
pid, status = os.waitpid(walk.pid, os.WUNTRACED)
check("Ctrl-Z stops it", os.WIFSTOPPED(status))
check("stopped: the terminal as before", walk.restored())
check("stopped: the screen as before", LEAVE in walk.read())
os.kill(walk.pid, signal.SIGCONT)
check("continued: the page again", b"v1, step 1 of 6" in plain(walk.read(b"2/20")))
check("continued: single keys again", not termios.tcgetattr(walk.inside)[3] & termios.ICANON)
# Another size: drawn anew for it, at once.
walk.resize(24, 80)
small = walk.read(b"2/20")
check("resized: the page again", b"v1, step 1 of 6" in plain(small))
check("resized: it fits", small.count(b"\n") == 23 and b"P V   " not in plain(small))
os.write(walk.terminal, b"\x04")
check("Ctrl-D ends with 0", walk.end() == 0)
check("Ctrl-D: the terminal as before", walk.restored())
walk.close()

# A page that does not fit is cut into screens, and Enter goes through them.
walk = Walk("-s", "16", "--block-m", "8", lines=12, columns=80)
pages = [plain(walk.read(b"1/"))]
pages.append(plain(walk.press(b"\r", b"1/")))
check("the page's rest", pages[0] != pages[1] and b"step by step" not in pages[1])
check("back to its start", b"step by step" in plain(walk.press(b"b", b"1/")))
os.write(walk.terminal, b"\x1b")
check("Escape ends with 0", walk.end() == 0)
walk.close()

# A dumb terminal, no colour, Chinese.
walk = Walk(term="dumb")
walk.read(b"1/20")
walk.press(b"\n", b"2/20")
os.write(walk.terminal, b"q")
check("dumb: ends with 0", walk.end() == 0)
check("dumb: no escape codes", b"\x1b" not in walk.output)
walk.close()
walk = Walk("--lang", "zh", NO_COLOR="1")
walk.read(b"1/20")
second = walk.press(b"\n", b"2/20")
check("Chinese", "第 1 步".encode() in second and "下一步".encode() in second)
check("NO_COLOR: marks instead", b"* m = max" in second and b"\x1b[1m" not in second)
os.write(walk.terminal, b"q")
walk.end()
walk.close()

# --all asks for no keys.
walk = Walk("--all")
check("--all ends by itself", walk.end() == 0)
check("--all: no screen of its own", ENTER not in walk.output)
check("--all: everything", b"One result, two orders" in walk.output)
walk.close()

finish()
