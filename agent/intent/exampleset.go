package intent

import (
	"math"
	"slices"
	"strings"
	"sync"

	"docent/agent/intent/denial"
	"docent/embed"
)

// maxTokens bounds the tokens of a message or example that are compared. Longer
// messages usually do not express a single intent.
const maxTokens = 256

// exampleSet contains the embedded examples of a set of intents.
type exampleSet struct {
	static  *embed.Static
	intents []*Intent
	code    string // code of the language
	words   PreProcessing

	once sync.Once
	// examples are in the order of the intents.
	examples []example
	// centers are the mean vectors of each intent's examples.
	centers [][]float32
	// tokens are the distinct tokens of all examples.
	tokens []uint16
	// literal and stemmed map the words and the stems of an example to its
	// index. The first of equal examples counts.
	literal, stemmed map[string]int
	// known are the words of all examples.
	known map[string]bool
	// verbs are the stems of verbs with which examples ask for something.
	verbs map[string]bool
}

// example is an example sentence.
type example struct {
	intent   int
	sentence string
	vector   []float32
	// places are the indexes of its tokens in exampleSet.tokens.
	places []int
	// weights are the weights of its tokens, and weight is their sum.
	weights []float32
	weight  float32
	// fragments are its placeholders, as words.
	fragments []string
	negated   bool
	// denies is set if the sentence denies something, such as "no thanks".
	denies bool
	// kernel is the sentence without its negations.
	kernel string
}

// candidate is a possible intent of a message.
type candidate struct {
	intent   int
	score    float64
	sentence string // the most similar example
}

// read embeds the examples of all intents.
func (s *exampleSet) read() {
	s.literal, s.stemmed, s.known, s.verbs = map[string]int{}, map[string]int{}, map[string]bool{}, map[string]bool{}
	place := map[uint16]int{}
	for n, i := range s.intents {
		center := make([]float32, s.static.Dimensions())
		for _, sentence := range i.Sentences {
			e := s.newExample(n, i.marked(sentence), place)
			e.sentence = sentence
			if len(e.places) > 0 { // someone may send the example as it is written
				remember(s.literal, strings.Join(s.words.Tokens(sentence), " "), len(s.examples))
			}
			for d, v := range e.vector {
				center[d] += v
			}
			s.examples = append(s.examples, e)
		}
		if length := math.Sqrt(float64(embed.Dot(center, center))); length > 0 {
			for d := range center {
				center[d] /= float32(length)
			}
		}
		s.centers = append(s.centers, center)
	}
}

// newExample embeds a sentence with marked fragments. place maps tokens to their
// indexes in s.tokens.
func (s *exampleSet) newExample(intent int, sentence string, place map[uint16]int) example {
	f := s.form(sentence)
	remember(s.literal, f.literal, len(s.examples))
	remember(s.stemmed, s.words.Process(sentence), len(s.examples))
	for _, w := range f.words {
		s.known[w] = true
	}
	s.addVerbs(f.words)
	e := example{intent: intent, vector: f.vector, fragments: f.fragments, negated: f.negated, kernel: f.kernel()}
	e.denies = s.denials(sentence).Denies
	for _, t := range f.tokens {
		at, ok := place[t]
		if !ok {
			at = len(s.tokens)
			place[t] = at
			s.tokens = append(s.tokens, t)
		}
		w := s.static.Weight(t)
		e.places, e.weights, e.weight = append(e.places, at), append(e.weights, w), e.weight+w
	}
	return e
}

// remember stores the first index of a key.
func remember(numbers map[string]int, key string, number int) {
	if _, ok := numbers[key]; !ok && key != "" {
		numbers[key] = number
	}
}

// form is a sentence in the forms in which it is compared.
type form struct {
	literal   string   // its words in lower case
	words     []string // the same words without contractions and short forms
	fragments []string // those of the words that stand for values
	tokens    []uint16 // of the other words
	vector    []float32
	negated   bool
	question  bool
}

// kernel returns the sentence without its negations.
func (f *form) kernel() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(f.words), denial.Negates), " ")
}

// courteous reports whether a word says nothing about what the user wants.
func courteous(word string) bool {
	return slices.Contains([]string{"please", "pls", "kindly", "bitte"}, word)
}

func (s *exampleSet) form(sentence string) form {
	words := s.words.Tokens(sentence)
	f := form{literal: strings.Join(words, " "), vector: make([]float32, s.static.Dimensions())}
	for _, w := range words {
		f.words = append(f.words, strings.Fields(expanded(w))...)
	}
	f.question = strings.HasSuffix(strings.TrimSpace(sentence), "?")
	f.negated = denial.Negated(f.words)
	var plain []string
	for _, w := range f.words {
		if isMarked(w) {
			f.fragments = append(f.fragments, w)
		} else {
			plain = append(plain, w)
		}
	}
	if left := slices.DeleteFunc(slices.Clone(plain), courteous); len(left) > 0 || len(f.fragments) > 0 {
		plain = left
	}
	f.tokens = s.static.Tokenize(strings.Join(plain, " "))
	f.tokens = f.tokens[:min(len(f.tokens), maxTokens)]
	s.static.Mean(f.vector, f.tokens)
	return f
}

// candidates returns the score of a message for each intent. If the message
// contains parameter values, a variant with fragments in their place is
// compared too, and the better result counts.
func (s *exampleSet) candidates(m *matcher) []candidate {
	if n, ok := s.literal[strings.Join(s.words.Tokens(m.text), " ")]; ok {
		e := s.examples[n]
		return []candidate{{e.intent, 1, e.sentence}}
	}
	c := comparison{set: s, alike: map[uint16][]float32{}, variants: map[string]*variant{}}
	plain := c.variant(m.text)
	out := make([]candidate, 0, len(s.intents))
	first := 0
	for n, i := range s.intents {
		examples := s.examples[first : first+len(i.Sentences)]
		best := c.best(plain, n, first, examples)
		if len(i.Parameters) > 0 {
			for _, text := range substitutes(m, i) {
				if other := c.best(c.variant(text), n, first, examples); other.score > best.score {
					best = other
				}
			}
		}
		first += len(i.Sentences)
		out = append(out, best)
	}
	return out
}

// substitutes returns the variants of the message for an intent. In each
// variant, fragments replace the values. If an example has several parameters
// with the same entity, there is a variant in its order.
func substitutes(m *matcher, i *Intent) []string {
	var out []string
	orders := []string{""}
	if sharesEntity(i) {
		orders = append(orders, i.Sentences...)
	}
	seen := map[string]bool{}
	for _, like := range orders {
		_, places := m.assign(i, like)
		if text, ok := m.withFragments(i, places); ok && !seen[text] {
			seen[text] = true
			out = append(out, text)
		}
	}
	return out
}

func sharesEntity(i *Intent) bool {
	seen := map[*Entity]bool{}
	for _, p := range i.Parameters {
		if seen[p.Entity] {
			return true
		}
		seen[p.Entity] = true
	}
	return false
}

// comparison compares the variants of one message with the examples.
type comparison struct {
	set *exampleSet
	// alike maps tokens of the message to their similarities with set.tokens.
	alike    map[uint16][]float32
	variants map[string]*variant
}

// variant is a message, possibly with fragments in the place of values.
type variant struct {
	form
	stems string
	// known is set if at least one of its words is known, and means if one of them is
	// meaningful.
	known, means bool
	// rest are the message without its denials and, if that is something else, the
	// message without its negated clauses.
	rest []*variant
	// rows are the similarities of its tokens with set.tokens. weights are the
	// weights of the tokens.
	rows    [][]float32
	weights []float32
	weight  float32 // sum of the weights
	// nearest has, for each token of the set, the maximum of rows.
	nearest []float32
}

func (c *comparison) variant(text string) *variant {
	if v, ok := c.variants[text]; ok {
		return v
	}
	v := c.whole(text)
	v.rest = append(v.rest, v)
	m := c.set.denials(text)
	if m.Denies {
		v.rest[0] = c.whole(m.Affirmed)
	}
	if m.Plain != "" && m.Plain != m.Affirmed {
		v.rest = append(v.rest, c.whole(m.Plain))
	}
	c.variants[text] = v
	return v
}

// whole returns a variant with its denials.
func (c *comparison) whole(text string) *variant {
	v := &variant{form: c.set.form(text), stems: c.set.words.Process(text), nearest: make([]float32, len(c.set.tokens))}
	v.known = slices.ContainsFunc(v.words, c.set.knows)
	for _, t := range v.tokens {
		row, ok := c.alike[t]
		if !ok {
			row = c.row(t)
			c.alike[t] = row
		}
		w := c.set.static.Weight(t)
		v.rows, v.weights, v.weight = append(v.rows, row), append(v.weights, w), v.weight+w
		v.means = v.means || w >= weightOfMeaning
		for i, x := range row {
			v.nearest[i] = max(v.nearest[i], x)
		}
	}
	return v
}

// knows reports whether a word occurs in an example or in the embedder's
// vocabulary.
func (s *exampleSet) knows(word string) bool {
	if s.known[word] {
		return true
	}
	t := s.static.Tokenize(word)
	return len(t) == 1 && strings.EqualFold(s.static.Token(t[0]), word)
}

// row returns the similarities of a token with the tokens of the set, from 0 to
// 1.
func (c *comparison) row(t uint16) []float32 {
	row := make([]float32, len(c.set.tokens))
	c.set.static.Similarities(row, t, c.set.tokens)
	for i, other := range c.set.tokens {
		if other == t {
			row[i] = 1
		}
		row[i] = min(max(row[i], 0), 1)
	}
	return row
}

// A message with fragments must share more with an example than the fragments:
// either a meaningful word or a similar one. weightOfMeaning separates
// meaningful words from words such as "the" and "what".
const (
	weightOfMeaning = .7
	sharedMeaning   = .45
)

// weightOfFragment is the weight of a fragment in the overlap of two sentences.
const weightOfFragment = .6

// against returns the parts of the message that are compared with an example. There are
// none if nothing of the message means anything beside a denial.
func (v *variant) against(e *example) []*variant {
	if e.denies {
		return []*variant{v}
	}
	return slices.DeleteFunc(slices.Clone(v.rest), func(part *variant) bool { return part != v && !part.means })
}

// opposes reports whether a message differs from an example only in a negation. A
// question does not: "isn't it open?" asks for the same as "is it open?".
func (v *variant) opposes(e *example) bool {
	return v.negated != e.negated && !v.question && e.kernel != "" && e.kernel == v.kernel()
}

// shares reports whether a message and an example have something in common
// besides fragments. If the example has no meaningful word besides them, the
// message must have none either.
func (v *variant) shares(set *exampleSet, e *example) bool {
	meant := false
	for _, p := range e.places {
		if set.static.Weight(set.tokens[p]) < weightOfMeaning {
			continue
		}
		meant = true
		for i, row := range v.rows {
			if v.weights[i] >= weightOfMeaning && row[p] >= sharedMeaning {
				return true
			}
		}
	}
	return !v.means && !meant
}

// best returns the score of an intent's most similar example. first is the
// index of the first of examples.
func (c *comparison) best(v *variant, intent, first int, examples []example) candidate {
	out := candidate{intent: intent}
	if n, ok := c.set.literal[v.literal]; ok && first <= n && n < first+len(examples) {
		return candidate{intent, 1, c.set.examples[n].sentence}
	}
	if n, ok := c.set.stemmed[v.stems]; ok && first <= n && n < first+len(examples) && (v.rest[0] == v || c.set.examples[n].denies) {
		return candidate{intent, stemmedScore, c.set.examples[n].sentence}
	}
	if !v.known || v.weight == 0 && len(v.fragments) == 0 {
		return out
	}
	for n := range examples {
		e := &examples[n]
		for _, m := range v.against(e) {
			if len(v.fragments) > 0 && !m.shares(c.set, e) {
				continue
			}
			if m.opposes(e) {
				return candidate{intent: intent}
			}
			if s := calibrated(m.features(c.set, e)); s > out.score {
				out.score, out.sentence = s, e.sentence
			}
		}
	}
	return out
}

// features compares the message with an example. An example of nothing but fragments
// has no vector, so the overlap counts for it.
func (v *variant) features(set *exampleSet, e *example) features {
	overlap := float64(v.overlap(e))
	if e.weight == 0 {
		return features{cosine: overlap, overlap: overlap, center: overlap, against: v.negated != e.negated}
	}
	return features{
		cosine:  float64(embed.Dot(v.vector, e.vector)),
		overlap: overlap,
		center:  float64(embed.Dot(v.vector, set.centers[e.intent])),
		against: v.negated != e.negated,
	}
}

// overlap returns the harmonic mean of two shares: the share of the message
// that is similar to the example, and the share of the example that is similar
// to the message. A fragment is similar only to itself.
func (v *variant) overlap(e *example) float32 {
	var there, back float32
	for i, row := range v.rows {
		var nearest float32
		for _, p := range e.places {
			nearest = max(nearest, row[p])
		}
		there += v.weights[i] * nearest
	}
	for i, p := range e.places {
		back += e.weights[i] * v.nearest[p]
	}
	there += weightOfFragment * common(v.fragments, e.fragments)
	back += weightOfFragment * common(e.fragments, v.fragments)
	there /= v.weight + weightOfFragment*float32(len(v.fragments))
	back /= e.weight + weightOfFragment*float32(len(e.fragments))
	if !(there+back > 0) { // also for NaN, of a sentence without words
		return 0
	}
	return 2 * there * back / (there + back)
}

// common counts the fragments that are among others.
func common(fragments, others []string) float32 {
	n := 0
	for _, f := range fragments {
		if slices.Contains(others, f) {
			n++
		}
	}
	return float32(n)
}

// denials finds the denials of a message.
func (s *exampleSet) denials(text string) denial.Message {
	var words []denial.Word
	for _, w := range wordsOf(text) {
		words = append(words, denial.Word{Full: strings.Fields(expanded(w.text)), Start: w.start, End: w.end})
	}
	return denial.Read(text, words, s.asks)
}

// addVerbs adds the verbs with which an example asks for something: its first word,
// words after "to", and a German infinitive at its end.
func (s *exampleSet) addVerbs(words []string) {
	for n, w := range words {
		if isMarked(w) {
			continue
		}
		if n == 0 || words[n-1] == "to" || words[n-1] == "please" || words[n-1] == "bitte" || n == len(words)-1 && germanInfinitive(w) {
			s.verbs[s.words.Process(w)] = true
			s.verbs[withoutEnding(w)] = true
		}
	}
}

// asks reports whether an example asks for something with this verb.
func (s *exampleSet) asks(verb string) bool {
	return s.verbs[s.words.Process(verb)] || s.verbs[withoutEnding(verb)]
}

// germanInfinitive reports whether a word may be a German infinitive.
func germanInfinitive(word string) bool { return len(word) > 4 && strings.HasSuffix(word, "en") }

// withoutEnding returns a German verb without its ending.
func withoutEnding(word string) string {
	for _, ending := range []string{"en", "st", "t", "e"} {
		if stem, ok := strings.CutSuffix(word, ending); ok && len(stem) > 3 {
			return stem
		}
	}
	return word
}
