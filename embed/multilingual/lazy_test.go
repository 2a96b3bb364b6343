package multilingual

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"docent/embed/encoder"
)

// TestLazy: the file is read for the first text, and then kept.
func TestLazy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "model.bin")
	lazy := NewLazy(path, encoder.Config{AllowPlain: true})
	if lazy.Name() != Name || lazy.Dimensions() != encoder.Width {
		t.Errorf("%s has %d dimensions", lazy.Name(), lazy.Dimensions())
	}
	if err := os.WriteFile(path, smallModel(), 0o600); err != nil {
		t.Fatal(err)
	}
	want, err := openSmall(t).EmbedQuery(t.Context(), "a b")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := lazy.EmbedQuery(t.Context(), "a b")
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("vector of a question: %v, %v", got[:min(len(got), 3)], err)
		}
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if got, err := lazy.EmbedDocuments(t.Context(), []string{"a b", " "}); err != nil || len(got) != 2 || slices.Equal(got[0], want) {
		t.Errorf("%d vectors of passages, %v", len(got), err)
	}
	broken := NewLazy(path, encoder.Config{AllowPlain: true})
	if _, err := broken.EmbedDocuments(t.Context(), []string{"a"}); err == nil {
		t.Error("a missing file gives no error")
	}
}
