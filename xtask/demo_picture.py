#!/usr/bin/env python3
"""Draws docs/demo.svg: the terminal of a running demo, as the program wrote it.

    cargo xtask demo-picture

The program runs on a pseudo-terminal for SECONDS. What it wrote is laid out as a terminal would: text, colours, and lines that
are drawn over themselves. The picture begins where the program serves, and leaves out the commands to paste.
"""

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
import unicodedata
from xml.sax.saxutils import escape

COLUMNS, ROWS, SECONDS = 116, 52, 40
CELL, LINE, PAD = 8.4, 19, 16
# What a control sequence of the demo stands for; other colours are not used.
TONES = {"2": "faint", "36": "name", "33": "liked"}
STYLE = """text { font: 14px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #d6deeb; white-space: pre }
    .faint { fill: #7f8c9d } .name { fill: #7fdbca } .liked { fill: #f5b663 }"""


def record(program):
    """What the program writes to a terminal until it is interrupted."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm", LANG="C.UTF-8")
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.execv(program, [program, "demo"])
    written, end = b"", time.monotonic() + SECONDS
    while (left := end - time.monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            try:
                written += os.read(terminal, 65536)
            except OSError:
                sys.exit("the demo ended by itself:\n" + written.decode(errors="replace"))
    os.kill(child, signal.SIGINT)
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass  # Linux says so when the last program on the terminal has ended.
    os.waitpid(child, 0)
    return written.decode(errors="replace")


def width(char):
    if unicodedata.combining(char) or unicodedata.category(char) == "Cf":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def screen(text):
    """Rows of cells, each a text and a tone: a terminal without a last row."""
    rows, row, column, tone = [{}], 0, 0, ""
    for control, codes, kind, char in re.findall(r"(\x1b\[\??([\d;]*)([A-Za-z]))|([^\x1b])", text):
        if control:
            if kind == "A":
                row = max(row - int(codes or 1), 0)
            elif kind == "m":
                tone = TONES.get(codes, "")
            elif kind in "KJ":
                rows[row] = {at: cell for at, cell in rows[row].items() if at < column}
                del rows[row + 1 if kind == "J" else len(rows):]
        elif char == "\r":
            column = 0
        elif char == "\n":
            row += 1
        elif wide := width(char):
            if column + wide > COLUMNS:
                row, column = row + 1, 0
            rows.extend({} for _ in range(row + 1 - len(rows)))
            # What was there goes, whole: a wide character may begin before or end behind.
            begins = range(column - 1, column + wide)
            for at in [at for at in begins if at in rows[row] and at + rows[row][at][2] > column]:
                del rows[row][at]
            rows[row][column] = (char, tone, wide)
            column += wide
        rows.extend({} for _ in range(row + 1 - len(rows)))
    return rows


def shown(rows):
    """Where it serves, its page for a browser, and the live view from its first rule on."""
    texts = ["".join(cell[0] for _, cell in sorted(row.items())) for row in rows]
    told = [next(at for at, text in enumerate(texts) if text.startswith(begins)) for begins in ("serving ", "Open in a browser: ")]
    view = next(at for at, text in enumerate(texts) if text and not text.strip("-"))
    return [rows[at] for at in told] + rows[view:]


def drawn(rows):
    while rows and not rows[-1]:
        rows.pop()
    wide, high = 2 * PAD + COLUMNS * CELL, 2 * PAD + len(rows) * LINE
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 {wide:.0f} {high}" role="img" '
        'aria-label="guanxi demo in a terminal: rates, suggestions, and the home timeline of one user.">',
        "  <!-- made by cargo xtask demo-picture from what `guanxi demo` wrote -->",
        f"  <style>{STYLE}</style>",
        f'  <rect width="{wide:.0f}" height="{high}" rx="8" fill="#0f1726"/>',
    ]
    for at, row in enumerate(rows):
        for start, (text, tone, columns) in runs(row):
            kind = f' class="{tone}"' if tone else ""
            x, y = PAD + start * CELL, PAD + (at + 0.75) * LINE
            # The length holds the columns together, whatever font is there.
            lines.append(f'  <text x="{x:.1f}" y="{y:.1f}" textLength="{columns * CELL:.1f}"{kind}>{escape(text)}</text>')
    return "\n".join([*lines, "</svg>", ""])


def runs(row):
    """Neighbouring cells of one tone and one width, and where they begin."""
    found = []
    for at, (text, tone, wide) in sorted(row.items()):
        if found:
            start, (before, kind, columns) = found[-1]
            if start + columns == at and kind == tone and (columns // wide) * wide == columns and width(before[0]) == wide:
                found[-1] = (start, (before + text, tone, columns + wide))
                continue
        found.append((at, (text, tone, wide)))
    return [trimmed(at, *run) for at, run in found if run[0].strip()]


def trimmed(at, text, tone, columns):
    """The same without the spaces at both ends, each of which is one column."""
    before, after = len(text) - len(text.lstrip(" ")), len(text) - len(text.rstrip(" "))
    return at + before, (text.strip(" "), tone, columns - before - after)


def main():
    program, picture = sys.argv[1:]
    with open(picture, "w", encoding="utf-8") as file:
        file.write(drawn(shown(screen(record(os.path.abspath(program))))))


if __name__ == "__main__":
    main()
