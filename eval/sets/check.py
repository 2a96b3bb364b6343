#!/usr/bin/env python3
"""Check the evidence of a set: python3 check.py FILE.jsonl CORPUS

Each quote must occur in its document, without tags and with any white space. Facts must be in the
answers. For tables, the values are computed again. For gnucash and gimp, the patterns of unanswerable
questions must find nothing. A document below docs/ is read from the repository."""
import html.parser, json, os, re, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "tables"))
import tables


class Text(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.out, self.skip = [], 0

    def handle_starttag(self, tag, attrs):
        self.skip += tag in ("head", "script", "style")
        self.out.append(" " if tag in BLOCKS else "")

    def handle_endtag(self, tag):
        self.skip -= tag in ("head", "script", "style")
        self.out.append(" " if tag in BLOCKS else "")

    def handle_data(self, data):
        if not self.skip:
            self.out.append(data)


BLOCKS = "p li tr td th h1 h2 h3 h4 dt dd div br pre caption section table ul ol dl".split()


def words(text):
    return re.sub(r"\s+", " ", text)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        text = f.read()
    if path.endswith(".html"):
        p = Text()
        p.feed(text)
        text = "".join(p.out)
    return words(text)


def norm(s):
    s = re.sub(r"(?<=\d),(?=\d)", "", s.lower())
    s = re.sub(r"(?<=\d)\s+(?=(kb|mb|gb|ms|s|min)\b)", "", s)
    return words(re.sub(r"(?<=[a-z])-(?=[a-z])", "", s))


def has(answer, fact):
    a, f = norm(answer), norm(fact)
    left = r"(?<![a-z0-9])" if f[0].isalnum() else ""
    right = r"(?![0-9])" if f[-1].isdigit() else ""
    return re.search(left + re.escape(f) + right, a) is not None


questions, corpus = sys.argv[1:3]
documents = {f: read(os.path.join(corpus, f)) for f in sorted(os.listdir(corpus)) if os.path.isfile(os.path.join(corpus, f))}
with open(questions, encoding="utf-8") as f:
    rows = [json.loads(line) for line in f]
bad, quotes, ids = [], 0, set()
for row in rows:
    if row["id"] in ids:
        bad.append((row["id"], "twice"))
    ids.add(row["id"])
    for turn in row.get("turns", [row]):
        for e in turn.get("evidence", []) + turn.get("also", []):
            quotes += 1
            if e["file"].startswith("docs/") and e["file"] not in documents:
                documents[e["file"]] = read(os.path.join(HERE, "..", "..", e["file"]))
            if words(e["quote"]) not in documents.get(e["file"], ""):
                bad.append((row["id"], e["file"], e["quote"]))
        for key in ("want", "avoid"):
            re.compile(turn.get(key, ""))
    for fact in row.get("facts", []):
        if not has(row["answer"], fact):
            bad.append((row["id"], "fact not in answer", fact))
    for c in row.get("checked", []):
        for name, text in documents.items():
            if re.search(c["pattern"], text, re.I):
                bad.append((row["id"], "pattern finds something", c["pattern"], name))
    if "value" in row:
        if tables.values(row["table"], row["where"], row["value"]) != row["values"]:
            bad.append((row["id"], "values"))
    if "where" in row and [r.raw for r in tables.used(row["table"], row["where"])] != [e["quote"] for e in row["evidence"]]:
        bad.append((row["id"], "rows"))
print(len(rows), "rows,", quotes, "quotes,", len(documents), "documents,", len(bad), "failures")
for b in bad:
    print(b)
sys.exit(bool(bad))
