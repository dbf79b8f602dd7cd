"""A terminal of its own for a test, through a pty: what is shown after which key."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

failures = 0
ENTER, LEAVE = b"\x1b[?1049h", b"\x1b[?1049l"


def check(what, holds):
    global failures
    if not holds:
        failures += 1
        print("wrong:", what)


class Program:
    """`flashlens COMMAND ...` on a terminal of its own; the test's end of it stays open after the program's end."""

    def __init__(self, command, *arguments, lines=34, columns=120, term="xterm", **variables):
        self.terminal, self.inside = pty.openpty()
        self.resize(lines, columns)
        self.before = termios.tcgetattr(self.inside)
        self.output = b""
        environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "LC_ALL")}
        environment.update(LANG="C.UTF-8", TERM=term, **variables)
        self.pid = os.fork()
        if self.pid == 0:
            os.setsid()
            fcntl.ioctl(self.inside, termios.TIOCSCTTY, 0)
            for descriptor in (0, 1, 2):
                os.dup2(self.inside, descriptor)
            os.execve(sys.argv[1], [sys.argv[1], command, *arguments], environment)

    def resize(self, lines, columns):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self, until=None, seconds=20.0):
        """What comes until `until` is in it; without it, until nothing more is there."""
        got = b""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            wait = 0.0 if until is None else end - time.monotonic()
            if not select.select([self.terminal], [], [], wait)[0]:
                break
            try:
                got += os.read(self.terminal, 65536)
            except OSError:
                break
            if until is not None and until in got:
                break
        self.output += got
        return got

    def press(self, keys, until):
        """Presses keys; the screen that they lead to, without its escape codes, ends with its place: "  3/18"."""
        os.write(self.terminal, keys)
        screen = self.read(until)
        check(f"{until!r} after {keys!r}, got {screen[-200:]!r}", until in screen)
        return screen

    def end(self):
        """How the program ended; all it has written is then in self.output."""
        end = time.monotonic() + 20.0
        while time.monotonic() < end:
            self.read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid != 0:
                self.read()
                return status
            time.sleep(0.01)
        check("the program ends", False)
        os.kill(self.pid, signal.SIGKILL)
        return os.waitpid(self.pid, 0)[1]

    def restored(self):
        return termios.tcgetattr(self.inside) == self.before

    def close(self):
        os.close(self.terminal)
        os.close(self.inside)


def plain(screen):
    return re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", screen)


def finish():
    sys.exit(1 if failures else 0)
