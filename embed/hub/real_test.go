//go:build model

package hub

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"docent/embed"
	"docent/embed/encoder"
)

// TestRealWeights compares all-MiniLM-L6-v2 with its vectors in float32:
//
//	go test -tags model ./embed/hub -args FOLDER
func TestRealWeights(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		exact bool
		least float32
	}{"float32": {true, .99999}, "int8": {false, .99}} {
		m, err := open(flag.Arg(0), "all-minilm", Config{Config: encoder.Config{AllowPlain: true}, Exact: c.exact})
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Open("../encoder/testdata/vectors.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		least, sum, n := float32(1), float32(0), 0
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var r reference
			var text struct{ Text string }
			if err := errors.Join(json.Unmarshal(lines.Bytes(), &r), json.Unmarshal(lines.Bytes(), &text)); err != nil {
				t.Fatal(err)
			}
			if len(r.IDs) <= 2 || strings.Contains(text.Text, "[CLS]") {
				continue
			}
			v, err := m.vectors(t.Context(), "", []string{text.Text})
			if err != nil {
				t.Fatal(err)
			}
			got := embed.Dot(v[0], r.Vector)
			if got < c.least {
				t.Errorf("%s: %.40q: cosine %g", name, text.Text, got)
			}
			least, sum, n = min(least, got), sum+got, n+1
		}
		t.Logf("%s: cosine %.6f on average, at least %.6f, %d texts", name, sum/float32(n), least, n)
	}
}
