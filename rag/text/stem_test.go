package text_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"

	"docent/rag/text"
)

// TestStemCache compares a cache with the stemmer, for more words than it keeps.
func TestStemCache(t *testing.T) {
	t.Parallel()
	words := []string{"", "a", "running", "replication", "übertragung", strings.Repeat("walking", 20)}
	for i := range 20_000 {
		words = append(words, fmt.Sprintf("connect%ding", i))
	}
	var c text.StemCache
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 2 {
				for _, w := range words {
					env := snowballstem.NewEnv(w)
					english.Stem(env)
					if got := c.Stem(w, english.Stem); got != env.Current() {
						t.Errorf("stem of %q: %q, want %q", w, got, env.Current())
						return
					}
				}
			}
		})
	}
	wg.Wait()
}
