"""lecture_test.py FLASHLENS: the whole lecture, played into a pipe of 120 columns in both languages: every command runs,
and every step fits a screen of 120 x 34."""

import os
import re
import subprocess
import sys
import unicodedata

failures = 0


def check(what, holds):
    global failures
    if not holds:
        failures += 1
        print("wrong:", what)


def width(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in text)


def played(language, columns=120, locale="C.UTF-8", *arguments):
    environment = os.environ | {"COLUMNS": str(columns), "LC_ALL": locale, "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [sys.argv[1], "lecture", "--lang", language, *arguments],
        env=environment, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    check(f"{language}, {columns} columns: exit code {done.returncode}: {done.stderr}", done.returncode == 0)
    check(f"{language}: nothing on standard error: {done.stderr}", done.stderr == "")
    steps = re.split(r"\n\n\n(?=[^\n]* \d+/\d+\n)", done.stdout.rstrip("\n"))
    for at, step in enumerate(steps):
        check(f"{language}: step {at + 1} in its place", re.search(rf" {at + 1}/{len(steps)}$", step.split("\n")[0]))
    return [step.split("\n") for step in steps]


count = set()
for language in ("en", "zh"):
    steps = played(language)
    count.add(len(steps))
    for step in steps:
        title = step[0].strip()
        check(f"{language}: {title}: {len(step)} lines", len(step) <= 34)
        for line in step:
            check(f"{language}: {title}: {width(line)} columns: {line}", width(line) <= 120)
        # Filters that leave nothing, or only a heading, would go unnoticed in the exit code.
        for start in (at for at, line in enumerate(step) if line.startswith("$ flashlens")):
            output = step[start + 1 :]
            check(f"{language}: {title}: nothing is shown", sum(1 for line in output if line.strip()) >= 2)
    with_notes = played(language, 120, "C.UTF-8", "--notes")
    for step, noted in zip(steps, with_notes):
        check(f"{language}: {step[0]}: the notes stand below", len(noted) > len(step) + 2)
    # Other terminals: all of it still runs.
    played(language, 80)
    played(language, 120, "C")
check("both languages have as many steps", len(count) == 1 and 18 <= count.pop() <= 24)
sys.exit(1 if failures else 0)
