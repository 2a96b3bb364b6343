package intent

import (
	"slices"
	"strings"
)

// Denied parts of a message are removed before it is compared. So "I don't want my money
// back" does not resemble "I want my money back", and of "not the shipping, the opening
// hours" the second part remains. Only examples that deny something themselves
// are compared with the whole message. The rules cover English and German.

// negations are words that negate a sentence.
var negations = wordSet(`no not never none nothing neither without
	nein nicht nichts nie niemals kein keine keinen keinem keiner keines ohne`)

var (
	// wishes are verbs with which people deny a wish.
	wishes       = wordSet("want wanted need mean meant wish ask asked")
	germanWishes = wordSet("will wollte möchte wollen möchten brauche brauchen benötige wünsche meine meinte")
	// obligations are verbs with which people forbid something.
	obligations = wordSet("should must may shall")
	// introductions are words before an order.
	introductions = wordSet("please bitte so and und well ok okay oh then also just hey hi hello sorry")
	// statements are words after "do not" and "never" in questions and in statements
	// without a subject, such as "don't you deliver?" and "never got it".
	statements = wordSet(`i you we they know understand see think get have care remember feel like
		work function start open go come arrive got had came been saw heard`)
	// subordinate words begin a German clause with a verb of its own.
	subordinate = wordSet("warum wieso weshalb weil wenn ob wann wie was wo obwohl")
)

// exclusions are phrases before something that a message does not mean.
var exclusions = [][]string{
	{"anything", "but"},
	{"anything", "except"},
	{"everything", "but"},
	{"everything", "except"},
	{"instead", "of"},
	{"rather", "than"},
	{"not", "about"},
	{"nicht", "um"},
	{"alles", "außer"},
	{"statt"},
	{"anstatt"},
}

// maxDeclined is the number of words up to which a clause such as "no shipping please"
// declines something. Longer ones, such as "no delivery since last Monday", usually say
// that something is missing.
const maxDeclined = 3

// maxClause is the number of words in which a German negation is sought.
const maxClause = 32

// affirmed returns a text without the parts that it denies, and without a "no" or "no, thanks"
// that answers. It reports false if that is the whole text.
func (s *exampleSet) affirmed(text string) (string, bool) {
	var b strings.Builder
	whole := true
	answer := true
	for n, c := range clauses(text) {
		from, to := 0, s.denied(c.words)
		switch said := c.words[0]; {
		case answer && to > 0 && (said == "no" || said == "nein"):
			from = 1
		case n > 0 && answer && (said == "thank" || said == "thanks" || said == "danke"):
			from = to
		default:
			answer = false
		}
		if from > 0 || to < len(c.words) {
			whole = false
		}
		if from < to {
			b.WriteString(text[c.starts[from]:c.starts[to]])
		}
	}
	return b.String(), !whole
}

// clause is a part of a message between punctuation marks.
type clause struct {
	words []string // in lower case and full spelling
	// starts are the byte offsets of the words in the message, and that of the next
	// clause.
	starts []int
}

// clauses splits a text at punctuation marks and before conjunctions of contrast.
func clauses(text string) []clause {
	var out []clause
	end := 0
	for _, w := range wordsOf(text) {
		if len(out) == 0 || separates(text[end:w.start], w.text, &out[len(out)-1]) {
			out = append(out, clause{})
		}
		c := &out[len(out)-1]
		for _, full := range strings.Fields(expanded(w.text)) {
			c.words, c.starts = append(c.words, full), append(c.starts, w.start)
		}
		end = w.end
	}
	for n := range out {
		next := len(text)
		if n+1 < len(out) {
			next = out[n+1].starts[0]
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

// denied returns the index of the first word of a clause that belongs to a denial,
// which reaches to the end; the number of words if there is none.
func (s *exampleSet) denied(words []string) int {
	first := 0
	for first < len(words)-1 && introductions[words[first]] {
		first++
	}
	if s.forbids(words[first:]) || declines(words[first:]) {
		return 0
	}
	for n := range words {
		if s.withdraws(words[n:], n == first) || germanWithdraws(words[n:]) ||
			slices.ContainsFunc(exclusions, func(e []string) bool { return startsWith(words[n:], e) }) {
			return n
		}
	}
	return len(words)
}

// forbids reports whether a clause is an order not to do something, such as "do not call
// me" and "lösche mein Konto nicht".
func (s *exampleSet) forbids(words []string) bool {
	switch {
	case len(words) < 2:
		return false
	case words[0] == "do" && words[1] == "not":
		return len(words) > 2 && !statements[words[2]]
	case words[0] == "never":
		return !statements[words[1]] && !strings.HasSuffix(words[1], "ed")
	default:
		return s.asks(words[0]) && words[len(words)-1] == "nicht"
	}
}

// declines reports whether a short clause begins with a negation, such as "not the
// shipping".
func declines(words []string) bool {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return introductions[w] })
	return len(words) > 1 && len(words) <= maxDeclined && negations[words[0]] || len(words) > 0 && words[0] == "without"
}

// withdraws reports whether words begin with a sentence in which the author denies a wish
// or an order, such as "I do not want", "I need no", and "I did not cancel". At the
// beginning of a clause, the subject can be missing.
func (s *exampleSet) withdraws(words []string, beginning bool) bool {
	subject := words[0] == "i" || words[0] == "we" || words[0] == "you" && len(words) > 1 && obligations[words[1]]
	if subject {
		words = words[1:]
	} else if !beginning {
		return false
	}
	n := slices.IndexFunc(words[:min(len(words), 3)], func(w string) bool { return negations[w] })
	switch {
	case n < 0 || n == len(words)-1:
		return false
	case n > 0 && (words[n-1] == "can" || words[n-1] == "could"): // a problem
		return false
	case subject && n == 1 && wishes[words[0]]:
		return true
	}
	after := words[n+1 : min(n+3, len(words))]
	if n > 0 && words[n-1] == "would" && after[0] == "like" {
		return true
	}
	return slices.ContainsFunc(after, func(w string) bool { return wishes[w] }) || subject && s.asks(after[0])
}

// germanWithdraws is withdraws for German, such as "ich brauche kein" and "ich möchte
// mein Konto nicht".
func germanWithdraws(words []string) bool {
	if len(words) < 3 || words[0] != "ich" && words[0] != "wir" || !germanWishes[words[1]] {
		return false
	}
	words = words[:min(len(words), maxClause)]
	if end := slices.IndexFunc(words, func(w string) bool { return subordinate[w] }); end >= 0 {
		words = words[:end]
	}
	return slices.ContainsFunc(words, func(w string) bool { return negations[w] })
}

func startsWith(words, phrase []string) bool {
	return len(words) >= len(phrase) && slices.Equal(words[:len(phrase)], phrase)
}

// addVerbs adds the stems of the verbs with which an example asks for something: its
// first word and words after "to".
func (s *exampleSet) addVerbs(words []string) {
	for n, w := range words {
		if n == 0 || introductions[words[n-1]] || words[n-1] == "to" {
			s.verbs[s.words.Process(w)] = true
		}
	}
}

func (s *exampleSet) asks(word string) bool { return s.verbs[s.words.Process(word)] }
