"""lesson_keys_test.py FLASHLENS: `lesson` and `lecture` on a terminal, key by key."""

import functools
import os

from keys import ENTER, LEAVE, Program, check, finish, plain

Lesson = functools.partial(Program, "lesson", "7", lines=24, columns=80)
Lecture = functools.partial(Program, "lecture")
DOWN, PAGE_DOWN, PAGE_UP, HOME, END, RIGHT, LEFT = b"\x1b[B", b"\x1b[6~", b"\x1b[5~", b"\x1b[H", b"\x1b[F", b"\x1b[C", b"\x1b[D"


def lines(screen):
    return plain(screen).replace(b"\r", b"").split(b"\n")


def fits(what, screen, height, columns):
    check(f"{what}: fits", len(lines(screen)) <= height)
    for line in lines(screen):
        check(f"{what}: {line!r} fits", len(line.decode(errors="replace")) <= columns)


# A lesson: pages, sections, what is below them.
lesson = Lesson()
first = lesson.read(b"n p: section")
check("a screen of its own", ENTER in first)
check("the title first", b"7. Where v2 wins" in lines(first)[0])
fits("first page", first, 24, 80)
check("no command is seen, so none runs", b"r: run" not in plain(first))
second = lesson.press(b"\r", b"n p: section")
check("Enter: the last line is seen again, as the first", lines(second)[0] == lines(first)[-2])
check("b: back", lines(lesson.press(b"b", b"n p: section"))[0] == lines(first)[0])
check("down: a line", lines(lesson.press(DOWN, b"n p: section"))[0] == lines(first)[1])
check("up: a line", lines(lesson.press(b"\x1b[A", b"n p: section"))[0] == lines(first)[0])
check("page down", lines(lesson.press(PAGE_DOWN, b"n p: section"))[0] == lines(second)[0])
check("page up", lines(lesson.press(PAGE_UP, b"n p: section"))[0] == lines(first)[0])
check("n: the next section", lines(lesson.press(b"n", b"n p: section"))[0] == b"Predict first")
third = lesson.press(RIGHT, b"n p: section")
check("right: the one after it", lines(third)[0].startswith(b"Two words"))
check("p: the one before", lines(lesson.press(b"p", b"n p: section"))[0] == b"Predict first")
check("left: the one before", b"7. Where v2 wins" in lines(lesson.press(LEFT, b"n p: section"))[0])
check("p at the start stays", b"7. Where v2 wins" in lines(lesson.press(b"p", b"n p: section"))[0])

# A command that is seen runs; its output is a page.
lesson.press(b"nn", b"n p: section")
third = lesson.read() or third
lesson.press(b"x", b"n p: section")  # no meaning: the page again
check("a command is seen", b"r: run" in plain(lesson.press(b"x", b"n p: section")))
output = lesson.press(b"r", b"back to the lesson")
check("r: the command and what it prints", b"$ flashlens sweep --gpu H200 --splits" in plain(output))
check("r: it ran", b"attention forward, 8 points" in plain(output))
fits("output", output.rpartition(b"\x1b[H")[2], 24, 80)
check("back where it was", lines(lesson.press(b"q", b"n p: section"))[0].startswith(b"Two words"))

# Answers.
end = lesson.press(END, b"n p: section")
check("the end", b"100%" in plain(end) and b"Enter: close" in plain(end))
check("answers are hidden", b"o shows it" in plain(end) and b"o: show answers" in plain(end))
opened = lesson.press(b"o", b"hide answers")
check("o shows them", "▾ Answer".encode() in plain(opened))
check("o hides them again", b"o shows it" in plain(lesson.press(b"o", b"show answers")))
lesson.press(HOME, b"n p: section")
# Another width: the place stays.
place = lines(lesson.press(b"n", b"n p: section"))[0]
lesson.resize(30, 60)
narrow = lesson.read(b"show answers")
check(f"resized: the same place: {lines(narrow)[0]!r}, was {place!r}", lines(narrow)[0] == place)
fits("resized", narrow, 30, 60)
os.write(lesson.terminal, b"q")
check("q ends with 0", lesson.end() == 0)
check("the terminal as before", lesson.restored() and LEAVE in lesson.output)
lesson.close()

lesson = Lesson("--answers", "--lang", "zh")
lesson.read("n p 换节".encode())
check("Chinese, with answers", "隐藏答案".encode() in plain(lesson.press(END, "n p 换节".encode())))
os.write(lesson.terminal, b"\r")
check("Enter at the end ends with 0", lesson.end() == 0)
lesson.close()

lesson = Lesson(term="dumb")
lesson.read(b"n p: section")
lesson.press(b" ", b"n p: section")
os.write(lesson.terminal, b"\x04")
check("dumb: ends with 0, no escape codes", lesson.end() == 0 and b"\x1b" not in lesson.output)
lesson.close()

# The lecture: steps, numbers, notes; nothing on the last line unless asked for.
lecture = Lecture()
first = lecture.read(b"in registers throughout; O written once")
check("a screen of its own", ENTER in first)
check("the first step", b"In one sentence" in plain(first) and b"1/24" in plain(first))
screen = first.rpartition(b"\x1b[H")[2]
fits("first step", screen, 34, 120)
check("no keys on it", b"Enter" not in plain(screen))
check("Enter: the next", b"2/24" in plain(lecture.press(b"\r", b"nothing of them goes to memory")))
check("blank: the next", b"The same result" in plain(lecture.press(b" ", b"plain attention")))
check("b: back", b"The same mathematics" in plain(lecture.press(b"b", b"nothing of them goes to memory")))
keys = lecture.press(b"?", b"q: quit")
check("?: the keys", b"number Enter: that step" in plain(keys))
lecture.press(b"?", b"nothing of them goes to memory")
check("a number is shown", b"to step 2: Enter" in plain(lecture.press(b"2", b"Enter")))
check("and another digit", b"to step 24: Enter" in plain(lecture.press(b"4", b"Enter")))
last = lecture.press(b"\r", b"one query, many keys")
check("number, Enter: that step", b"Interview answers" in plain(last) and b"24/24" in plain(last))
notes = lecture.press(b"s", b"the long version")
check("s: the notes", b"say (" in plain(notes))
lecture.press(b"s", b"one query, many keys")
lecture.press(b"1", b"to step 1")
lecture.press(b"\x7f", b"one query, many keys")  # taken back
os.write(lecture.terminal, b"\r")
check("Enter on the last step ends with 0", lecture.end() == 0)
check("the terminal as before", lecture.restored() and LEAVE in lecture.output)
lecture.close()

# A small terminal: scrolled. --step, --notes.
lecture = Lecture("--step", "2", "--notes", lines=24, columns=80)
small = lecture.read(b"more: arrows scroll")
check("--step", b"2/24" in plain(small))
fits("small", small.rpartition(b"\x1b[H")[2], 24, 80)
lecture.press(DOWN, b"more: arrows scroll")
notes = b"One step of the online softmax"
check("the notes are not on the first screen", notes not in plain(small.rpartition(b"\x1b[H")[2]))
check("but below", notes in plain(lecture.press(END, b"Remember the last line")))
os.write(lecture.terminal, b"q")
check("q ends with 0", lecture.end() == 0)
lecture.close()

finish()
