"""Read the tables of testdata, and compute the values of a question."""
import csv, html, os, re

HERE = os.path.dirname(os.path.abspath(__file__))
GERMAN = {"pegel.csv", "energie.html", "lager.md"}
ENERGY = ["Gebäude", "Baujahr", "Strom 2023", "Strom 2024", "Strom 2025", "Wärme 2023", "Wärme 2024", "Wärme 2025"]


class Row:
    """A row: s gives the text of the column that begins with a name, n its number or None."""

    def __init__(self, raw, names, cells, german):
        self.raw, self.cells, self.german = raw, dict(zip(names, cells)), german

    def s(self, column):
        return next(v for k, v in self.cells.items() if k.startswith(column))

    def n(self, column):
        text = self.s(column)
        if self.german:
            text = text.replace(".", "").replace(",", ".")
        return float(text) if re.fullmatch(r"-?\d+(\.\d+)?", text) else None


def load(name):
    """The rows of a table. raw is the text of the row in the file, for HTML without tags."""
    with open(os.path.join(HERE, "testdata", name), encoding="utf-8") as f:
        text = f.read()
    german = name in GERMAN
    if name.endswith(".csv"):
        lines = text.strip().split("\n")
        cells = list(csv.reader(lines, delimiter=";" if german else ","))
        first = 2 if name == "pegel.csv" else 1
        return [Row(l, cells[0], c, german) for l, c in zip(lines[first:], cells[first:])]
    if name.endswith(".html"):
        rows = [re.findall(r"<td>(.*?)</td>", tr) for tr in re.findall(r"<tr>(.*?)</tr>", text, re.S)]
        return [Row(" ".join(map(html.unescape, r)), ENERGY, map(html.unescape, r), german) for r in rows if r]
    lines = [l for l in text.split("\n") if l.startswith("|")]
    cells = [[c.strip() for c in l.strip("|").split("|")] for l in lines]
    return [Row(l, cells[0], c, german) for l, c in zip(lines[2:], cells[2:])]


def having(rows, column):
    return [r for r in rows if r.n(column) is not None]


def top(rows, column):
    return max(having(rows, column), key=lambda r: r.n(column))


def low(rows, column):
    return min(having(rows, column), key=lambda r: r.n(column))


def total(rows, column):
    return round(sum(r.n(column) for r in having(rows, column)), 2)


def mean(rows, column):
    return round(total(rows, column) / len(having(rows, column)), 2)


def day(text):
    """A German date in a form that sorts."""
    return "-".join(reversed(text.split(".")))


def used(name, where):
    t = load(name)
    return [r for r in t if eval(where, {**globals(), "r": r, "t": t})]


def values(name, where, value):
    return eval(value, {**globals(), "t": load(name), "u": used(name, where)})
