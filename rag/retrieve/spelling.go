package retrieve

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"docent/rag/retrieve/spelling"
	"docent/rag/text"
)

// respelled returns text with typing errors corrected: words that neither the
// corpus nor the vocabulary contains and that differ by one error from a word
// of the vocabulary.
func (r *Retriever) respelled(ctx context.Context, body string) (string, error) {
	meant := spelling.Slips(r.cfg.Static, body)
	if len(meant) == 0 {
		return body, nil
	}
	terms, _, err := r.cfg.Words.Match(ctx, body, nil)
	if err != nil {
		return "", fmt.Errorf("respell: %w", err)
	}
	stats, err := r.features.Statistics(ctx, nil)
	if err != nil {
		return "", fmt.Errorf("respell: %w", err)
	}
	unknown := math.Log(2*float64(stats.Chunks)+2) - 1e-6 // the IDF of terms that no chunk contains
	var b strings.Builder
	at := 0
	for _, s := range meant {
		known := !slices.ContainsFunc(terms, func(t text.Term) bool { return t.Text == s.Stem && t.IDF >= unknown })
		if known {
			continue
		}
		b.WriteString(body[at:s.Start])
		b.WriteString(s.Meant)
		at = s.End
	}
	b.WriteString(body[at:])
	return b.String(), nil
}
