"""sweep_files_test.py FLASHLENS: what sweep writes for other programs, read by somebody else's readers: the picture by
an XML parser, the table by a CSV reader, JSON by a strict parser; and the numbers of the three against each other."""

import csv
import io
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
failures = 0


def check(what, holds):
    global failures
    if not holds:
        failures += 1
        print("wrong:", what)


def flashlens(*arguments, **variables):
    # A locale with a decimal comma, where there is one: numbers must not follow it.
    environment = dict(os.environ, LC_NUMERIC="de_DE.UTF-8", **variables)
    done = subprocess.run([sys.argv[1], "sweep", *arguments], stdout=subprocess.PIPE, env=environment, check=True)
    return done.stdout.decode("utf-8")


def not_json(name):
    raise ValueError(f"{name} is no JSON")


def check_picture(arguments, texts, markers):
    root = xml.fromstring(flashlens(*arguments, "--svg", "-"))
    name = " ".join(arguments)
    check(f"{name}: an <svg>", root.tag == SVG + "svg")
    width, height = (float(x) for x in root.get("viewBox").split()[2:])
    found = [text.text for text in root.iter(SVG + "text")]
    for text in texts:
        check(f"{name}: '{text}' among {found}", text in found)
    for element in root.iter():
        for attribute, most in (("x", width), ("cx", width), ("y", height), ("cy", height)):
            place = float(element.get(attribute, 0))
            check(f"{name}: {element.tag} {attribute} {place} on the page", 0 <= place <= most)
    shapes = [e for e in root.iter() if "marker" in e.get("class", "").split()]
    check(f"{name}: {len(shapes)} markers", len(shapes) == markers)
    style = root.find(SVG + "style").text
    check(f"{name}: light and dark", "prefers-color-scheme:dark" in style)
    whole = xml.tostring(root, encoding="unicode")
    check(f"{name}: nothing from elsewhere", "href" not in whole and "url(" not in whole and "@import" not in whole)


# 4 lines of 3 points, and a sample of each line in the legend.
lines = ["-s", "128:512:x2", "-H", "1,8", "-b", "1", "--causal", "--variants", "v1,v2", "--gpu", "A100", "--machine", "cpu"]
check_picture(lines, ["SM fill over seqlen", "seqlen (log scale)", "128", "512", "100 %", "v2, heads 8"], 16)
check_picture([*lines, "--lang", "zh"], ["SM 占用，随 seqlen 的变化", "seqlen（对数刻度）"], 16)
check_picture([*lines, "--chart", "global-read"], ["global read over seqlen"], 16)
bars = ["--gpu", "A100,RTX 4090,H100", "-s", "128", "--count", "off"]
check_picture(bars, ["SM fill by gpu", "A100 40GB", "RTX 4090"], 0)

rows = list(csv.DictReader(io.StringIO(flashlens(*lines, "--csv", "-"), newline="")))
whole = json.loads(flashlens(*lines, "--json", "-"), parse_constant=not_json)
check("12 rows of 6 points", len(rows) == 12 and len(whole["points"]) == 6)
for i, row in enumerate(rows):
    point = whole["points"][i // 2]
    variant = point["variants"][i % 2]
    check(f"row {i}: settings", [row["seqlen"], row["heads"]] == [point["settings"]["seqlen"], point["settings"]["heads"]])
    check(f"row {i}: variant", row["variant"] == variant["name"] and row["runs"] == "true")
    check(f"row {i}: fill", float(row["sm_fill"]) == variant["sm_fill"])
    check(f"row {i}: read", float(row["global_read_bytes"]) == variant["counters"]["global_read_bytes"])
    check(f"row {i}: no time", row["time_us"] == "" and variant["time_us"] is None)

sys.exit(1 if failures else 0)
