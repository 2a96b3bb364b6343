package indextest

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"docent/internal/fault"
	"docent/rag/retrieve"
)

// RunWords tests the searches and matches of a keyword index. open makes an
// empty index and the Writer that fills it.
func RunWords(t *testing.T, open func(t *testing.T) (retrieve.Words, Writer)) {
	run(t, func(t *testing.T) index { return keywords(open(t)) })
	t.Run("match", func(t *testing.T) {
		t.Parallel()
		x, w := open(t)
		testMatch(t, x, w)
	})
}

// Words is a keyword index in memory.
type Words interface {
	retrieve.Words
	retrieve.Saver
}

// RunSaver tests how a keyword index in memory is saved and loaded. open makes an
// empty one.
func RunSaver(t *testing.T, open func(t *testing.T) Words) {
	t.Run("save and load", func(t *testing.T) {
		t.Parallel()
		testSaveLoad(t, open(t), open(t))
	})
	t.Run("load damaged", func(t *testing.T) {
		t.Parallel()
		testLoadDamaged(t, open(t), open(t))
	})
}

func testMatch(t *testing.T, x retrieve.Words, w Writer) {
	entries := Entries(300)
	for i := range entries {
		if i%3 == 0 {
			entries[i].Heading = "sage mint"
		}
	}
	put(t, w, entries...)
	remove(t, w, 7, 8, 9)
	const q = "mint pepper absent"
	hits := find(t, keywords(x, w), q, 1000)
	asked := append(ids(hits), 7, 5000)
	terms, matches, err := x.Match(t.Context(), q, asked)
	if err != nil {
		t.Fatal(err)
	}
	if len(terms) != 3 || len(matches) != len(asked) {
		t.Fatalf("%d terms and %d matches, want 3 and %d", len(terms), len(matches), len(asked))
	}
	if terms[2].IDF <= terms[0].IDF || terms[0].IDF <= 0 {
		t.Errorf("rarity %v: a word in no chunk must be the rarest", terms)
	}
	if live := float64(len(entries) - 3); math.Abs(terms[2].IDF-math.Log(2*live+2)) > 1e-6 {
		t.Errorf("a word in none of %v chunks has the IDF %v", live, terms[2].IDF)
	}
	for i, m := range matches[:len(hits)] {
		if math.Abs(m.Score-hits[i].Score) > 1e-6 {
			t.Errorf("chunk %d has score %v in Match and %v in Words", asked[i], m.Score, hits[i].Score)
		}
		heading := entries[asked[i]-1].Heading != ""
		if m.Coverage <= 0 || m.Coverage >= 1 || m.Document < 0 || (m.Heading > 0) != heading {
			t.Errorf("chunk %d (heading %v): %+v", asked[i], heading, m)
		}
	}
	for i := len(hits); i < len(asked); i++ {
		if matches[i] != (retrieve.Match{}) {
			t.Errorf("unknown chunk %d matches: %+v", asked[i], matches[i])
		}
	}
}

// sameAnswers compares two indexes.
func sameAnswers(t *testing.T, a, b Words) {
	t.Helper()
	if a.Len() != b.Len() {
		t.Errorf("Len is %d and %d", a.Len(), b.Len())
	}
	for _, q := range append(words, "lemon pepper", "absent") {
		want := find(t, keywords(a, a), q, 50)
		if got := find(t, keywords(b, b), q, 50); !slices.Equal(want, got) {
			t.Fatalf("%s: %v and %v", q, want, got)
		}
		_, m, err := a.Match(t.Context(), q, ids(want))
		if err != nil {
			t.Fatal(err)
		}
		_, n, err := b.Match(t.Context(), q, ids(want))
		if err != nil {
			t.Fatal(err)
		}
		for i := range m {
			if math.Abs(m[i].Document-n[i].Document) > 1e-6 || m[i].Heading != n[i].Heading || m[i].Coverage != n[i].Coverage {
				t.Fatalf("%s: chunk %d: %+v and %+v", q, want[i].ID, m[i], n[i])
			}
		}
	}
}

func testSaveLoad(t *testing.T, x, y Words) {
	entries := Entries(400)
	put(t, x, entries...)
	remove(t, x, 1, 2, 3, 200)
	saved := save(t, x)
	if err := y.Load(saved); err != nil {
		t.Fatal(err)
	}
	sameAnswers(t, x, y)
	// A loaded index accepts changes like any other. The loaded data does not change.
	before := bytes.Clone(saved)
	for _, z := range []Words{x, y} {
		put(t, z, Entry(1000, "lemon newword pepper"), Entry(20, "mint"))
		remove(t, z, 30, 31, 32)
		put(t, z, entries[30])
	}
	sameAnswers(t, x, y)
	wantIDs(t, find(t, keywords(y, y), "newword", 3), 1000)
	if !bytes.Equal(before, saved) {
		t.Error("the index wrote to the data it was loaded from")
	}
	if err := x.Load(save(t, y)); err != nil {
		t.Fatal(err)
	}
	sameAnswers(t, x, y)
}

func save(t *testing.T, x Words) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := x.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func testLoadDamaged(t *testing.T, x, y Words) {
	put(t, x, Entries(40)...)
	saved := save(t, x)
	for n := 0; n < len(saved); n += 1 + len(saved)/97 {
		put(t, y, Entry(1, "lemon"))
		if err := y.Load(saved[:n]); fault.KindOf(err) != fault.Invalid {
			t.Fatalf("%d of %d bytes: %v, want an Invalid fault", n, len(saved), err)
		}
		if y.Len() != 0 {
			t.Fatalf("%d chunks after a failed load", y.Len())
		}
	}
	LoadAnything(t, y, saved)
}

// LoadAnything flips bytes of saved data one after the other. An index may accept
// or refuse the result, but it must not fail in other ways. Fuzz tests use it too.
func LoadAnything(t *testing.T, x Words, saved []byte) {
	t.Helper()
	for at := range saved {
		data := bytes.Clone(saved)
		data[at] ^= 0xff
		UseAnything(t, x, data)
	}
}

// UseAnything loads data and, if that works, uses the index.
func UseAnything(t *testing.T, x Words, data []byte) {
	t.Helper()
	if x.Load(data) != nil {
		return
	}
	hits := find(t, keywords(x, x), "lemon pepper mint", 10)
	if _, _, err := x.Match(t.Context(), "lemon pepper mint", ids(hits)); err != nil {
		t.Fatal(err)
	}
	put(t, x, Entry(3, "lemon newword"))
	remove(t, x, ids(hits)...)
	save(t, x)
}
