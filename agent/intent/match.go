package intent

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"docent/rag/text"
)

const (
	// maxScan bounds the bytes of a message that are searched for values.
	maxScan = 4 << 10
	// maxSpans bounds the values of one entity that are found in a message.
	maxSpans = 64
)

// span is a value in a text.
type span struct {
	// start and end are byte offsets.
	start, end int
	// value is the value of the parameter.
	value string
	// info is the info of the match.
	info string
}

func (s span) overlaps(o span) bool { return s.start < o.end && o.start < s.end }

// overlapsAny reports whether s overlaps one of the others.
func (s span) overlapsAny(others []span) bool { return slices.ContainsFunc(others, s.overlaps) }

// matcher finds the values of entities in one message. It searches for each
// entity once.
type matcher struct {
	text  string
	now   time.Time
	code  string // code of the language
	found map[*Entity][]span
	dates []span // nil until searched for
}

func newMatcher(req Request) *matcher {
	return &matcher{text: text.Head(req.Text, maxScan), now: req.Now, code: languageCode(req.Language), found: map[*Entity][]span{}}
}

// spans returns the values of an entity in the order of the text.
func (m *matcher) spans(e *Entity) []span {
	if s, ok := m.found[e]; ok {
		return s
	}
	var out []span
	switch e.Kind {
	case KindListed:
		out = e.findListed(m.text)
	case KindRegexp:
		out = e.findPattern(m.text)
	case KindNumber:
		out = m.numbers()
	case KindDateTime:
		out = m.moments()
	case KindAny: // only a model can find them
	}
	out = out[:min(len(out), maxSpans)]
	m.found[e] = out
	return out
}

func (m *matcher) moments() []span {
	if m.dates == nil {
		m.dates = append([]span{}, findDates(m.text, m.now, m.code)...)
	}
	return m.dates
}

// numbers returns the numbers in the message. Those that are part of a date
// come last.
func (m *matcher) numbers() []span {
	out := findNumbers(m.text, m.code)
	slices.SortStableFunc(out, func(a, b span) int {
		return cmp.Compare(rank(a.overlapsAny(m.moments())), rank(b.overlapsAny(m.moments())))
	})
	return out
}

func rank(last bool) int {
	if last {
		return 1
	}
	return 0
}

// kindOrder is the order in which parameters take their values. Kinds that are
// recognized most reliably come first.
var kindOrder = []Kind{KindListed, KindRegexp, KindDateTime, KindNumber, KindAny}

// assign assigns each parameter of an intent at most one value. Values do not
// overlap. If several parameters have the same entity, they take its values in
// the order of their fragments in the example sentence like. Without it, they use
// the order of the intent.
func (m *matcher) assign(i *Intent, like string) ([]Match, []span) {
	matches, places := make([]Match, len(i.Parameters)), make([]span, len(i.Parameters))
	order := make([]int, len(i.Parameters))
	for n, p := range i.Parameters {
		matches[n].Name, order[n] = p.Name, n
	}
	position := func(n int) int {
		fragment := i.Parameters[n].Fragment
		if at := strings.Index(like, fragment); fragment != "" && at >= 0 {
			return at
		}
		return len(like)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(
			cmp.Compare(slices.Index(kindOrder, i.Parameters[a].Entity.Kind), slices.Index(kindOrder, i.Parameters[b].Entity.Kind)),
			cmp.Compare(position(a), position(b)))
	})
	var taken []span
	for _, n := range order {
		for _, s := range m.spans(i.Parameters[n].Entity) {
			if !s.overlapsAny(taken) {
				matches[n].Value, matches[n].Info = &s.value, s.info
				places[n], taken = s, append(taken, s)
				break
			}
		}
	}
	return matches, places
}

// withFragments returns the text with the parameters' marked fragments in the place
// of their values. It returns false if it replaced nothing.
func (m *matcher) withFragments(i *Intent, places []span) (string, bool) {
	order := make([]int, 0, len(places))
	for n, s := range places {
		if s.end > 0 && i.Parameters[n].Fragment != "" {
			order = append(order, n)
		}
	}
	if len(order) == 0 {
		return "", false
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(places[a].start, places[b].start) })
	var b strings.Builder
	at := 0
	for _, n := range order {
		b.WriteString(m.text[at:places[n].start])
		b.WriteString(mark(i.Parameters[n].Fragment))
		at = places[n].end
	}
	b.WriteString(m.text[at:])
	return b.String(), true
}

// phrases are the folded names of a listed entity's values.
type phrases struct {
	// value maps a name to its value.
	value map[string]string
	// longest is the length of the longest name, in bytes.
	longest int
}

// phrases returns the names of the entity. If two values have the same name,
// the first one wins. Values come before synonyms.
func (e *Entity) phrases() *phrases {
	e.once.Do(func() {
		p := &phrases{value: map[string]string{}}
		add := func(name, value string) {
			key, _ := folded(name)
			key = strings.TrimSpace(key)
			if _, ok := p.value[key]; !ok && key != "" {
				p.value[key] = value
				p.longest = max(p.longest, len(key))
			}
		}
		for _, v := range e.Values {
			add(v.Value, v.Value)
		}
		for _, v := range e.Values {
			for _, s := range v.Synonyms {
				add(s, v.Value)
			}
		}
		e.names = p
	})
	return e.names
}

// folded returns a text in lower case with single spaces. It also returns, for
// each byte of the result and for its end, the offset in text.
func folded(text string) (string, []int) {
	var b strings.Builder
	offsets := make([]int, 0, len(text)+1)
	space := false
	for at, r := range text {
		isSpace := unicode.IsSpace(r)
		if isSpace && space {
			continue
		}
		space = isSpace
		switch {
		case isSpace:
			r = ' '
		case r == '’':
			r = '\''
		default:
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
		for len(offsets) < b.Len() {
			offsets = append(offsets, at)
		}
	}
	return b.String(), append(offsets, len(text))
}

// findListed returns the values that occur in text as whole words. Of several
// values at one place it returns the longest.
func (e *Entity) findListed(text string) []span {
	p := e.phrases()
	low, offsets := folded(text)
	var out []span
	for at := 0; at < len(low); {
		end := 0
		if low[at] != ' ' && wordEdge(low, at) {
			for to := min(len(low), at+p.longest); to > at && end == 0; to-- {
				if !wordEdge(low, to) {
					continue
				}
				if _, ok := p.value[low[at:to]]; ok {
					end = to
				}
			}
		}
		if end == 0 {
			_, size := utf8.DecodeRuneInString(low[at:])
			at += size
			continue
		}
		out = append(out, span{start: offsets[at], end: offsets[end], value: p.value[low[at:end]]})
		at = end
	}
	return out
}

// wordEdge reports whether an offset is not inside a word.
func wordEdge(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	return !isWordRune(before) || !isWordRune(after)
}

// findPattern returns the matches of the entity's regular expression.
func (e *Entity) findPattern(text string) []span {
	if e.expression == nil {
		return nil
	}
	var out []span
	for _, at := range e.expression.FindAllStringSubmatchIndex(text, maxSpans) {
		start, end := at[0], at[1]
		if len(at) > 2 && at[2] >= 0 {
			start, end = at[2], at[3]
		}
		if start < end {
			out = append(out, span{start: start, end: end, value: text[start:end]})
		}
	}
	return out
}
