package retrieve_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// snapshotOf saves the small corpus and returns the file.
func snapshotOf(t testing.TB, c *memoryCorpus) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index.snapshot")
	if err := load(t, c, path).Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	for name, few := range map[string]int{"saved vectors": 0, "few vectors": 100} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := small(t)
			c.few = few
			testSnapshot(t, c)
		})
	}
}

func testSnapshot(t *testing.T, c *memoryCorpus) {
	path := snapshotOf(t, c)
	want := ranking(t, load(t, c, ""), true)
	r := load(t, c, path)
	if c.asked != 0 || r.Len() != 15 {
		t.Fatalf("%d chunks; asked for changes since %d", r.Len(), c.asked)
	}
	if got := ranking(t, r, true); got != want {
		t.Errorf("from the snapshot:\n%s\nfrom the corpus:\n%s", got, want)
	}
	// The retriever reads only the documents that changed since.
	c.put(t, corpus.Document{Source: "/manual/locks.html", Title: "Locks", Language: "en"}, corpus.Chunk{Text: "Advisory locks are taken by number."})
	c.remove("/src/pool.go")
	r = load(t, c, path)
	if c.asked == 0 {
		t.Error("all was read again")
	}
	if got, want := ranking(t, r, true), ranking(t, load(t, c, ""), true); got != want {
		t.Errorf("caught up:\n%s\nfrom the corpus:\n%s", got, want)
	}
	left, err := filepath.Glob(path + "?*")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestSnapshotTakesOver: an index that is made from many documents moves to its
// snapshot at once, so the first process needs as little memory as later ones.
func TestSnapshotTakesOver(t *testing.T) {
	t.Parallel()
	c := small(t)
	for i := range 300 {
		c.put(t, corpus.Document{Source: fmt.Sprintf("/many/%d.md", i), Title: "Many", Language: "en"},
			corpus.Chunk{Text: fmt.Sprintf("Pump number %d needs oil.", i)})
	}
	want := ranking(t, load(t, c, ""), true)
	r := load(t, c, filepath.Join(t.TempDir(), "index.snapshot"))
	if !retrieve.InOnePiece(r) || r.Len() != 315 {
		t.Errorf("%d chunks are in memory of their own", r.Len())
	}
	if got := ranking(t, r, true); got != want {
		t.Errorf("from the snapshot:\n%s\nfrom the corpus:\n%s", got, want)
	}
}

// TestLoadMoves: Load moves an index in parts while it makes it. The chunks of the
// second corpus cannot be moved in parts, because all of them change at once.
func TestLoadMoves(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]int64{"one after the other": 0, "at once": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := small(t)
			for i := range 1000 {
				c.put(t, corpus.Document{Source: fmt.Sprintf("/many/%d.md", i), Title: "Many", Language: "en"},
					corpus.Chunk{Text: fmt.Sprintf("Pump number %d needs oil.", i%100)})
			}
			for source, change := range c.live {
				if at > 0 {
					change.Revision = at
					c.live[source] = change
				}
			}
			want := ranking(t, load(t, c, ""), true)
			r := open(t, c, filepath.Join(t.TempDir(), "index.snapshot"))
			retrieve.SetMoved(r, 300)
			if err := r.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
			if moved := c.asked > 0; moved != (at == 0) {
				t.Errorf("the last chunks were read after revision %d", c.asked)
			}
			if !retrieve.InOnePiece(r) || r.Len() != 1015 {
				t.Errorf("%d chunks are in memory of their own", r.Len())
			}
			if got := ranking(t, r, true); got != want {
				t.Errorf("in parts:\n%s\nat once:\n%s", got, want)
			}
		})
	}
}

func TestSnapshotOfAnother(t *testing.T) {
	t.Parallel()
	c := small(t)
	path := snapshotOf(t, c)
	check := func(name string, want int64) {
		t.Helper()
		c.asked = -1
		r := load(t, c, path)
		if c.asked != want {
			t.Errorf("%s: asked for changes since %d, want %d", name, c.asked, want)
		}
		if r.Len() != 15 {
			t.Errorf("%s: %d chunks, want 15", name, r.Len())
		}
	}
	check("its own", -1)
	c.revision.Database = "two"
	check("another database", 0)
	c.revision.Database = "one"
	c.revision.Number--
	check("an older state", 0)
	c.revision.Number++
	check("its own again", -1)
}

func TestSnapshotDamaged(t *testing.T) {
	t.Parallel()
	c := small(t)
	path := snapshotOf(t, c)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		data := bytes.Clone(whole)
		if i%2 == 0 {
			data = data[:i*len(data)/60]
		} else {
			data[i*len(data)/60] ^= 1
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if r := load(t, c, path); r.Len() != 15 {
			t.Fatalf("damage %d: %d chunks, want 15", i, r.Len())
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if r := load(t, c, path); r.Len() != 15 {
		t.Errorf("a folder in its place: %d chunks, want 15", r.Len())
	}
}

// TestBadVectors: keyword search still finds chunks with unusable vectors.
func TestBadVectors(t *testing.T) {
	t.Parallel()
	c := small(t)
	c.put(t, corpus.Document{Source: "/odd", Language: "en"}, corpus.Chunk{Text: "The zebra has no vector."}, corpus.Chunk{Text: "The quagga has a short vector."})
	odd := c.live["/odd"]
	odd.Vectors[0], odd.Vectors[1] = nil, []float32{1, 0}
	r := load(t, c, filepath.Join(t.TempDir(), "index.snapshot"))
	for _, q := range []string{"zebra", "quagga"} {
		if out := ask(t, r, retrieve.Query{Question: q}); len(out.Results) == 0 || out.Results[0].Passage.Document.Source != "/odd" {
			t.Errorf("%s is not found first", q)
		}
	}
}

// seal appends the correct checksum, so that only the body can make a snapshot
// unusable.
func seal(body []byte) []byte {
	return binary.LittleEndian.AppendUint64(bytes.Clone(body), uint64(crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli))))
}

// useAnything loads a snapshot with any body. The retriever uses or rejects it
// without any other error.
func useAnything(t *testing.T, c *memoryCorpus, e *memoryEncodings, path string, body []byte) {
	t.Helper()
	if err := os.WriteFile(path, seal(body), 0o600); err != nil {
		t.Fatal(err)
	}
	r := encoded(t, c, e, path)
	ask(t, r, retrieve.Query{Question: "how do i restore a dump"})
	c.put(t, corpus.Document{Source: "/late", Language: "en"}, corpus.Chunk{Text: "A dump came late."})
	if err := r.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	ask(t, r, retrieve.Query{Question: "late dump"})
	c.remove("/late")
	c.gone, c.revision.Number = nil, c.revision.Number-2
}

// encodedSnapshotOf saves the small corpus with vectors of an encoder.
func encodedSnapshotOf(t testing.TB, c *memoryCorpus) (string, *memoryEncodings) {
	t.Helper()
	e := &memoryEncodings{}
	for i, id := range chunkIDs(t, c, "en") {
		e.put([]float32{float32(i % 2), 1 - float32(i%2)}, id)
	}
	path := filepath.Join(t.TempDir(), "index.snapshot")
	if err := encoded(t, c, e, path).Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	return path, e
}

func TestSnapshotWithAnyBody(t *testing.T) {
	t.Parallel()
	c := small(t)
	path, e := encodedSnapshotOf(t, c)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole = whole[:len(whole)-8]
	step := 1 + len(whole)/150
	if testing.Short() {
		step *= 5
	}
	for at := 0; at < len(whole); at += step {
		if len(whole)-at < 1200 { // the vectors of the encoder
			step = min(step, 13)
		}
		body := bytes.Clone(whole)
		body[at] ^= 0xff
		useAnything(t, c, e, path, body)
	}
}

func FuzzSnapshot(f *testing.F) {
	c := small(f)
	path, e := encodedSnapshotOf(f, c)
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole[:len(whole)-8])
	f.Add([]byte("DSNP"))
	f.Fuzz(func(t *testing.T, body []byte) { useAnything(t, c, e, path, body) })
}
