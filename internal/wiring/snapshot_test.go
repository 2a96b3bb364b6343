package wiring

import (
	"context"
	"log/slog"
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
	with := func(encoding bool, change func(p *Parts)) (encoded retrieve.EncoderProgress, found []retrieve.Result) {
		t.Helper()
		p := New(config.Config{Data: folder, Encoder: config.EncoderOff}, slog.New(slog.DiscardHandler))
		defer p.Close(context.WithoutCancel(t.Context()))
		steps := []func(context.Context) error{p.AddDatabase, p.AddEmbedder, func(context.Context) error {
			p.encoders = []encode.Model{{Embedder: indextest.Model("encoder"), Languages: corpus.Languages{Except: true}}}
			change(p)
			return nil
		}}
		if encoding {
			steps = append(steps, p.Encode)
		}
		steps = append(steps, p.AddRetriever, func(ctx context.Context) error { return p.Retriever.Save(ctx) })
		for _, step := range steps {
			if err := step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		out, err := p.Retriever.Retrieve(t.Context(), retrieve.Query{Question: "Where does mint grow?"})
		if err != nil {
			t.Fatal(err)
		}
		return p.Retriever.Encoders()[0], out.Results
	}
	nothing := func(*Parts) {}
	put := func(text string) func(*Parts) { return func(p *Parts) { putTexts(t, p, text) } }
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
