//go:build model

package bpe

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestRealVocabulary compares the ids of many texts with those of the library
// tokenizers, with the vocabulary of GPT-2. testdata/tokenize.py writes the last file:
//
//	go test -tags model ./embed/bpe -args encoder.json vocab.bpe texts.jsonl
func TestRealVocabulary(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		t.Fatal(err)
	}
	var cfg Config
	if err := json.Unmarshal(raw, &cfg.Vocabulary); err != nil {
		t.Fatal(err)
	}
	merges, err := os.ReadFile(flag.Arg(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(merges), "\n")[1:] {
		if left, right, ok := strings.Cut(line, " "); ok {
			cfg.Merges = append(cfg.Merges, [2]string{left, right})
		}
	}
	tokens, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(flag.Arg(2))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	texts, ids, wrong := 0, 0, 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r struct {
			Text string
			IDs  []int32
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		got := tokens.Append(nil, r.Text, maxText)
		if texts, ids = texts+1, ids+len(got); !slices.Equal(got, r.IDs) {
			if wrong++; wrong <= 5 {
				t.Errorf("%q gives %v, want %v", r.Text, got, r.IDs)
			}
		}
	}
	if err := lines.Err(); err != nil || texts == 0 {
		t.Fatalf("%d texts, %v", texts, err)
	}
	t.Logf("%d of %d texts differ, %d ids", wrong, texts, ids)
}
