"""lessons.py FLASHLENS FIGURES [--write]: lessons and READMEs say what the program prints and what was measured.

FLASHLENS and FIGURES are the programs flashlens and flashlens_lesson_figures. lessons/README.md has the conventions of
a page, which this script holds for both languages; --write fills in rows of tables, output of commands, line numbers
and pictures. Then it breaks each rule in a copy, to show that it would notice.
"""

import builtins
import csv
import json
import math
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
LESSONS = ROOT / "lessons"
LECTURE = [LESSONS / "lecture" / name for name in ("en.md", "zh.md")]  # its commands: tests/cli/lecture_test.py
READMES = [ROOT / "README.md", ROOT / "README.zh.md"]
ROOMS = "cmake", "data", "kernels", "lessons", "reference", "src", "tests", "tools"
KEYS = {  # of each stored file: the columns that name a point
    "seqlen": ("seqlen", "mask"),
    "heads": ("heads", "mask"),
    "splits": ("splits",),
    "tiles": ("head_dim", "splits"),
    "queries": ("seqlen_q",),
    "tail": ("heads",),
    "bench": ("batch", "heads", "seqlen", "head_dim", "mask"),
    "ladder": ("batch", "heads", "seqlen_q", "head_dim", "mask"),
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


def name_of(variant):
    """How expressions call a kernel: v2-tuned is tuned, row-warps is row_warps."""
    return {"v2-tuned": "tuned"}.get(variant, variant.replace("-", "_"))


def named(data):
    """What a JSON object holds, by name."""
    if isinstance(data, dict):
        return types.SimpleNamespace(**{name: named(value) for name, value in data.items()})
    return [named(value) for value in data] if isinstance(data, list) else data


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


def compiled(kernel, head_dim, block_m, block_n):
    """What src/hardware/registers.csv has of a kernel on sm_90 in fp16, no mask: registers, spill_stores_bytes, ..."""
    lines = (ROOT / "src/hardware/registers.csv").read_text(encoding="utf-8").splitlines()
    wanted = (kernel, "90", "fp16", "0", *map(str, (head_dim, block_m, block_n)))
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        if tuple(row[name] for name in "variant chip dtype causal head_dim block_m block_n".split()) == wanted:
            return row_of(row | {"time_us": ""})
    raise LookupError(f"registers.csv has no {' '.join(wanted)}")


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
            setattr(point, name_of(row.variant), row)
        for key, point in self.points.items():  # a row may show both masks
            if key[-1] == "full" and (*key[:-1], "causal") in self.points:
                point.causal = self.points[(*key[:-1], "causal")]

    def __call__(self, *key):
        return self.points[key]

    def __iter__(self):
        return iter(self.points.values())


# --- lines of sources ------------------------------------------------------------------------------------------------


def has(line, name):
    """Whether a name stands in a line, and not as a part of another."""
    edges = [r"(?<!\w)" if re.match(r"\w", name) else "", r"(?!\w)" if re.search(r"\w$", name) else ""]
    return re.search(edges[0] + re.escape(" ".join(name.split())) + edges[1], " ".join(line.split())) is not None


def lines_with(name, lines):
    """Those of code that have the name, and then the comments that have it."""
    code = [at for at, line in enumerate(lines) if has(line.partition("//")[0], name)]
    found = code + [at for at, line in enumerate(lines) if has(line, name) and at not in code]
    if not found:
        raise LookupError(f"{name} is not in")
    return found


def end_of(at, lines):
    """The last line of the comment, or of the block in braces, that begins on a line; None where neither does."""
    indent = lambda line: len(line) - len(line.lstrip())
    for end in range(at + 1, len(lines)):
        line = lines[end].strip()
        if lines[at].lstrip().startswith("//"):
            if not line.startswith("//"):
                return end - 1
        elif line and not re.match(r"#|(public|private|protected):", line) and indent(lines[end]) <= indent(lines[at]):
            return end if line.startswith("}") else None
    return None


def lines_of(names, through, lines):
    """#L12 is the first line of the first name, which has the others too. #L12-L34 is the first comment or block that
    begins on a line with the name; with several names, from the first to the last, by way of those between."""
    if not names:
        raise LookupError("no name in `` says which lines are meant of")
    first, *others = lines_with(names[0], lines)
    if not through:
        if not all(has(lines[first], name) for name in names):
            raise LookupError(f"{' and '.join(names)} are on different lines of")
        return f"#L{first + 1}"
    if len(names) == 1:
        first, last = next(((at, end) for at in (first, *others) if (end := end_of(at, lines))), (0, 0))
        if not last:
            raise LookupError(f"no block and no comment begins with {names[0]} in")
    else:
        last = first
        for name in names[1:]:
            last = min((at for at in lines_with(name, lines) if at >= last), default=None)
            if last is None:
                raise LookupError(f"{name} does not follow {names[0]} in")
    return f"#L{first + 1}-L{last + 1}"


# --- pages -----------------------------------------------------------------------------------------------------------

FENCE = re.compile(r"^```(\w*)\n(.*?)^```\n", re.M | re.S)
# A block of commands, and right below it what the last of them prints; in a README the command stands in a comment.
RUN = re.compile(
    r"(?P<head>^```sh\n(?P<commands>(?:(?!```)[^\n]*\n)*?)```\n\n(?:<!-- (?P<how>(?:varies|shows): [^\n]*?) -->\n)?```text\n)"
    r"(?P<output>.*?)(?=^```\n)",
    re.M | re.S,
)
PRINTED = re.compile(
    r"(?P<head>^<!-- printed by: (?P<commands>[^\n]*?)(?:; (?P<how>(?:varies|shows): [^\n]*?))? -->\n```text\n)"
    r"(?P<output>.*?)(?=^```\n)",
    re.M | re.S,
)
ROWS = re.compile(
    r"(?P<head><!-- rows: (?P<data>\w+); (?P<which>.*?); (?P<row>.*?) -->\n(?:\|.*\n){2})(?P<rows>(?:\|.*\n)*)"
)
FIGURES = re.compile(r"(?P<text>(?:^(?!<!--)[^\n]+\n)+)<!-- figures:(?P<entries>.*?)-->\n", re.M | re.S)
LET = re.compile(r"<!-- let: (\w+) = (.*?) -->", re.S)
# A picture, and right below it the command that draws it.
DRAWN = re.compile(r"^!\[[^\n]*\]\(\.\./figures/(?P<name>[^)\n]+)\)\n<!-- drawn by: (?P<command>.*?) -->\n", re.M)
LINK = re.compile(r"!?\[((?:[^\[\]`]|`[^`]*`)*)\]\(([^)\s]+)\)")
LINES = re.compile(r"(?P<path>[^#]+)#L\d*(?P<through>-L\d*)?$")  # without numbers: --write finds them
CODE = re.compile(r"`([^`]+)`")
# Numbers that are somebody's measurement: those with a unit or a decimal point. Versions (v1.0.9, 580.159.04) are none.
NUMBER = r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?!\.?\d)"
UNIT = r"(?=x\b|\s?(?:us\b|ms\b|TFLOP/s|TB/s|MB\b|%|times\b|倍))"  # 16 x 64 is a shape
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
            changed = {"CUDA_VISIBLE_DEVICES": "", "LC_ALL": "C.UTF-8", "LANGUAGE": "", "COLUMNS": "", "FLASHLENS_PRACTICE": ""}
            with tempfile.TemporaryDirectory() as folder:
                os.symlink(ROOT / "data", pathlib.Path(folder) / "data")
                words = [re.sub("^/tmp/", "", word) for word in words]  # what a README has written there
                done = subprocess.run(
                    [self.flashlens, *words[1:]],
                    cwd=folder, env=os.environ | changed | {"HOME": folder}, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                    check=False,
                )  # fmt: skip
            self.printed[command] = (done.returncode, done.stdout if done.returncode == 0 else done.stderr)
        return self.printed[command]

    def json_of(self, command):
        """What a command says with --json -. Variants are found by their names, and so are each one's steps."""
        code, printed = self.run(f"{command} --json -")
        if code != 0:
            raise ValueError(f"exit code {code}: {command}\n{printed}")
        result = named(json.loads(printed))
        for point in [result, *getattr(result, "points", [])]:
            for variant in [*getattr(point, "variants", []), *getattr(point, "rungs", [])]:
                variant.steps = {step.name: step for step in getattr(variant, "steps", [])}
                setattr(point, name_of(variant.name), variant)
        return result

    def names(self, page):
        """What the page's `let` comments name."""
        names = {}
        for name, expression in LET.findall(page):
            names[name] = self.value(expression, **names)
        return names

    def value(self, expression, **more):
        helpers = {"time": time, "ratio": ratio, "percent": percent, "decimal": decimal, "card": self.card}
        helpers["full"] = lambda heads: self.measured["heads"](heads, "full")  # beside which causal ones stand
        helpers |= {"mean": statistics.geometric_mean, "exp": math.exp, "log": math.log}
        helpers["json_of"] = self.json_of
        helpers["compiled"] = compiled
        helpers["tflops"] = lambda row: "–" if row.tflops == "" else f"{row.tflops:.0f}"
        helpers |= {name: getattr(builtins, name) for name in ("all", "any", "min", "max", "abs", "sum", "round")}
        return eval(expression, {"__builtins__": {}, **helpers, **self.measured, **more})  # what the repository says

    # Filled in by --write, compared otherwise.

    def with_rows(self, page):
        names = self.names(page)

        def fill(match):
            lines = ""
            for point in self.measured[match["data"]]:
                if self.value(match["which"], **(names | vars(point))):
                    cells = lambda m: str(self.value(m[1], **(names | vars(point))))
                    lines += "| " + re.sub(r"\{(.*?)\}", cells, match["row"]) + " |\n"
            return match["head"] + lines

        return ROWS.sub(fill, page)

    def with_output(self, page):
        def fill(match):
            command = match["commands"].splitlines()[-1]
            printed = re.sub(r"[ \t]+$", "", self.run(command)[1], flags=re.M)
            varies, shows = how_shown(match)
            printed = part_of(printed, shows) or printed
            same = steady(match["output"], varies) == steady(printed, varies)
            return match["head"] + (match["output"] if same else printed)

        return PRINTED.sub(fill, RUN.sub(fill, page))

    def with_lines(self, page, where):
        def fill(match):
            lines = LINES.match(match[2])
            try:
                return match[0].replace(match[2], self.target_of(match[1], lines, where)) if lines else match[0]
            except LookupError:
                return match[0]  # which wrong_links tells

        return outside_fences(page, lambda prose: LINK.sub(fill, prose))

    def target_of(self, text, target, where):
        """Where a link with lines leads today."""
        file = where / target["path"]
        if not file.is_file() or file.suffix == ".md":
            raise LookupError("no source with lines:")
        lines = file.read_text(encoding="utf-8").splitlines()
        return target["path"] + lines_of(CODE.findall(text), target["through"], lines)

    def pictures(self, page):
        """The file of each picture that a command draws, and what is drawn now; None where the command fails."""
        for match in DRAWN.finditer(page):
            code, drawn = self.run(match["command"] + " --svg -")
            yield LESSONS / "figures" / match["name"], drawn if code == 0 else None

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

    def wrong_outputs(self, page):
        if self.with_output(page) != page:
            yield "the output of a command differs: --write"
        for match in [*RUN.finditer(page), *PRINTED.finditer(page)]:
            varies, shows = how_shown(match)
            if part_of(match["output"], shows) != match["output"]:
                yield f"not what is shown between {' and '.join(shows)}: {match['commands']}"
            for word in varies:
                if not re.search(rf"\d.*{word}|{word}.*\d", match["output"]):
                    yield f"no number varies beside {word}: {match['commands']}"

    def wrong_numbers(self, page, all_of_them=True):
        covered, of_page = page, self.names(page)
        for match in FIGURES.finditer(page):
            text, numbers, names = plain(match["text"]), set(), dict(of_page)
            for entry in filter(None, (e.strip() for e in match["entries"].split(";"))):
                written, expression = (part.strip() for part in entry.split(" = ", 1))
                if written == "stated":
                    numbers.update(expression.split())
                    continue
                try:
                    value = self.value(expression, **names)
                except Exception as error:
                    yield f"{error}: {expression}"
                    continue
                if written.startswith("let "):
                    names[written.removeprefix("let ")] = value
                    continue
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
                if found not in numbers and all_of_them:
                    yield f"nothing says where {found} comes from: {text[:60]}"
            covered = covered.replace(match[0], "")
        if not all_of_them:
            return
        covered = re.sub(r"<!--.*?-->", "", FENCE.sub("", ROWS.sub("", covered)), flags=re.S)
        for found in MEASURED.findall(plain(covered)):
            yield f"{found} stands in a paragraph without a figures comment, or in a table without rows"

    def wrong_links(self, page, where):
        for text, target in LINK.findall(FENCE.sub("", page)):
            if re.match(r"https?:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (where / path).resolve()
            lines = LINES.match(target)
            if not file.exists():
                yield f"link to nowhere: {target}"
            elif lines:
                try:
                    if (today := self.target_of(text, lines, where)) != target:
                        yield f"{target} is {today} today: --write"
                except LookupError as wrong:
                    yield f"{wrong} {target}"
            elif anchor:
                headings = page if not path else file.read_text(encoding="utf-8")
                if anchor not in map(anchor_of, re.findall(r"^#+ (.*)$", FENCE.sub("", headings), re.M)):
                    yield f"no such heading: {target}"
            elif "kernels/" in target and file.is_file():
                for name in CODE.findall(text):
                    if " ".join(name.split()) not in file.read_text(encoding="utf-8"):
                        yield f"{name} is not in {target}"

    def wrong(self, page, where):
        try:
            self.names(page)
        except Exception as error:
            yield f"{error}: what a let comment names"
            return
        if self.with_rows(page) != page:
            yield "rows of a table differ from what is stored: --write"
        if page.count("<details>") != 3 or page.count("</details>") != 3:
            yield "not three check questions"
        yield from self.wrong_outputs(page)
        for file, drawn in self.pictures(page):
            if not file.exists() or file.read_text(encoding="utf-8") != drawn:
                yield f"{file.name} is not what its command draws: --write"
        yield from self.wrong_commands(page)
        yield from self.wrong_numbers(page)
        yield from self.wrong_links(page, where)

    def wrong_lecture(self, page, where=LESSONS / "lecture"):
        if self.with_rows(page) != page:
            yield "rows of a table differ from what is stored: --write"
        yield from self.wrong_numbers(page)
        yield from self.wrong_links(page, where)

    # README.md and README.zh.md: commands stand in indented blocks.

    def wrong_readme(self, page, where=ROOT):
        if self.with_rows(page) != page:
            yield "rows of a table differ from what is stored: --write"
        yield from self.wrong_outputs(page)
        yield from self.wrong_numbers(page, all_of_them=False)
        yield from self.wrong_links(page, where)
        prose = FENCE.sub("", page)
        for line in re.findall(r"^    (\S.*)$", prose, re.M):
            yield from self.wrong_line(line)
        known = self.run("flashlens completion bash")[1] + "".join(map(str, self.tools().values()))
        for code in CODE.findall(re.sub(r"^    .*$", "", prose, flags=re.M)):
            words = code.split()
            for option in words:
                if re.match(r"--?[a-z]", option) and not re.search(rf"(?<![\w-]){option}(?![\w-])", known):
                    yield f"no such option: {option}"
            if words[0] == "./run.sh" and len(words) > 1 and re.match("[a-z]", words[1]):
                if not re.search(rf"\b{words[1]}\b", known):
                    yield f"no such command: {code}"
            elif re.match(rf"({'|'.join(ROOMS)})/\w", code) and not (where / words[0]).exists():
                yield f"no such file: {code}"

    def wrong_line(self, line):
        """Of an indented block: a command, or two columns of rooms and what is in them."""
        if re.match(r"\S+/( |$)", line):
            for room in re.findall(r"(?:^|\s{2})(\w[\w/]*/)(?=\s)", line):
                if not (ROOT / room).is_dir():
                    yield f"no such room: {room}"
            return
        line = line.partition("#")[0].partition(" | ")[0]
        for command in filter(None, (part.strip() for part in line.split("&&"))):
            words = shlex.split(command)
            script = ROOT / words[0]
            if words[0] == "./run.sh":
                two_of = lambda m: f"{m[1]},{2 * int(m[1])}"  # of a range: all of it takes minutes
                code, printed = self.run(re.sub(r"(\d+):\d+(:\S+)?", two_of, command))
                if code != 0 and not (words[1:2] == ["bench"] and re.search("needs a GPU|需要 GPU", printed)):
                    yield f"exit code {code}: {command}\n{printed}"
            elif words[0] == "cmake":
                presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))["configurePresets"]
                for preset in re.findall(r"--preset (\S+)", command):
                    if preset not in (part["name"] for part in presets):
                        yield f"no such preset: {command}"
            elif script not in self.tools():
                yield f"no such script: {command}"
            else:
                for option in filter(lambda word: word.startswith("--"), words):
                    if not re.search(rf"{option}(?![\w-])", self.tools()[script]):
                        yield f"no such option: {command}"

    def tools(self):
        files = [ROOT / "test.sh", *(file for file in (ROOT / "tools").iterdir() if file.is_file())]
        return {file: file.read_text(encoding="utf-8") for file in files if os.access(file, os.X_OK)}

    def unlike(self, english, chinese):
        """What both languages share: commands, numbers, pictures, tables, links."""
        neutral = lambda text: re.sub(r" --lang zh|\.(en|zh)(?=\.svg)", "", text)
        for what, of in (
            ("commands", lambda page: self.commands_of(neutral(page))),
            ("numbers", lambda page: [" ".join(m["entries"].split()) for m in FIGURES.finditer(page)]),
            ("names of numbers", lambda page: LET.findall(page)),
            ("pictures", lambda page: [m["command"] for m in DRAWN.finditer(neutral(page))]),
            ("tables", lambda page: [(m["row"], m["rows"]) for m in ROWS.finditer(page)]),
            ("links", lambda page: sorted(target for _, target in LINK.findall(neutral(page)))),
        ):
            if of(english) != of(chinese):
                yield f"the languages differ in {what}"

    def wrong_figures(self, folder, pages):
        with tempfile.TemporaryDirectory() as drawn:
            subprocess.run([self.figures, LESSONS / "figures/figures.json", drawn], check=True)
            new = {file.name: file.read_text(encoding="utf-8") for file in pathlib.Path(drawn).iterdir()}
        stored = {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.svg")}
        by_commands = {match["name"] for page in pages for match in DRAWN.finditer(page)}
        for name in sorted((new.keys() | stored.keys()) - by_commands):
            if new.get(name) != stored.get(name):
                yield f"{name} is not what flashlens_lesson_figures draws, and no page has a command that draws it"


def how_shown(match):
    """Of `varies: WORD, WORD; shows: FIRST … LAST`: the words; the first and last line."""
    how = dict(part.strip().split(": ", 1) for part in (match["how"] or "").split(";") if part.strip())
    words = [word.strip() for word in how.get("varies", "").split(",") if word.strip()]
    return words, [part.strip() for part in how["shows"].split("…")] if "shows" in how else []


def part_of(text, shows):
    """From the first line with shows[0] to the next with shows[-1], with … for what is left out; None if there is none."""
    if not shows:
        return text
    lines = text.splitlines(keepends=True)
    first = next((at for at, line in enumerate(lines) if shows[0] in line), None)
    last = next((at for at, line in enumerate(lines) if first is not None and at >= first and shows[-1] in line), None)
    if last is None:
        return None
    return "…\n" * (first > 0) + "".join(lines[first : last + 1]) + "…\n" * (last + 1 < len(lines))


def steady(text, varies):
    """What a command prints, without the numbers of lines that hold times: each such line has one of these words."""
    changes = lambda line: any(word in line for word in varies)
    without = lambda line: re.sub(r"\s+", " ", re.sub(r"\d[\d.,]*( (us|ms|s|min))?(?!\w)", "#", line))
    return [without(line) if changes(line) else line for line in text.splitlines()]


def outside_fences(page, change):
    parts, at = [], 0
    for fence in FENCE.finditer(page):
        parts += [change(page[at : fence.start()]), fence[0]]
        at = fence.end()
    return "".join([*parts, change(page[at:])])


def anchor_of(heading):
    """As GitHub makes it."""
    return re.sub(r"[^\w -]", "", plain(heading.replace("`", "")).strip().lower()).replace(" ", "-")


def plain(text):
    """Prose without code, targets of links and marks of HTML."""
    return re.sub(r"<[^>]*>", "", re.sub(r"`[^`]*`", "`", LINK.sub(r"\1", text)))


def self_test(checker, pages, readmes, lecture):
    """Each of these changes to the first page that has such a place must be noticed. pages: (English, Chinese)."""
    lessons = [english for english, _ in pages]
    number = next(m[1] for english in lessons for m in re.finditer(r"figures: (\d+\.\d+) ", english))
    in_lessons = (
        (f"figures: {number}", "figures: 0.0071"),
        ("flashlens sweep ", "flashlens swep "),
        ("flashlens sweep ", "sweep "),
        ("<!-- rows:", "<!-- rose:"),
        (f"<!-- figures: {number}", f"<!-- figure: {number}"),
        ("holds = ", "holds = not "),
        ("../../kernels/v1/plan.h", "../../kernels/v1/plans.h"),
        ("`num_splits_heuristic`](", "`num_splits_guess`]("),
        ("#L", "#L9"),
        ("#L", "#LINE"),
        ("-L", "-L9"),
        ("../../kernels/v2_tuned/NOTES.md", "../../kernels/v2_tuned/NOTES.md#nothing"),
        ("../../kernels/v2_tuned/NOTES.md", "../../kernels/v2_tuned/NOTES.md#L1"),
        ("<details>", ""),
        ("\n## ", "\nIt takes 77 us.\n\n## "),
        ("│ seqlen", "│ length"),
        ("shows: ", "shows: no such "),
        ("drawn by: flashlens map --view warps", "drawn by: flashlens map --view lanes"),
        ("drawn by: flashlens map ", "drawn by: flashlens mapp "),
        ('let: d64 = json_of("flashlens compare -b 1 ', 'let: d64 = json_of("flashlens compare -b 3 '),
        ('let: d64 = json_of("flashlens compare ', 'let: d64 = json_of("flashlens compere '),
        (".v2.smem_bytes", ".v1.smem_bytes"),
        (".v2.smem_bytes", ".v2.smem"),
        ('json_of("flashlens explain ', 'json_of("flashlens explian '),
        ("r.row_warps.counters.barriers", "r.wide_warps.counters.barriers"),
        ("full.row_warps.us / full.wide_warps.us", "full.row_warps.us / full.warps.us"),
        ('let: full = ladder(4, 32, 4096, ', 'let: full = ladder(4, 16, 4096, '),
        ('compiled("late-norm", 64, 128, 128)', 'compiled("late-norm", 64, 128, 64)'),
        ('compiled("late-norm", 64, 128, 128)', 'compiled("masked-loop", 64, 128, 128)'),
    )
    in_readmes = (
        ("│ barriers", "│ barrier"),
        ("varies: took", "varies: tok"),
        ("varies: took", "varies: took, tack"),
        ("| 32 32 512 64 | 2", "| 32 32 512 64 | 3"),
        ("figures: ", "figures: 3.14 = 3; "),
        ("    ./run.sh sweep --", "    ./run.sh sweep --no-"),
        ("    ./run.sh bench --", "    ./run.sh bench --no-"),
        ("    tools/check-gpu ", "    tools/check-tpu "),
        ("    tools/check-counters --", "    tools/check-counters --no-"),
        ("    cmake --preset cuda", "    cmake --preset rocm"),
        ("    src/report/", "    src/reports/"),
        ("src/gpu/  ", "src/gpus/  "),
        ("`--causal`", "`--casual`"),
        ("`./run.sh explain`", "`./run.sh explains`"),
        ("](lessons/README.md", "](lesson/README.md"),
        ("](#sweeps", "](#sweep"),
    )
    in_lecture = (
        ("holds = ", "holds = not "),
        ("stated = 19.5", "stated = 19.4"),
        ("| 1024 | 1", "| 1024 | 2"),
        ("\n> **", "\n> It takes 77 us. **"),
    )
    for places, changes, wrong in (
        (lecture, in_lecture, checker.wrong_lecture),
        (lessons, in_lessons, lambda page: checker.wrong(page, LESSONS / "en")),
        (readmes, in_readmes, checker.wrong_readme),
    ):
        for old, new in changes:
            page = next((page for page in places if old in page), None)
            if page is None:
                yield f"no page to try a change of {old} on"
            elif not any(True for _ in wrong(page.replace(old, new, 1))):
                yield f"not noticed: {old} became {new}"
    if not any(True for _ in checker.wrong_figures(LESSONS / "figures", [])):
        yield "pictures that no page draws are not noticed"
    # A time is nobody's concern, and lost line numbers are found again.
    timed = next(page for page in readmes if "varies: took" in page)
    slower = re.sub(r"(simulating took\D*)[\d.]+", r"\g<1>98765", timed)
    if slower == timed or checker.with_output(slower) != slower:
        yield "another time counts as another output"
    for page in lessons:
        if checker.with_lines(re.sub(r"(#L|-L)\d+", r"\1", page), LESSONS / "en") != page:
            yield "lines are not found again"
    for old, new in (
        ("-H 8", "-H 9"),
        (".svg)", "-x.svg)"),
        ("figures: ", "figures: 1 = 1; "),
        ("#L", "#L9"),
        ("drawn by: flashlens map ", "drawn by: flashlens map --causal "),
    ):
        english, chinese = next(((e, c) for e, c in pages if old in c), ("", ""))
        if not any(True for _ in checker.unlike(english, chinese.replace(old, new, 1))):
            yield f"not noticed between the languages: {old} became {new}"


def main():
    flashlens, figures = (pathlib.Path(program).resolve() for program in sys.argv[1:3])
    checker = Checker(flashlens, figures)
    pages = sorted((LESSONS / "en").glob("*.md"))
    if "--write" in sys.argv:
        for page in [*pages, *(LESSONS / "zh").glob("*.md"), *LECTURE, *READMES]:
            text = page.read_text(encoding="utf-8")
            text = checker.with_output(checker.with_rows(checker.with_lines(text, page.parent)))
            page.write_text(text, encoding="utf-8")
            for file, drawn in checker.pictures(text):
                if drawn:
                    file.write_text(drawn, encoding="utf-8")
        subprocess.run([figures, LESSONS / "figures/figures.json", LESSONS / "figures"], check=True)
    if not pages or {page.name for page in pages} != {page.name for page in (LESSONS / "zh").glob("*.md")}:
        sys.exit("lessons/en and lessons/zh must have the same pages")
    complaints, both = [], []
    for page in pages:
        texts = []
        for file in (page, LESSONS / "zh" / page.name):
            texts.append(file.read_text(encoding="utf-8"))
            complaints += [f"{file.relative_to(ROOT)}: {what}" for what in checker.wrong(texts[-1], file.parent)]
        complaints += [f"{page.name}: {what}" for what in checker.unlike(*texts)]
        both.append(texts)
    complaints += checker.wrong_figures(LESSONS / "figures", [page for texts in both for page in texts])
    lecture = [file.read_text(encoding="utf-8") for file in LECTURE]
    for file, text in zip(LECTURE, lecture):
        complaints += [f"{file.relative_to(ROOT)}: {what}" for what in checker.wrong_lecture(text)]
    complaints += [f"lecture: {what}" for what in checker.unlike(*lecture)]
    readmes = [file.read_text(encoding="utf-8") for file in READMES]
    for file, text in zip(READMES, readmes):
        complaints += [f"{file.name}: {what}" for what in checker.wrong_readme(text)]
    if not complaints:
        complaints += self_test(checker, both, readmes, lecture)
    print("\n".join(complaints) if complaints else f"{len(pages)} lessons, lecture and README, each in two languages: sound")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
