package bm25_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"docent/index/bm25"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
)

func TestIndex(t *testing.T) {
	t.Parallel()
	indextest.RunWords(t, func(*testing.T) (retrieve.Words, indextest.Writer) {
		x := bm25.New()
		return x, x
	})
	indextest.RunMirror(t, func(*testing.T) retrieve.Mirror { return bm25.New() })
	indextest.RunSaver(t, func(*testing.T) indextest.Words { return bm25.New() })
}

func FuzzLoad(f *testing.F) {
	x := bm25.New()
	if err := x.Put(f.Context(), indextest.Entries(5)); err != nil {
		f.Fatal(err)
	}
	var b bytes.Buffer
	if err := x.Save(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("DBM5"))
	f.Fuzz(func(t *testing.T, data []byte) { indextest.UseAnything(t, bm25.New(), data) })
}

func entry(id int64, language, heading, text string) retrieve.Entry {
	e := indextest.Entry(id, text)
	e.Language, e.Heading = language, heading
	return e
}

func found(t *testing.T, x *bm25.Index, q string) []int64 {
	t.Helper()
	hits, err := x.Words(t.Context(), q, 100, retrieve.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]int64, len(hits))
	for i, h := range hits {
		out[i] = h.ID
	}
	return out
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	x := bm25.New()
	if err := x.Put(t.Context(), []retrieve.Entry{
		entry(1, "en", "Backups", "Backups are restored by the program."),
		entry(2, "de", "Sicherungen", "Die Sicherungen stellt das Programm wieder her."),
		entry(3, "es", "Copias", "El programa restaura las copias de la base de datos."),
		entry(4, "zh", "备份", "数据库的备份由程序恢复。"),
		entry(5, "", "Unknown", "Los datos de la base los restaura el programa de noche."),
		entry(6, "en", "Dice", "A die is cast; dice die hard."),
	}); err != nil {
		t.Fatal(err)
	}
	for q, want := range map[string]int64{
		"restore a backup": 1, "sicherung": 2, "copia de datos": 3, "备份恢复": 4, "backup": 1, "die": 6,
	} {
		if got := found(t, x, q); len(got) == 0 || got[0] != want {
			t.Errorf("%s finds %v, want %d first", q, got, want)
		}
	}
	// Stop words count only if a query has no other words.
	if got := found(t, x, "the by are"); len(got) != 1 || got[0] != 1 {
		t.Errorf("nothing but stop words finds %v, want 1", got)
	}
	if got := found(t, x, "the zebra"); len(got) != 0 {
		t.Errorf("a stop word beside another finds %v, want nothing", got)
	}
}

func TestIdentifiers(t *testing.T) {
	t.Parallel()
	x := bm25.New()
	if err := x.Put(t.Context(), []retrieve.Entry{
		entry(1, "en", "", "max_wal_size bounds the log between checkpoints"),
		entry(2, "en", "", "the size of the wal is at most what is set"),
		entry(3, "en", "", "func ParseConfig(s string) parses a string"),
		entry(4, "en", "", "the config is parsed once, parse the config again"),
	}); err != nil {
		t.Fatal(err)
	}
	for q, want := range map[string]int64{"max_wal_size": 1, "ParseConfig": 3, "parseconfig": 3, "pgconn.ParseConfig": 3} {
		if got := found(t, x, q); len(got) == 0 || got[0] != want {
			t.Errorf("%s finds %v, want %d first", q, got, want)
		}
	}
}

// TestManyWords adds a table with more different words than the cache of words takes, in
// one Put and after it. All words must be found, also in a saved index.
func TestManyWords(t *testing.T) {
	t.Parallel()
	const rows, perRow = 1500, 100
	word := func(row, n int) string { return fmt.Sprintf("w%dx%d", row, n) }
	entries := make([]retrieve.Entry, rows+1)
	for row := range entries {
		words := make([]string, perRow)
		for n := range words {
			words[n] = word(row, n)
		}
		entries[row] = retrieve.Entry{ID: int64(row + 1), DocumentID: 1, Ordinal: row, Text: strings.Join(words, " ")}
	}
	x := bm25.New()
	for _, part := range [][]retrieve.Entry{entries[:rows], entries[rows:]} {
		if err := x.Put(t.Context(), part); err != nil {
			t.Fatal(err)
		}
	}
	var saved bytes.Buffer
	if err := x.Save(&saved); err != nil {
		t.Fatal(err)
	}
	loaded := bm25.New()
	if err := loaded.Load(saved.Bytes()); err != nil {
		t.Fatal(err)
	}
	// A loaded index takes more words, and can be saved again.
	again := bm25.New()
	if err := again.Load(saved.Bytes()); err != nil {
		t.Fatal(err)
	}
	more := retrieve.Entry{ID: rows + 2, DocumentID: 2, Text: "later1 later2 " + word(7, 8)}
	if err := again.Put(t.Context(), []retrieve.Entry{more}); err != nil {
		t.Fatal(err)
	}
	saved = bytes.Buffer{}
	if err := again.Save(&saved); err != nil {
		t.Fatal(err)
	}
	twice := bm25.New()
	if err := twice.Load(saved.Bytes()); err != nil {
		t.Fatal(err)
	}
	for _, index := range []*bm25.Index{again, twice} {
		if got := found(t, index, "later2"); len(got) != 1 || got[0] != rows+2 {
			t.Errorf("later2 finds %v", got)
		}
		if got := found(t, index, word(7, 8)); len(got) != 2 {
			t.Errorf("%s finds %v, want two chunks", word(7, 8), got)
		}
	}
	for _, index := range []*bm25.Index{x, loaded, again, twice} {
		for row := 0; row <= rows; row += 100 {
			hits, err := index.Words(t.Context(), word(row, row%perRow), 2, retrieve.Filter{})
			if err != nil || len(hits) != 1 || hits[0].ID != int64(row+1) {
				t.Errorf("row %d: %v, %v", row, hits, err)
			}
		}
	}
}
