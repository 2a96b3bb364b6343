package ingest_test

import (
	"strings"
	"testing"

	"docent/ingest"
	"docent/rag/corpus"
)

// TestSkipped checks that files without text for readers are skipped, that somebody who names one gets it, and that skipped
// sources are not read again.
func TestSkipped(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	f.write("a.md", "# A\n\nText.")
	f.write("b.css", "p { color: red }")
	f.write("d/c.css", "p { color: blue }")
	f.write("~$a.docx", "R. Sample")
	f.write("a.md~", "# Old")
	f.write("e.js", strings.Repeat("var a=1;", 1000))
	f.write("empty.py", "")
	f.write("g.pdf", "../.git/annex/objects/Xx/9k/SHA256E-s12--4d7a.pdf/SHA256E-s12--4d7a.pdf")
	f.write("h.dvi", "\xf7\x02\x01\x83\x92\xc0\x1c\x3b\x00\x00")
	f.write("f.pdf", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n")
	f.write("font.ttf", "\x00\x01\x00\x00\x00\x0f\x00\x80\x00\x03\x00\x70GDEF"+strings.Repeat("\x00\x01", 500))
	want := `added a.md
skipped a.md~: backup: an editor has left it; the file itself is read
skipped b.css: style sheet: it has no text for readers
skipped d/c.css: style sheet: it has no text for readers
skipped e.js: minified code: a program has written it
skipped empty.py: empty: it contains no text
skipped f.pdf: pointer of Git LFS: the file itself is missing; run git lfs pull, and read it again
skipped font.ttf: not a document: files of type font/ttf have no text
skipped g.pdf: pointer of git-annex: the file itself is missing; run git annex get, and read it again
skipped h.dvi: not a document that docent knows: it is binary, of type application/octet-stream
skipped ~$a.docx: lock file: an office program has the document open
`
	f.expect(ingest.Request{}, want)
	if f.store.get(f.dir+"/b.css") != nil || f.store.get(f.dir+"/empty.py").doc.Status != corpus.Skipped {
		t.Error("a style sheet is stored, or an empty file is not stored as skipped")
	}
	puts := f.store.puts
	f.expect(ingest.Request{}, strings.Replace(want, "added", "unchanged", 1))
	if f.store.puts != puts {
		t.Error("skipped files were stored again")
	}
	f.expect(ingest.Request{Paths: []string{f.dir + "/b.css"}}, "added b.css\n")
	f.write(ingest.IgnoreFile, "!c.css\n!e.js\n")
	f.write("empty.py", "x = 1\n")
	out := f.run(ingest.Request{})
	for _, line := range []string{"added d/c.css\n", "added e.js\n", "changed empty.py\n", "removed b.css\n"} {
		if !strings.Contains(out, line) {
			t.Errorf("no %q in\n%s", line, out)
		}
	}
	// The content of a document was removed, so searches must not find it.
	f.write("a.md", "")
	if out := f.run(ingest.Request{}); !strings.Contains(out, "skipped a.md: empty") || f.store.get(f.dir+"/a.md").doc.Status != corpus.Skipped {
		t.Errorf("an emptied document: %s", out)
	}
}

// TestChatFolder checks that the messages of an unpacked export name people, and that the lists of people and
// channels are skipped.
func TestChatFolder(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	f.write("x/users.json", `[{"id":"U01","name":"vera","real_name":"Vera Quist"}]`)
	f.write("x/channels.json", `[{"id":"C1","name":"ops"}]`)
	f.write("x/ops/2026-10-05.json", `[{"type":"message","user":"U01","text":"It leaks, <@U01>.","ts":"1791187200.000100"}]`)
	f.write("y/users.json", `[{"id":"U01"}]`)
	f.expect(ingest.Request{}, `skipped x/channels.json: list of people or channels: the messages name them
added x/ops/2026-10-05.json
skipped x/users.json: list of people or channels: the messages name them
added y/users.json
`)
	chunks := f.store.get(f.dir + "/x/ops/2026-10-05.json").chunks
	if len(chunks) != 1 || !strings.Contains(chunks[0].Text, "Vera Quist (08:00): It leaks, Vera Quist.") {
		t.Errorf("the messages are read as %v", chunks)
	}
}
