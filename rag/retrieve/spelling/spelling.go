// Package spelling finds words with a probable typing error in a question.
package spelling

import (
	"strings"

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

// Vocabulary knows the words of an embedder. *embed.Static implements it.
type Vocabulary interface {
	// Tokenize returns the tokens of a text. A known word is one token.
	Tokenize(text string) []uint16
	// AppendTokens appends the tokens of a text.
	AppendTokens(ids []uint16, text string) []uint16
	// Token returns the text of a token. Frequent tokens have low ids.
	Token(id uint16) string
}

// Slip is a word with a probable typing error.
type Slip struct {
	text.Word
	// Meant is the similar word of the vocabulary.
	Meant string
}

// Slips returns the words of a text that are not in the vocabulary but differ
// by one typing error from a word that is, in order. An error is a missing
// letter, a doubled letter, or two letters in the wrong order. Unknown names
// rarely look like that.
func Slips(words Vocabulary, s string) []Slip {
	var out []Slip
	suspects := 0
	for _, w := range text.Words(s) {
		typed := strings.ToLower(s[w.Start:w.End])
		if w.Exact || w.Part || len(typed) < minSlip || len(typed) > maxSlip || strings.Trim(typed, letters) != "" ||
			len(words.Tokenize(typed)) == 1 {
			continue
		}
		if suspects++; suspects > maxSuspects {
			break
		}
		if meant := nearestWord(words, typed); meant != "" && len(out) < maxSlips {
			out = append(out, Slip{w, meant})
		}
	}
	return out
}

const letters = "abcdefghijklmnopqrstuvwxyz"

// nearestWord returns the most frequent word of the vocabulary that differs
// from w by one typing error, or "".
func nearestWord(words Vocabulary, w string) string {
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
		for _, c := range letters {
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
