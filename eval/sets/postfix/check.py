#!/usr/bin/env python3
"""Check both sets: python3 check.py HTML_FOLDER   (the folder that fetch.sh makes).

--greps prints, for every unanswerable question, the searches that find nothing."""
import collections, html.parser, json, os, re, sys

HERE = os.path.dirname(os.path.abspath(__file__))
SKIP = ("head", "script", "style")


class Text(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.out, self.skip = [], 0

    def handle_starttag(self, tag, attrs):
        self.skip += tag in SKIP

    def handle_endtag(self, tag):
        self.skip -= tag in SKIP

    def handle_data(self, data):
        if not self.skip:
            self.out.append(data)


def page(path):
    with open(path, encoding="utf-8") as f:
        raw = f.read()
    p = Text()
    p.feed(raw)
    return re.sub(r"\s+", " ", "".join(p.out)), set(re.findall(r'(?:id|name)="([^"]+)"', raw))


def norm(s):
    s = re.sub(r"(?<=\d),(?=\d)", "", s.lower())
    s = re.sub(r"(?<=\d)\s+(?=(kb|mb|gb|ms|s|min)\b)", "", s)
    s = re.sub(r"(?<=[a-z])-(?=[a-z])", "", s)
    return re.sub(r"\s+", " ", s)


def has(answer, fact):
    a, f = norm(answer), norm(fact)
    left = r"(?<![a-z0-9])" if f[0].isalnum() else ""
    right = r"(?![0-9])" if f[-1].isdigit() else ""
    return re.search(left + re.escape(f) + right, a) is not None


def load(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


folder = [a for a in sys.argv[1:] if not a.startswith("-")][0]
pages = {f: page(os.path.join(folder, f)) for f in sorted(os.listdir(folder)) if f.endswith(".html")}
bad = []

rows = load("questions.jsonl")
for r in rows:
    i = r["id"]
    for e in r["evidence"] + r.get("also", []):
        if e["file"] not in pages:
            bad.append((i, "no file", e["file"]))
            continue
        text, names = pages[e["file"]]
        if e["quote"] not in text:
            bad.append((i, "quote", e["quote"]))
        if e["anchor"] and e["anchor"] not in names:
            bad.append((i, "anchor", e["anchor"]))
        if not 8 <= len(e["quote"].split()) <= 30:
            bad.append((i, "length", e["quote"]))
    spans = " ".join(e["quote"] for e in r["evidence"])
    for f in r["facts"]:
        if not has(spans, f):
            bad.append((i, "fact not in evidence", f))
        if not has(r["answer"], f):
            bad.append((i, "fact not in answer", f))
    if r["kind"] == "unanswerable":
        if r["answer"] or r["facts"] or r["evidence"] or not r["checked"]:
            bad.append((i, "unanswerable with an answer or unchecked"))
        for c in r["checked"]:
            found = [f for f, (text, _) in pages.items() if re.search(c["pattern"], text, re.I)]
            if found:
                bad.append((i, "search finds something", c["pattern"], found))
            if "--greps" in sys.argv:
                print(i, repr(c["pattern"]), len(found), "files |", r["question"])
    elif not (r["answer"] and r["facts"] and r["evidence"]):
        bad.append((i, "incomplete"))
    if (r["kind"] == "followup") != ("history" in r) or ("history" in r) != ("standalone" in r):
        bad.append((i, "history"))
if len({r["id"] for r in rows}) != len(rows) or len({r["question"] for r in rows}) != len(rows):
    bad.append("ids or questions not unique")

pairs = load("support.jsonl")
for p in pairs:
    if not 60 <= len(p["passage"].split()) <= 200:
        bad.append((p["id"], "length", len(p["passage"].split())))
    if p["label"] not in ("supported", "partly", "not"):
        bad.append((p["id"], "label"))
    if p["source"]["package"] == "postfix-doc":
        text = pages[p["source"]["file"]][0].replace(" ", "")
        if p["passage"].replace(" ", "") not in text:
            bad.append((p["id"], "passage not in page", p["source"]["file"]))
if len({(p["passage"], p["sentence"]) for p in pairs}) != len(pairs) or len({p["id"] for p in pairs}) != len(pairs):
    bad.append("pairs not unique")
for name in os.listdir(HERE):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        if re.search(r"/(work|tmp|root|home/[a-z])/", f.read()) and name.endswith((".jsonl", ".md", ".sh")):
            bad.append((name, "mentions a machine path"))

print(len(pages), "pages;", len(rows), "questions:", dict(collections.Counter(r["kind"] for r in rows)))
print(sum(len(r["evidence"]) for r in rows), "evidence spans from", len({e["file"] for r in rows for e in r["evidence"]}),
      "pages,", sum(len(r.get("also", [])) for r in rows), "further right spans")
print(len(pairs), "pairs:", dict(collections.Counter(p["label"] for p in pairs)), "from",
      len({p["passage_id"] for p in pairs}), "passages,", dict(collections.Counter(p["lang"] for p in pairs)))
print(len(bad), "failures")
for b in bad:
    print(b)
sys.exit(bool(bad))
