package ingest_test

import (
	"strings"
	"testing"
	"time"

	"docent/ingest"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// read ingests an upload and returns its results as lines.
func (f *fixture) upload(name, content string) string {
	f.Helper()
	results, err := f.in.Read(f.Context(), "", "upload:"+name, strings.NewReader(content))
	if err != nil {
		f.Fatal(err)
	}
	return f.lines(results)
}

func (f *fixture) lines(results []ingest.Result) string {
	f.Helper()
	var b strings.Builder
	for _, r := range results {
		f.line(&b, r)
	}
	return b.String()
}

// again reads a stored document again.
func (f *fixture) again(source string) string {
	f.Helper()
	s := f.store.get(source)
	results, err := f.in.ReadAgain(f.Context(), s.doc, s.source)
	if err != nil {
		f.Fatal(err)
	}
	return f.lines(results)
}

func (f *fixture) want(what, got, want string) {
	f.Helper()
	if got != want {
		f.Errorf("%s: %q, want %q", what, got, want)
	}
}

// TestFailedUploadIsKept: an upload that cannot be read keeps its bytes, and is read from them when the embedder works.
func TestFailedUploadIsKept(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	broken := true
	f.embed.refuse = func(string) error {
		if broken {
			return fault.New(fault.Invalid, "test_sentence", "no")
		}
		return nil
	}
	f.want("upload", f.upload("pump.md", "# Pump\n\nIt pumps."), "failed upload:pump.md: the embedder refuses it: no\n")
	id := f.store.get("upload:pump.md").doc.ID
	f.want("another try", f.again("upload:pump.md"), "failed upload:pump.md: the embedder refuses it: no\n")
	broken = false
	f.want("a try that works", f.again("upload:pump.md"), "changed upload:pump.md\n")
	if s := f.store.get("upload:pump.md"); s.doc.Status != corpus.Ready || s.doc.ID != id || len(s.chunks) == 0 {
		t.Errorf("document %+v", s.doc)
	}
	f.want("damaged", f.upload("half.zip", zipped(t, "a.md", "# A")[:40]),
		"failed upload:half.zip: damaged: the archive cannot be opened, or a part of it is missing; add an undamaged copy\n")
	if kept := f.store.get("upload:half.zip").source; len(kept) != 40 {
		t.Errorf("%d bytes of a damaged upload are kept", len(kept))
	}
	// A file on the server stays there, so docent keeps no copy of it.
	f.write("half.zip", zipped(t, "a.md", "# A")[:40])
	f.run(ingest.Request{})
	if kept := f.store.get(f.dir + "/half.zip").source; kept != nil {
		t.Errorf("%d bytes of a file are kept", len(kept))
	}
}

// TestReadDocumentAgain reads ready documents again. They keep their id, folder, and date, also if docent cannot read them any more.
func TestReadDocumentAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	p := f.write("manuals/pump.md", "# Pump\n\nIt pumps.")
	f.run(ingest.Request{})
	before := f.store.get(p).doc
	f.want("a file", f.again(p), "changed manuals/pump.md\n")
	after := f.store.get(p).doc
	if after.ID != before.ID || after.Folder != before.Folder || !after.Date.Equal(before.Date) || after.DateFrom != before.DateFrom ||
		after.Modified.Truncate(time.Second) != before.Modified.Truncate(time.Second) {
		t.Errorf("before %+v\nafter %+v", before, after)
	}
	f.embed.refuse = func(string) error { return fault.New(fault.Invalid, "test_sentence", "no") }
	f.want("a document that cannot be read any more", f.again(p), "failed manuals/pump.md: the embedder refuses it: no\n")
	if s := f.store.get(p); s.doc.Status != corpus.Ready || len(s.chunks) == 0 {
		t.Errorf("the earlier version is gone: %+v", s.doc)
	}
	f.embed.refuse = nil

	f.upload("lines.jsonl", `{"id":"a","title":"Seal","text":"It seals."}`+"\n"+`{"id":"b","text":"It turns."}`+"\n")
	f.want("a line", f.again("upload:lines.jsonl#a"), "changed upload:lines.jsonl#a\n")
	if d := f.store.get("upload:lines.jsonl#a").doc; d.Title != "Seal" || d.Text != "It seals." {
		t.Errorf("the line is %+v", d)
	}
	f.upload("parts.zip", zipped(t, "valve.txt", "It opens."))
	f.want("a part", f.again("upload:parts.zip#valve.txt"), "changed upload:parts.zip#valve.txt\n")

	gone := f.store.get("upload:parts.zip#valve.txt")
	if _, err := f.store.RemoveDocuments(t.Context(), []int64{gone.doc.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.in.ReadAgain(t.Context(), gone.doc, gone.source); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a deleted document: %v", err)
	}
}

// TestReplace: an upload gets the content of another file. Other documents are refused.
func TestReplace(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	replace := func(source, name, content string) string {
		t.Helper()
		results, err := f.in.Replace(t.Context(), f.store.get(source).doc, name, strings.NewReader(content))
		if err != nil {
			return string(fault.KindOf(err)) + " " + err.Error()
		}
		return f.lines(results)
	}
	f.upload("pump.md", "# Pump\n\nIt pumps.")
	id := f.store.get("upload:pump.md").doc.ID
	f.want("another file", replace("upload:pump.md", "v2.MD", "# Pump 2\n\nIt rests."), "changed upload:pump.md\n")
	f.want("an empty file", replace("upload:pump.md", "v3.md", ""), "failed upload:pump.md: empty: it contains no text\n")
	if d := f.store.get("upload:pump.md").doc; d.ID != id || d.Title != "Pump 2" || d.Status != corpus.Ready {
		t.Errorf("document %+v", d)
	}
	f.want("the same file", replace("upload:pump.md", "v2.md", "# Pump 2\n\nIt rests."), "unchanged upload:pump.md\n")

	f.upload("all.zip", zipped(t, "a.md", "# A"))
	f.run(ingest.Request{Paths: []string{f.write("docs/x.md", "# X")}})
	for source, want := range map[string]string{
		"upload:pump.md":      `conflict document 1 has the file ending ".md", and "v2.pdf" has another one; choose such a file, or add a new document`,
		"upload:all.zip#a.md": `conflict document 4 is a part of "upload:all.zip"; add that file again`,
		f.dir + "/docs/x.md":  `conflict document 6 comes from "docs/x.md"; change it there, and docent reads it again with the next sync or docent ingest`,
	} {
		f.want(source, replace(source, "v2.pdf", "x"), want)
	}
	gone := f.store.get("upload:pump.md").doc
	gone.ID = 99
	if _, err := f.in.Replace(t.Context(), gone, "v4.md", strings.NewReader("# Four")); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a document that is gone: %v", err)
	}
}
