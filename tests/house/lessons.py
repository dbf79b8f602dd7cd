"""lessons.py FLASHLENS FIGURES [--write]: what the lessons say is what the program prints and what was measured.

FLASHLENS and FIGURES are the programs flashlens and flashlens_lesson_figures. lessons/README.md has the conventions of
a page, which this script holds for both languages; --write fills in rows of tables, output of commands and figures.
Then it breaks each rule in a copy, to show that it would notice.
"""

import builtins
import csv
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
LESSONS = ROOT / "lessons"
KEYS = {  # of each stored file: the columns that name a point
    "seqlen": ("seqlen", "mask"),
    "heads": ("heads", "mask"),
    "splits": ("splits",),
    "queries": ("seqlen_q",),
    "tail": ("heads",),
    "bench": ("batch", "heads", "seqlen", "head_dim", "mask"),
}


# --- numbers, printed as the program prints them ---------------------------------------------------------------------


def decimal(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def time(us):
    return f"{decimal(us / 1000)} ms" if us >= 999.5 else f"{decimal(us)} us"


def ratio(value):
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f}"


def percent(share):
    return f"{decimal(share)} %"


# --- what was measured -----------------------------------------------------------------------------------------------


def number(text):
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if value.is_integer() else value


def row_of(fields):
    row = types.SimpleNamespace(**{name: number(text) for name, text in fields.items()})
    row.us = row.time_us
    row.time = "–" if row.us == "" else time(row.us)
    if "sm_fill" in fields:
        row.fill, row.occupancy = 100 * row.sm_fill, 100 * row.occupancy
        row.ctas = row.ctas_with_work
    return row


class Data:
    """The points of a stored file: data(4096, "full").v2.us; iterating gives all."""

    def __init__(self, file, keys):
        self.points = {}
        first = None
        for fields in csv.DictReader(file.read_text(encoding="utf-8").splitlines()):
            row = row_of(fields)
            if row.variant in ("v1", "sdpa"):  # a point begins; v1 alone has splits
                first = row
            key = tuple(getattr(first, name) for name in keys)
            point = self.points.setdefault(key, types.SimpleNamespace(**dict(zip(keys, key))))
            setattr(point, {"v2-tuned": "tuned"}.get(row.variant, row.variant), row)

    def __call__(self, *key):
        return self.points[key]

    def __iter__(self):
        return iter(self.points.values())


# --- pages -----------------------------------------------------------------------------------------------------------

FENCE = re.compile(r"^```(\w*)\n(.*?)^```\n", re.M | re.S)
# A block of commands, and right below it what the last of them prints.
RUN = re.compile(
    r"(^```sh\n(?P<commands>(?:(?!```)[^\n]*\n)*?)```\n)(?P<gap>\n```text\n)(?P<output>.*?)(?=^```\n)", re.M | re.S
)
ROWS = re.compile(
    r"(?P<head><!-- rows: (?P<data>\w+); (?P<which>.*?); (?P<row>.*?) -->\n(?:\|.*\n){2})(?P<rows>(?:\|.*\n)*)"
)
FIGURES = re.compile(r"(?P<text>(?:^(?!<!--)[^\n]+\n)+)<!-- figures:(?P<entries>.*?)-->\n", re.M | re.S)
LINK = re.compile(r"!?\[((?:[^\[\]`]|`[^`]*`)*)\]\(([^)\s]+)\)")
# Numbers that are somebody's measurement: those with a unit or a decimal point. Versions (v1.0.9, 580.159.04) are none.
NUMBER = r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?!\.?\d)"
UNIT = r"(?=\s?(?:us\b|ms\b|TFLOP/s|TB/s|MB\b|%|x\b|times\b|倍))"
MEASURED = re.compile(NUMBER + UNIT + "|" + NUMBER.replace("?(?!", "(?!"))  # the latter: with decimals


class Checker:
    def __init__(self, flashlens, figures):
        self.flashlens, self.figures = flashlens, figures
        self.printed = {}
        self.measured = {name: Data(LESSONS / f"data/h200/{name}.csv", keys) for name, keys in KEYS.items()}
        cards = json.loads(self.run("flashlens devices --json -")[1])
        self.card = types.SimpleNamespace(**next(card for card in cards["cards"] if card["name"] == "H200"))

    def run(self, command):
        """Exit code and standard output on the CPU machine: pages must read the same wherever they are checked."""
        if command not in self.printed:
            words = shlex.split(command, comments=True)
            changed = {"CUDA_VISIBLE_DEVICES": "", "LC_ALL": "C.UTF-8", "LANGUAGE": "", "COLUMNS": ""}
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(
                    [self.flashlens, *words[1:]],
                    cwd=folder, env=os.environ | changed, capture_output=True, encoding="utf-8", check=False,
                )  # fmt: skip
            self.printed[command] = (done.returncode, done.stdout if done.returncode == 0 else done.stderr)
        return self.printed[command]

    def value(self, expression, **more):
        helpers = {"time": time, "ratio": ratio, "percent": percent, "decimal": decimal, "card": self.card}
        helpers["full"] = lambda heads: self.measured["heads"](heads, "full")  # beside which causal ones stand
        helpers |= {name: getattr(builtins, name) for name in ("all", "any", "min", "max", "abs", "sum", "round")}
        return eval(expression, {"__builtins__": {}, **helpers, **self.measured, **more})  # what the repository says

    # Filled in by --write, compared otherwise.

    def with_rows(self, page):
        def fill(match):
            lines = ""
            for point in self.measured[match["data"]]:
                if self.value(match["which"], **vars(point)):
                    cells = lambda m: str(self.value(m[1], **vars(point)))
                    lines += "| " + re.sub(r"\{(.*?)\}", cells, match["row"]) + " |\n"
            return match["head"] + lines

        return ROWS.sub(fill, page)

    def with_output(self, page):
        def fill(match):
            command = match["commands"].splitlines()[-1]
            return match[1] + match["gap"] + re.sub(r"[ \t]+$", "", self.run(command)[1], flags=re.M)

        return RUN.sub(fill, page)

    # What is wrong with a page, one line each.

    def commands_of(self, page):
        return [line for kind, body in FENCE.findall(page) if kind == "sh" for line in body.splitlines()]

    def wrong_commands(self, page):
        for command in self.commands_of(page):
            if not command.startswith(("flashlens ", "./run.sh ")):
                yield f"not a command of flashlens: {command}"
                continue
            code, printed = self.run(command)
            if code != 0:
                yield f"exit code {code}: {command}\n{printed}"

    def wrong_numbers(self, page):
        covered = page
        for match in FIGURES.finditer(page):
            text, numbers = plain(match["text"]), set()
            for entry in filter(None, (e.strip() for e in match["entries"].split(";"))):
                written, expression = (part.strip() for part in entry.split(" = ", 1))
                if written == "stated":
                    numbers.update(expression.split())
                    continue
                value = self.value(expression)
                if written == "holds":
                    if value is not True:
                        yield f"does not hold: {expression}"
                    continue
                numbers.add(written)
                digits = written.replace(",", "")
                half_a_step = 0.5 * 10.0 ** -len(digits.partition(".")[2])
                if abs(value - float(digits)) > half_a_step * (1 + 1e-9):
                    yield f"{written} is {value}: {expression}"
                if written not in re.findall(NUMBER, text):
                    yield f"{written} is not in the text before its comment: {text[:60]}"
            for found in MEASURED.findall(text):
                if found not in numbers:
                    yield f"nothing says where {found} comes from: {text[:60]}"
            covered = covered.replace(match[0], "")
        covered = re.sub(r"<!--.*?-->", "", FENCE.sub("", ROWS.sub("", covered)), flags=re.S)
        for found in MEASURED.findall(plain(covered)):
            yield f"{found} stands in a paragraph without a figures comment, or in a table without rows"

    def wrong_links(self, page, where):
        for text, target in LINK.findall(FENCE.sub("", page)):
            if re.match(r"https?:", target):
                continue
            file = (where / target.partition("#")[0]).resolve()
            if not file.exists():
                yield f"link to nowhere: {target}"
            elif "kernels/" in target and file.is_file():
                for name in re.findall(r"`([^`]+)`", text):
                    if " ".join(name.split()) not in file.read_text(encoding="utf-8"):
                        yield f"{name} is not in {target}"

    def wrong(self, page, where):
        if self.with_rows(page) != page:
            yield "rows of a table differ from what is stored: --write"
        if self.with_output(page) != page:
            yield "the output of a command differs: --write"
        if page.count("<details>") != 3 or page.count("</details>") != 3:
            yield "not three check questions"
        yield from self.wrong_commands(page)
        yield from self.wrong_numbers(page)
        yield from self.wrong_links(page, where)

    def unlike(self, english, chinese):
        """What both languages share: commands, numbers, tables, figures, links."""
        neutral = lambda text: re.sub(r" --lang zh|\.(en|zh)(?=\.svg)", "", text)
        for what, of in (
            ("commands", lambda page: self.commands_of(neutral(page))),
            ("numbers", lambda page: [" ".join(m["entries"].split()) for m in FIGURES.finditer(page)]),
            ("tables", lambda page: [(m["row"], m["rows"]) for m in ROWS.finditer(page)]),
            ("links", lambda page: sorted(target for _, target in LINK.findall(neutral(page)))),
        ):
            if of(english) != of(chinese):
                yield f"the languages differ in {what}"

    def wrong_figures(self, folder):
        with tempfile.TemporaryDirectory() as drawn:
            subprocess.run([self.figures, LESSONS / "figures/figures.json", drawn], check=True)
            new = {file.name: file.read_text(encoding="utf-8") for file in pathlib.Path(drawn).iterdir()}
        stored = {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.svg")}
        for name in sorted(new.keys() | stored.keys()):
            if new.get(name) != stored.get(name):
                yield f"{name} is not what flashlens_lesson_figures draws"


def plain(text):
    """Prose without code, targets of links and marks of HTML."""
    return re.sub(r"<[^>]*>", "", re.sub(r"`[^`]*`", "`", LINK.sub(r"\1", text)))


def self_test(checker, pages):
    """Each of these changes to the first page that has such a place must be noticed. pages: (English, Chinese)."""
    number = next(m[1] for english, _ in pages for m in re.finditer(r"figures: ([\d.]+) ", english))
    changes = (
        (f"figures: {number}", "figures: 0.0071"),
        ("flashlens sweep ", "flashlens swep "),
        ("flashlens sweep ", "sweep "),
        ("<!-- rows:", "<!-- rose:"),
        ("<!-- figures:", "<!-- figure:"),
        ("holds = ", "holds = not "),
        ("../../kernels/v1/plan.h", "../../kernels/v1/plans.h"),
        ("`num_splits_heuristic`](", "`num_splits_guess`]("),
        ("<details>", ""),
        ("\n## ", "\nIt takes 77 us.\n\n## "),
        ("│ seqlen", "│ length"),
    )
    for old, new in changes:
        page = next((english for english, _ in pages if old in english), None)
        if page is None:
            yield f"no page to try a change of {old} on"
        elif not any(True for _ in checker.wrong(page.replace(old, new, 1), LESSONS / "en")):
            yield f"not noticed: {old} became {new}"
    for old, new in (("-H 8", "-H 9"), (".svg)", "-x.svg)"), ("figures: ", "figures: 1 = 1; ")):
        english, chinese = next(((e, c) for e, c in pages if old in c), ("", ""))
        if not any(True for _ in checker.unlike(english, chinese.replace(old, new, 1))):
            yield f"not noticed between the languages: {old} became {new}"


def main():
    flashlens, figures = (pathlib.Path(program).resolve() for program in sys.argv[1:3])
    checker = Checker(flashlens, figures)
    pages = sorted((LESSONS / "en").glob("*.md"))
    if "--write" in sys.argv:
        for page in [*pages, *(LESSONS / "zh").glob("*.md")]:
            text = page.read_text(encoding="utf-8")
            page.write_text(checker.with_output(checker.with_rows(text)), encoding="utf-8")
        subprocess.run([figures, LESSONS / "figures/figures.json", LESSONS / "figures"], check=True)
    complaints = list(checker.wrong_figures(LESSONS / "figures"))
    if not pages or {page.name for page in pages} != {page.name for page in (LESSONS / "zh").glob("*.md")}:
        sys.exit("lessons/en and lessons/zh must have the same pages")
    both = []
    for page in pages:
        texts = []
        for file in (page, LESSONS / "zh" / page.name):
            texts.append(file.read_text(encoding="utf-8"))
            complaints += [f"{file.relative_to(ROOT)}: {what}" for what in checker.wrong(texts[-1], file.parent)]
        complaints += [f"{page.name}: {what}" for what in checker.unlike(*texts)]
        both.append(texts)
    if not complaints:
        complaints += self_test(checker, both)
    print("\n".join(complaints) if complaints else f"{len(pages)} lessons, each in two languages: sound")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
