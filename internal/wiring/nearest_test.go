package wiring

import (
	"testing"

	"docent/config"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
)

// TestVectorIndex checks which index each setting uses.
func TestVectorIndex(t *testing.T) {
	t.Parallel()
	entries := make([]retrieve.Entry, maxChromem+1)
	for i := range entries {
		entries[i] = indextest.Entry(int64(i+1), "lemon")
	}
	for setting, want := range map[string][2]string{
		"": {"chromem", "flat"}, config.IndexAuto: {"chromem", "flat"},
		config.IndexFlat: {"flat", "flat"}, config.IndexChromem: {"chromem", "chromem"},
	} {
		x := newNearest(setting, nil)
		for i, part := range [][]retrieve.Entry{entries[:maxChromem], entries[maxChromem:]} {
			if err := x.Put(t.Context(), part); err != nil {
				t.Fatal(err)
			}
			if got := vectorIndex(x); got != want[i] {
				t.Errorf("%q with %d passages uses %s, want %s", setting, x.Len(), got, want[i])
			}
		}
	}
}
