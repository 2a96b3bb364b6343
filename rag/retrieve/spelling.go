package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"docent/embed"
	"docent/rag/corpus"
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

// respelled returns a question in the spelling of the corpus. It replaces words that the corpus does not contain: typing errors
// and abbreviations of words of the vocabulary, and words that the corpus has with or without a hyphen.
func (r *Retriever) respelled(ctx context.Context, body string) (string, error) {
	body, err := inGerman(ctx, r, calm(body))
	if err != nil {
		return "", err
	}
	found, variants := englishSlips(r.cfg.Static, body), variantsOf(r.cfg.Static, body)
	if len(found)+len(variants) == 0 {
		return body, nil
	}
	asked := body
	for _, v := range variants {
		asked += "\n" + strings.Join(v.spellings, " ")
	}
	known, err := r.contains(ctx, asked)
	if err != nil {
		return "", err
	}
	replaced := slices.DeleteFunc(found, func(s slip) bool { return known(s.Word.Stem) })
	searches := 0
	for _, v := range variants {
		if known(body[v.start:v.end]) {
			continue
		}
		for _, spelling := range v.spellings {
			if !known(spelling) || searches == maxSearches {
				continue
			}
			searches++
			if ok, err := r.writes(ctx, spelling); err != nil {
				return "", err
			} else if ok {
				replaced = append(replaced, slip{Word: text.Word{Start: v.start, End: v.end}, meant: spelling})
				break
			}
		}
	}
	slices.SortStableFunc(replaced, func(a, b slip) int { return cmp.Compare(a.Start, b.Start) })
	var b strings.Builder
	at := 0
	for _, s := range replaced {
		if s.Start < at {
			continue
		}
		b.WriteString(body[at:s.Start])
		b.WriteString(s.meant)
		at = s.End
	}
	b.WriteString(body[at:])
	return b.String(), nil
}

const (
	// maxSearches limits the searches for other spellings in one question, and spellingHits the passages that each one reads.
	maxSearches  = 4
	spellingHits = 5
)

// writes reports whether a passage has a word in a spelling, or with a space instead of the hyphen.
func (r *Retriever) writes(ctx context.Context, spelling string) (bool, error) {
	hits, err := r.cfg.Words.Words(ctx, spelling, spellingHits, Filter{})
	if err != nil {
		return false, fmt.Errorf("respell: %w", err)
	}
	ids := make([]int64, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
	}
	passages, err := r.cfg.Corpus.Passages(ctx, ids)
	if err != nil {
		return false, fmt.Errorf("respell: %w", err)
	}
	written := regexp.MustCompile(`(?i)(?:^|[^\pL\d])` + strings.ReplaceAll(regexp.QuoteMeta(spelling), "-", "[- ]") + `(?:$|[^\pL\d])`)
	return slices.ContainsFunc(passages, func(p corpus.Passage) bool {
		return written.MatchString(corpus.HeadingLine(p.Document.Title, p.Headings) + "\n" + p.Text)
	}), nil
}

// englishSlips returns the typing errors and abbreviations in a question. The vocabulary is English, so words of other languages would
// look like errors.
func englishSlips(words *embed.Static, body string) []slip {
	if language := text.Language(body); language != "" && language != "en" {
		return nil
	}
	return slips(words, body)
}

// contains returns a function that reports whether the corpus contains all words of a part of a text.
func (r *Retriever) contains(ctx context.Context, body string) (func(part string) bool, error) {
	terms, _, err := r.cfg.Words.Match(ctx, body, nil)
	if err != nil {
		return nil, fmt.Errorf("respell: %w", err)
	}
	stats, err := r.features.Statistics(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("respell: %w", err)
	}
	seen := map[string]bool{}
	for _, t := range terms {
		known := isKnown(t, stats.Chunks)
		seen[t.Text], seen[t.Word] = seen[t.Text] || known, seen[t.Word] || known
	}
	return func(part string) bool {
		words := text.Words(part)
		return len(words) > 0 && !slices.ContainsFunc(words, func(w text.Word) bool {
			return !w.Part && !seen[w.Stem] && !seen[strings.ToLower(part[w.Start:w.End])]
		})
	}, nil
}

// isKnown reports whether one of the chunks contains a term.
func isKnown(t text.Term, chunks int) bool {
	return t.IDF < math.Log(2*float64(chunks)+2)-1e-6 // the IDF of terms that no chunk contains
}

// slip is a word with a probable typing error, or an abbreviation.
type slip struct {
	text.Word
	// meant is the similar word of the vocabulary.
	meant string
}

// abbreviations are words that people type for others.
var abbreviations = map[string]string{
	"yr": "year", "yrs": "years", "hrs": "hours", "mins": "minutes", "wk": "week", "wks": "weeks", "mth": "month", "mths": "months",
	"pw": "password", "pwd": "password", "passwd": "password", "avg": "average", "qty": "quantity", "temp": "temperature",
	"info": "information", "docs": "documents", "pics": "pictures", "msg": "message", "acct": "account", "addr": "address",
	"dept": "department", "appt": "appointment", "mgr": "manager", "approx": "approximately", "tel": "telephone", "num": "number",
	"amt": "amount", "config": "configuration", "admin": "administrator", "repo": "repository", "lang": "language",
	"min": "minimum", "max": "maximum",
}

// pastForms are irregular forms of verbs, which stemming does not join with the form that documents mostly use.
var pastForms = map[string]string{
	"forgot": "forget", "forgotten": "forget", "lost": "lose", "broke": "break", "broken": "break", "sent": "send", "wrote": "write",
	"written": "write", "bought": "buy", "sold": "sell", "paid": "pay", "spent": "spend", "stole": "steal", "stolen": "steal",
	"chose": "choose", "chosen": "choose", "began": "begin", "begun": "begin", "took": "take", "taken": "take", "gave": "give",
	"given": "give", "froze": "freeze", "frozen": "freeze", "hid": "hide", "hidden": "hide", "drove": "drive", "driven": "drive",
	"fell": "fall", "fallen": "fall", "grew": "grow", "grown": "grow", "held": "hold", "kept": "keep", "knew": "know", "known": "know",
	"met": "meet", "rode": "ride", "slept": "sleep", "spoke": "speak", "spoken": "speak", "stood": "stand", "taught": "teach",
	"threw": "throw", "thrown": "throw", "understood": "understand", "woke": "wake", "won": "win", "built": "build", "caught": "catch",
}

// slips returns the words of a text that are not in the vocabulary but differ
// by one typing error from a word that is, in order. An error is a missing
// letter, a doubled letter, or two letters in the wrong order. Unknown names
// rarely look like that. It also returns abbreviations and irregular forms.
func slips(words *embed.Static, s string) []slip {
	var out []slip
	suspects := 0
	for _, w := range text.Words(s) {
		typed := strings.ToLower(s[w.Start:w.End])
		if meant := cmp.Or(abbreviations[typed], pastForms[typed]); meant != "" && len(out) < maxSlips {
			out = append(out, slip{w, meant})
			continue
		}
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
