package denial

import (
	"slices"
	"strings"
)

// Word is a word of a message.
type Word struct {
	// Full is the word in lower case and full spelling. That of "don't" is "do", "not".
	Full []string
	// Start and End are byte offsets.
	Start, End int
}

// clause is a part of a message between punctuation marks.
type clause struct {
	words []string // in lower case and full spelling
	// starts are the byte offsets of the words in the message, and that of the next
	// clause.
	starts []int
	// question is set if a question mark ends the clause.
	question bool
}

// clauses splits a text at punctuation marks and before conjunctions of contrast.
func clauses(text string, words []Word) []clause {
	var out []clause
	end := 0
	for _, w := range words {
		if len(w.Full) == 0 {
			continue
		}
		if between := text[end:w.Start]; len(out) == 0 || separates(between, w.Full[0], &out[len(out)-1]) {
			if len(out) > 0 {
				out[len(out)-1].question = strings.Contains(between, "?")
			}
			out = append(out, clause{})
		}
		c := &out[len(out)-1]
		for _, full := range w.Full {
			c.words, c.starts = append(c.words, full), append(c.starts, w.Start)
		}
		end = w.End
	}
	for n := range out {
		next := len(text)
		if n+1 < len(out) {
			next = out[n+1].starts[0]
		} else {
			out[n].question = strings.Contains(text[end:], "?")
		}
		out[n].starts = append(out[n].starts, next)
	}
	return out
}

// separates reports whether a word begins a clause after the text between it and the
// clause before.
func separates(between, word string, before *clause) bool {
	switch word {
	case "dass", "daß":
		return false
	case "but":
		last := before.words[len(before.words)-1]
		return last != "anything" && last != "everything" && last != "nothing"
	case "aber", "sondern":
		return true
	default:
		return strings.ContainsAny(between, ",.;:!?–—\n")
	}
}

// has reports whether the clause contains a phrase.
func (c clause) has(phrase ...string) bool {
	for n := range c.words {
		if startsWith(c.words[n:], phrase) {
			return true
		}
	}
	return false
}

// subjects begin a statement.
var subjects = set("i we my our you your it this that there he she they ich wir mein meine unser unsere du ihr sie es das der die")

// negates reports whether the clause states that something is not so. A question such as
// "isn't it open?" asks the same without its "not". Words such as "RESTRICT or NO ACTION"
// are no statement.
func (c clause) negates() bool {
	return !c.question && subjects[c.words[0]] && Negated(c.words)
}

func startsWith(words, phrase []string) bool {
	return len(words) >= len(phrase) && slices.Equal(words[:len(phrase)], phrase)
}
