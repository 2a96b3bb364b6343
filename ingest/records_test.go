package ingest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docent/ingest"
)

func TestRecords(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	f.write("faq.jsonl", `{"id": "a", "title": "First", "text": "Text one."}
{"id": 7, "text": "Text two."}

{"text": "Text three."}
{"id": "a", "text": "Twice."}
{"id": "b"}
not json
`)
	f.expect(ingest.Request{}, `added faq.jsonl#a
added faq.jsonl#7
added faq.jsonl#line-4
failed faq.jsonl#a: line 5: another line has the same id
failed faq.jsonl#line-6: line 6: it has no text
failed faq.jsonl#line-7: line 7: damaged: the line is not a JSON object with a text
`)
	s := f.store.get(filepath.Join(f.dir, "faq.jsonl#a"))
	if s.doc.Title != "First" || s.doc.Text != "Text one." || string(s.source) != `{"id": "a", "title": "First", "text": "Text one."}` {
		t.Errorf("stored %+v", s.doc)
	}
	f.write("faq.jsonl", `{"id": "a", "title": "First", "text": "Text one."}
{"id": "n", "text": "New."}
{"id": 7, "text": "Text two, changed."}
`)
	f.expect(ingest.Request{}, `unchanged faq.jsonl#a
added faq.jsonl#n
changed faq.jsonl#7
removed faq.jsonl#line-4
removed faq.jsonl#line-6
removed faq.jsonl#line-7
`)
	f.write("faq.jsonl", "no longer records")
	f.expect(ingest.Request{}, "added faq.jsonl\nremoved faq.jsonl#7\nremoved faq.jsonl#a\nremoved faq.jsonl#n\n")
	f.write("faq.jsonl", `{"id": "a", "text": "Text one."}`)
	f.expect(ingest.Request{}, "added faq.jsonl#a\nremoved faq.jsonl\n")
	if err := os.Remove(filepath.Join(f.dir, "faq.jsonl")); err != nil {
		t.Fatal(err)
	}
	f.expect(ingest.Request{Prune: true}, "removed faq.jsonl#a\n")
}

func TestFilesNamedLikeRecordsStay(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	f.write("C", "about C")
	f.write("C#.md", "about C sharp")
	f.expect(ingest.Request{}, "added C\nadded C#.md\n")
	f.expect(ingest.Request{Paths: []string{f.dir + "/C"}, Prune: true}, "unchanged C\n")
	f.expect(ingest.Request{Prune: true}, "unchanged C\nunchanged C#.md\n")
}

func TestOtherJSONLines(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	f.write("log.jsonl", `{"level":"info","msg":"started"}`+"\n"+`{"level":"error","msg":"stopped"}`+"\n")
	f.expect(ingest.Request{}, "added log.jsonl\n")
}

func TestLongLine(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{MaxFileSize: 200_000})
	f.write("big.jsonl", `{"text": "short"}`+"\n"+fmt.Sprintf(`{"text": %q}`, strings.Repeat("word ", 100_000))+"\n"+`{"text": "also short"}`)
	f.expect(ingest.Request{}, "added big.jsonl#line-1\nfailed big.jsonl#line-2: too large: the line is longer than 195.3 KiB\nadded big.jsonl#line-3\n")
}

func TestRead(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{MaxFileSize: 1000})
	read := func(source, data string) string {
		t.Helper()
		results, err := f.in.Read(t.Context(), "", source, strings.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, r := range results {
			f.line(&b, r)
		}
		return b.String()
	}
	for _, tt := range []struct{ source, data, want string }{
		{"upload:a.md", "# A\n\ntext", "added upload:a.md\n"},
		{"upload:a.md", "# A\n\ntext", "unchanged upload:a.md\n"},
		{"upload:a.md", "# A\n\nother", "changed upload:a.md\n"},
		{"upload:a.md#b", "text", "added upload:a.md#b\n"},
		{"upload:a.md", "# A\n\nthird", "changed upload:a.md\n"},
		{"stdin:-", "<html><p>text", "added stdin:-\n"},
		{"upload:x.jsonl", `{"id":"1","text":"a"}` + "\n" + `{"id":"2","text":"b"}`, "added upload:x.jsonl#1\nadded upload:x.jsonl#2\n"},
		{"upload:x.jsonl", `{"id":"2","text":"b"}`, "unchanged upload:x.jsonl#2\nremoved upload:x.jsonl#1\n"},
		{"upload:big", strings.Repeat("x ", 600), "failed upload:big: too large: more than 1000 bytes\n"},
		{"upload:none.txt", "", "failed upload:none.txt: empty: it contains no text\n"},
	} {
		if got := read(tt.source, tt.data); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.source, got, tt.want)
		}
	}
}

// TestReadInPart checks that the result lists the content that could not be read.
func TestReadInPart(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{MaxFileSize: 1 << 20})
	data := strings.Repeat("f3A9c0B7d2E4a6F8b1C5d7E9a2B4c6D8e0F1a3B5c7D9e1F2a4B6c8D0\n", 4000)
	results, err := f.in.Read(t.Context(), "", "upload:dump.txt", strings.NewReader(data))
	if err != nil || len(results) != 1 || results[0].Status != ingest.Added || !strings.Contains(results[0].Note, "of encoded data") {
		t.Errorf("%+v, %v", results, err)
	}
}
