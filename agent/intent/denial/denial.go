package denial

import (
	"slices"
	"strings"
)

// negations are words that negate a sentence.
var negations = set(`no not never none nothing neither without
	nein nicht nichts nie niemals kein keine keinen keinem keiner keines ohne`)

var (
	// wishes are verbs with which people deny a wish.
	wishes       = set("want wanted need mean meant wish ask asked care")
	germanWishes = set("will wollte möchte wollen möchten brauche brauchen benötige wünsche meine meinte")
	// intentions follow "I am not" before something that the author does not ask for.
	intentions = set("going trying looking planning asking interested intending calling writing here")
	// obligations are verbs with which people forbid something.
	obligations       = set("should must may shall")
	germanObligations = set("sollst sollt sollen solltest sollten musst müsst müssen brauchst braucht brauchen darfst dürft dürfen")
	// introductions are words before an order.
	introductions = set("please bitte so and und well ok okay oh then also just hey hi hello sorry")
	// statements are words after "do not" and "never" in questions and in statements
	// without a subject, such as "don't you deliver?" and "never got it".
	statements = set(`i you we they know understand see think get have care remember feel like
		work function start open go come arrive got had came been saw heard`)
	// requests are German verbs at the beginning of an order for an answer.
	requests = set("sag sage sagt zeig zeige zeigt erzähl erzähle nenn nenne erklär erkläre schick schicke")
	// subordinate words begin a German clause with a verb of its own.
	subordinate = set("warum wieso weshalb weil wenn ob wann wie was wo obwohl")
	// answered words follow the "no" that answers a question.
	answered = set("i we you it that this please just thank thanks ich wir das es bitte danke")
	// beneficiaries end a longer clause that declines something, such as "no breakfast
	// for me" and "no room today".
	beneficiaries = set("me us today needed required necessary please thanks bitte danke mich uns heute nötig")
)

// exclusions are phrases before something that a message does not mean.
var exclusions = phrases(`anything but, anything except, everything but, everything except, instead of, rather than, rather not, prefer not,
	not about, no interest, not interested, forget about, stop asking, stop telling, stop talking, let us not, with no, without,
	do not have to, do not need to, nicht um, alles außer, statt, anstatt, auf keinen fall, kein interesse, ohne`)

// reversed are phrases after something that a message does not mean, such as "the
// opening hours are not what I want".
var reversed = phrases(`not what i want, not what i need, not what i asked, not what i mean, not what i meant,
	nicht das was ich, nicht was ich`)

const (
	// maxDeclined is the number of words up to which a clause such as "no shipping
	// please" declines something. Longer ones, such as "no delivery since last Monday",
	// usually say that something is missing.
	maxDeclined = 3
	// maxClause is the number of words in which a German negation is sought.
	maxClause = 32
)

// Negates reports whether a word in lower case negates a sentence.
func Negates(word string) bool { return negations[word] }

// Negated reports whether a sentence with the given words in lower case has a negation.
// "Why not" suggests something instead.
func Negated(words []string) bool {
	for n, w := range words {
		if suggestion := n > 0 && (words[n-1] == "why" || words[n-1] == "warum"); Negates(w) && !suggestion {
			return true
		}
	}
	return false
}

// Message is a message without the parts that it denies.
type Message struct {
	// Affirmed is the message without its denials, and without a "no" or "no, thanks"
	// that answers.
	Affirmed string
	// Plain is Affirmed without its clauses that state that something is not so. It is
	// empty if there is no other clause.
	Plain string
	// Denies reports whether Affirmed is shorter than the message.
	Denies bool
}

// Read finds the denials of a message with the given words. asks reports whether people
// use a verb to ask for something, such as "cancel" for "cancel my order".
func Read(text string, words []Word, asks func(verb string) bool) Message {
	r := reader{asks}
	var affirmed, plain strings.Builder
	denies := false
	answer := true
	for n, c := range clauses(text, words) {
		from, to := 0, r.denied(c)
		switch said := c.words[0]; {
		case answer && to > 0 && (said == "no" || said == "nein") && r.answers(c.words):
			from = 1
		case n > 0 && answer && (said == "thank" || said == "thanks" || said == "danke"):
			from = to
		default:
			answer = false
		}
		if from > 0 || to < len(c.words) {
			denies = true
		}
		if from < to {
			part := text[c.starts[from]:c.starts[to]]
			affirmed.WriteString(part)
			if to < len(c.words) || from > 0 || !c.negates() {
				plain.WriteString(part)
			}
		}
	}
	return Message{affirmed.String(), plain.String(), denies}
}

// reader finds denials.
type reader struct{ asks func(verb string) bool }

// answers reports whether the "no" at the beginning of a clause answers a question.
// The "no" of "no pizza has arrived" does not.
func (r reader) answers(words []string) bool {
	return len(words) == 1 || answered[words[1]] || r.asks(words[1]) || Negates(words[1])
}

// denied returns the index of the first word of a clause that belongs to a denial,
// which reaches to the end; the number of words if there is none.
func (r reader) denied(c clause) int {
	words := c.words
	first := 0
	for first < len(words)-1 && introductions[words[first]] {
		first++
	}
	if r.forbids(words[first:]) || r.declines(words[first:]) || slices.ContainsFunc(reversed, func(p []string) bool { return c.has(p...) }) {
		return 0
	}
	for n := range words {
		if r.withdraws(words[n:], n == first) || germanWithdraws(words[n:]) || !c.question && excludes(words[n:]) {
			return n
		}
	}
	return len(words)
}

func excludes(words []string) bool {
	return slices.ContainsFunc(exclusions, func(p []string) bool { return startsWith(words, p) })
}

// forbids reports whether a clause is an order not to do something, such as "do not call
// me", "lösche mein Konto nicht", and "nicht die Karte sperren".
func (r reader) forbids(words []string) bool {
	switch {
	case len(words) < 2:
		return false
	case words[0] == "do" && words[1] == "not":
		return len(words) > 2 && !statements[words[2]]
	case words[0] == "never":
		return !statements[words[1]] && !strings.HasSuffix(words[1], "ed")
	case words[0] == "nicht":
		return r.asks(words[len(words)-1])
	default:
		order := requests[words[0]] || r.asks(words[0]) && !answered[words[0]]
		return order && slices.Contains(words, "nicht")
	}
}

// declines reports whether a clause begins with a negation and says nothing else, such
// as "not the shipping" and "no breakfast for me".
func (r reader) declines(words []string) bool {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return introductions[w] })
	if len(words) < 2 || !Negates(words[0]) {
		return false
	}
	return len(words) <= maxDeclined || len(words) <= 2*maxDeclined && beneficiaries[words[len(words)-1]]
}

// withdraws reports whether words begin with a sentence in which the author denies a wish
// or an order, such as "I do not want", "I need no", and "I did not cancel". At the
// beginning of a clause, the subject can be missing.
func (r reader) withdraws(words []string, beginning bool) bool {
	subject := words[0] == "i" || words[0] == "we" || words[0] == "you" && len(words) > 1 && obligations[words[1]]
	if subject {
		words = words[1:]
	} else if !beginning {
		return false
	}
	n := slices.IndexFunc(words[:min(len(words), 3)], Negates)
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
	return slices.ContainsFunc(after, func(w string) bool { return wishes[w] }) ||
		subject && (r.asks(after[0]) || intentions[after[0]])
}

// germanWithdraws is withdraws for German, such as "ich brauche kein", "ich möchte mein
// Konto nicht", and "du sollst meine Karte nicht".
func germanWithdraws(words []string) bool {
	if len(words) < 3 {
		return false
	}
	switch words[0] {
	case "ich", "wir":
		if !germanWishes[words[1]] {
			return false
		}
	case "du", "ihr", "sie", "man":
		if !germanObligations[words[1]] {
			return false
		}
	default:
		return false
	}
	words = words[:min(len(words), maxClause)]
	if end := slices.IndexFunc(words, func(w string) bool { return subordinate[w] }); end >= 0 {
		words = words[:end]
	}
	return slices.ContainsFunc(words, Negates)
}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// phrases splits a list at its commas.
func phrases(list string) [][]string {
	var out [][]string
	for phrase := range strings.SplitSeq(list, ",") {
		out = append(out, strings.Fields(phrase))
	}
	return out
}
