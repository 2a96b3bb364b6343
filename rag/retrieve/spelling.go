package retrieve

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"docent/embed"
	"docent/rag/text"
)

// Limits of the length, in letters, of words that may be typing errors.
const (
	minSlip = 5
	maxSlip = 20
	// maxSlips limits the number of corrected words in a text.
	maxSlips = 16
	// maxSuspects limits the words that are compared with the vocabulary. Each
	// comparison tries hundreds of spellings.
	maxSuspects = 100
)

// respelled returns text with typing errors corrected: words that neither the
// corpus nor the vocabulary contains and that differ by one error from a word
// of the vocabulary.
func (r *Retriever) respelled(ctx context.Context, body string) (string, error) {
	meant := slips(r.cfg.Static, body)
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
		b.WriteString(s.meant)
		at = s.End
	}
	b.WriteString(body[at:])
	return b.String(), nil
}

// slip is a word with a probable typing error.
type slip struct {
	text.Word
	// meant is the similar word of the vocabulary.
	meant string
}

// slips returns the words of a text that are not in the vocabulary but differ
// by one typing error from a word that is, in order. An error is a missing
// letter, a doubled letter, or two letters in the wrong order. Unknown names
// rarely look like that.
func slips(words *embed.Static, s string) []slip {
	var out []slip
	suspects := 0
	for _, w := range text.Words(s) {
		typed := strings.ToLower(s[w.Start:w.End])
		if w.Exact || w.Part || len(typed) < minSlip || len(typed) > maxSlip || strings.Trim(typed, alphabet) != "" ||
			len(words.Tokenize(typed)) == 1 {
			continue
		}
		if suspects++; suspects > maxSuspects {
			break
		}
		if meant := nearestWord(words, typed); meant != "" && len(out) < maxSlips {
			out = append(out, slip{w, meant})
		}
	}
	return out
}

const alphabet = "abcdefghijklmnopqrstuvwxyz"

// nearestWord returns the most frequent word of the vocabulary that differs
// from w by one typing error, or "".
func nearestWord(words *embed.Static, w string) string {
	best, meant := uint16(0), ""
	var ids []uint16
	try := func(candidate string) {
		ids = words.AppendTokens(ids[:0], candidate)
		// The vocabulary is ordered by frequency.
		if len(ids) == 1 && words.Token(ids[0]) == candidate && (meant == "" || ids[0] < best) {
			best, meant = ids[0], candidate
		}
	}
	for i := 1; i <= len(w); i++ {
		for _, c := range alphabet {
			try(w[:i] + string(c) + w[i:])
		}
		if i < len(w) && w[i] == w[i-1] {
			try(w[:i] + w[i+1:])
		}
		if i < len(w) && w[i] != w[i-1] {
			try(w[:i-1] + w[i:i+1] + w[i-1:i] + w[i+1:])
		}
	}
	return meant
}
