package wiring

import (
	"os"
	"testing"

	"docent/config"
	"docent/ingest/encode"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
)

// TestEarlierDatabase copies an earlier SQLite file back beside a later snapshot, and
// changes it until its revisions are those of the snapshot.
func TestEarlierDatabase(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	// with opens the database, calls change, and then opens and saves the indexes.
	with := func(encoding bool, change func(p parts)) (encoded retrieve.EncoderProgress, found []retrieve.Result) {
		t.Helper()
		p := openParts(t, config.Config{Data: folder, Encoder: config.EncoderOff})
		defer p.Close(t.Context())
		p.encoders = []encode.Model{{Embedder: indextest.Model("encoder"), Languages: corpus.Languages{Except: true}}}
		change(p)
		if encoding {
			if err := p.Encode(t.Context(), p.Store); err != nil {
				t.Fatal(err)
			}
		}
		x, err := OpenIndexes(t.Context(), p.Store, p.Embedders)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Retriever.Save(t.Context()); err != nil {
			t.Fatal(err)
		}
		out, err := x.Retriever.Retrieve(t.Context(), retrieve.Query{Question: "Where does mint grow?"})
		if err != nil {
			t.Fatal(err)
		}
		return x.Retriever.Encoders()[0], out.Results
	}
	nothing := func(parts) {}
	put := func(text string) func(parts) { return func(p parts) { p.putTexts(t, text) } }
	file := config.Config{Data: folder}.SQLitePath()

	with(false, put("Lemons grow on small trees."))
	earlier, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	with(true, nothing)
	restore := func() {
		t.Helper()
		if err := os.WriteFile(file, earlier, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	restore()
	if encoded, _ := with(false, nothing); encoded.Done != 0 {
		t.Errorf("%d vectors of the later database are found", encoded.Done)
	}
	with(false, put("Basil grows in pots."))
	restore()
	if _, found := with(false, put("Mint grows in wet soil.")); len(found) != 2 || found[0].Passage.Text != "Mint grows in wet soil." {
		t.Errorf("found %+v", found)
	}
}
