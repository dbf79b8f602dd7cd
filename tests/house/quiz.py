"""quiz.py FLASHLENS: what the questions of the quiz send their readers to is there, and runs.

Every `show:` of lessons/quiz and of the drawn questions exits with 0, and right answers that are piped in score full
marks, by the process as people run it. Then it breaks what it holds, to show that it would notice.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "lessons/quiz").glob("*/*.md"))
FLASHLENS = pathlib.Path(sys.argv[1]).resolve()


def run(words, typed="", state=None):
    changed = {"CUDA_VISIBLE_DEVICES": "", "LC_ALL": "C.UTF-8", "LANGUAGE": "", "COLUMNS": ""}
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "data", pathlib.Path(folder) / "data")
        changed["XDG_STATE_HOME"] = state or folder
        return subprocess.run(
            [FLASHLENS, *words], cwd=folder, env=os.environ | changed, input=typed, capture_output=True,
            encoding="utf-8", check=False,
        )  # fmt: skip


def wrong_command(command):
    words = shlex.split(command)
    done = run(words[1:]) if words[0] == "flashlens" else None
    if done is None or done.returncode != 0:
        return f"{command}: {'no command of flashlens' if done is None else done.stderr.strip()}"
    return None


def asked(typed, *options):
    done = run(["quiz", "--count", "1000", "--json", "-", *options], typed)
    if done.returncode != 0 or done.stderr:
        raise SystemExit(f"quiz {' '.join(options)}: {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def waits_for_answers():
    """A question is there before its answer is read, also where both are pipes."""
    with tempfile.TemporaryDirectory() as folder:
        with subprocess.Popen(
            [FLASHLENS, "quiz", "--topic", "grid,splits", "--level", "1", "--count", "2", "--seed", "1", "--lang", "en"],
            env=os.environ | {"XDG_STATE_HOME": folder}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        ) as quiz:  # fmt: skip
            for number in (1, 2):
                shown = b""
                while not shown.endswith(b" > "):
                    byte = quiz.stdout.read(1)
                    if not byte:
                        return False
                    shown += byte
                if f"Question {number} of 2".encode() not in shown:
                    return False
                quiz.stdin.write(b"\n\n" if b"say it" in shown else b"\n")
                quiz.stdin.flush()
            quiz.stdin.close()
            return b"Score: 0 of 2" in quiz.stdout.read() and quiz.wait() == 0


def answers(quiz):
    lines = []
    for question in quiz["questions"]:
        lines += ["because"] if question["kind"] == "open" else []
        lines.append(question["right"])
    return "\n".join(lines) + "\n"


def main():
    commands = set()
    for file in FILES:
        commands |= set(re.findall(r"^show: (.*)$", file.read_text(encoding="utf-8"), re.M))
    complaints = [] if len(commands) > 20 else ["lessons/quiz has next to no commands"]
    for seed, language in (("1", "en"), ("2", "zh")):
        options = ("--seed", seed, "--lang", language)
        quiz = asked("\n" * 2000, *options)
        commands |= {question["show"] for question in quiz["questions"]}
        full = asked(answers(quiz), *options)
        if not len(full["questions"]) == full["points"] > 60:
            complaints.append(f"right answers have {full['points']} of {len(full['questions'])} points")
        if not asked(answers(quiz).replace("1", "7").replace("a", "b"), *options)["points"] < full["points"]:
            complaints.append("wrong answers have all points too")
    if not waits_for_answers():
        complaints.append("no question is shown before its answer is read")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        complaints += filter(None, pool.map(wrong_command, sorted(commands)))
    for broken in ("flashlens explan", "explain", "flashlens explain -d 7"):
        if not wrong_command(broken):
            complaints.append(f"not noticed: {broken}")
    print("\n".join(complaints) if complaints else f"{len(commands)} commands and the answers of the quiz: sound")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
