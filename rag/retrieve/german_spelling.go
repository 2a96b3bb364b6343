package retrieve

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docent/rag/text"
)

// maxVerb is the number of words at the beginning of a question that may be its verb.
const maxVerb = 4

// inGerman returns a German question in the spelling of the corpus. It writes umlauts that a keyboard lacks, and replaces the prefix
// of a verb by the whole verb, if the corpus has these words.
func inGerman(ctx context.Context, r *Retriever, body string) (string, error) {
	if text.Language(body) == "en" {
		return body, nil
	}
	stats, err := r.features.Statistics(ctx, nil)
	if err != nil {
		return "", fmt.Errorf("respell: %w", err)
	}
	has := func(word string) bool {
		terms, _, failed := r.cfg.Words.Match(ctx, word, nil)
		if failed != nil {
			err = fmt.Errorf("respell: %w", failed)
		}
		return slices.ContainsFunc(terms, func(t text.Term) bool { return isKnown(t, stats.Chunks) })
	}
	words := slices.DeleteFunc(text.Words(body), func(w text.Word) bool { return w.Part })
	changed, suspects := map[int]string{}, 0
	for i, w := range words {
		typed := strings.ToLower(body[w.Start:w.End])
		if spelled := umlauts.Replace(typed); spelled != typed && suspects < maxSlips {
			if suspects++; !has(typed) && has(spelled) {
				changed[i] = spelled
			}
		}
	}
	if last := len(words) - 1; last > 0 {
		prefix := strings.ToLower(body[words[last].Start:words[last].End])
		for i := range words[:min(last, maxVerb)] {
			if !slices.Contains(text.SeparablePrefixes, prefix) || changed[last] != "" {
				break
			}
			typed := strings.ToLower(body[words[i].Start:words[i].End])
			for _, verb := range []string{prefix + infinitive(typed), "he" + prefix + infinitive(typed)} {
				if verb = umlauts.Replace(verb); !text.IsForeignStop("de", typed) && has(verb) {
					changed[last] = verb
					break
				}
			}
		}
	}
	var b strings.Builder
	at := 0
	for i, w := range words {
		if changed[i] != "" {
			b.WriteString(body[at:w.Start] + changed[i])
			at = w.End
		}
	}
	return b.String() + body[at:], err
}
