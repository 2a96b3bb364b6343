package intent

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// maxStarts bounds the positions at which readAnswer looks for an answer.
	maxStarts = 32
	// maxValue bounds a parameter value from a model, in bytes.
	maxValue = maxScan
)

// verdict is a model's judgment of one intent.
type verdict struct {
	score float64
	// values are the parameter values as the model wrote them; nil if it wrote
	// none.
	values map[string]json.RawMessage
}

// readAnswer reads the verdicts, by intent, in a model's answer. The JSON
// object may be anywhere in the text. Members of the wrong type count as
// missing. readAnswer returns false if no object names an intent.
func readAnswer(text string, intents []*Intent) (map[string]verdict, bool) {
	if _, after, ok := strings.Cut(text, "</think>"); ok {
		text = after
	}
	for range maxStarts {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			break
		}
		text = text[at:]
		var object map[string]json.RawMessage
		if json.NewDecoder(strings.NewReader(text)).Decode(&object) == nil {
			if verdicts := readVerdicts(object, intents); len(verdicts) > 0 {
				return verdicts, true
			}
		}
		text = text[1:]
	}
	return nil, false
}

// readVerdicts reads {"intent": {"score": 0.5, "parameters": {…}}, …}. It also
// reads {"intent": "name", "score": 0.5, "parameters": {…}}, which some models
// write.
func readVerdicts(object map[string]json.RawMessage, intents []*Intent) map[string]verdict {
	out := map[string]verdict{}
	for _, i := range intents {
		raw, ok := lookUp(object, i.Name)
		if !ok {
			continue
		}
		var fields map[string]json.RawMessage
		if json.Unmarshal(raw, &fields) != nil {
			out[i.Name] = verdict{score: readScore(raw)} // a plain number or nothing
			continue
		}
		out[i.Name] = readVerdict(fields)
	}
	if len(out) > 0 {
		return out
	}
	var name string
	if json.Unmarshal(object["intent"], &name) == nil {
		for _, i := range intents {
			if strings.EqualFold(i.Name, strings.TrimSpace(name)) {
				out[i.Name] = readVerdict(object)
				break
			}
		}
	}
	return out
}

func readVerdict(fields map[string]json.RawMessage) verdict {
	v := verdict{score: readScore(fields["score"])}
	if json.Unmarshal(fields["parameters"], &v.values) != nil {
		v.values = nil
	}
	return v
}

// lookUp returns the value of a key. The case of the key does not matter.
func lookUp(object map[string]json.RawMessage, key string) (json.RawMessage, bool) {
	if raw, ok := object[key]; ok {
		return raw, true
	}
	for _, k := range slices.Sorted(maps.Keys(object)) {
		if strings.EqualFold(strings.TrimSpace(k), key) {
			return object[k], true
		}
	}
	return nil, false
}

// readScore reads a score, which may be in quotes. It limits the score to the
// range from 0 to 1, and returns 0 for other values.
func readScore(raw json.RawMessage) float64 {
	score, err := strconv.ParseFloat(strings.Trim(string(raw), "\" \t"), 64)
	if err != nil || !(score > 0) || math.IsInf(score, 0) { // ParseFloat accepts NaN
		return 0
	}
	return min(score, 1)
}

// parameters converts the values that a model wrote for an intent to matches.
// If the model wrote none, it searches the message.
func (m *matcher) parameters(i *Intent, values map[string]json.RawMessage) []Match {
	if values == nil {
		matches, _ := m.assign(i, "")
		return matches
	}
	out := make([]Match, len(i.Parameters))
	for n, p := range i.Parameters {
		out[n].Name = p.Name
		raw, _ := lookUp(values, p.Name)
		text, ok := readValue(raw)
		if !ok {
			continue
		}
		if s, ok := m.accept(p.Entity, text); ok {
			out[n].Value, out[n].Info = &s.value, s.info
		}
	}
	return out
}

// readValue reads a string, a number, or a Boolean. It returns false for null,
// lists, objects, and empty text.
func readValue(raw json.RawMessage) (string, bool) {
	var v any
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return "", false
	}
	text := ""
	switch v := v.(type) {
	case string:
		text = strings.TrimSpace(v)
	case json.Number:
		text = v.String()
	case bool:
		text = strconv.FormatBool(v)
	}
	return text, text != "" && len(text) <= maxValue
}

// accept converts a model's value to a value of the entity. It returns false if
// the entity has no such value.
func (m *matcher) accept(e *Entity, text string) (span, bool) {
	var found []span
	switch e.Kind {
	case KindListed:
		key, _ := folded(text)
		value, ok := e.phrases().value[key]
		return span{value: value}, ok
	case KindRegexp:
		found = e.findPattern(text)
	case KindNumber:
		if found = findNumbers(text, "en"); len(found) == 0 { // models write 1.5 in every language
			found = findNumbers(text, m.code)
		}
	case KindDateTime:
		found = m.acceptDate(text)
	case KindAny:
		return span{value: text}, true
	}
	if len(found) == 0 {
		return span{}, false
	}
	return found[0], true
}

// acceptDate reads a date that a model wrote. If the message has the same date
// in other words, the info is about these words.
func (m *matcher) acceptDate(text string) []span {
	if !m.now.IsZero() {
		if clock, err := time.Parse("15:04:05", text); err == nil {
			text = clock.Format("at 15:04")
		}
	}
	found := findDates(text, m.now, "de") // ISO order; in other dates the day comes first
	for n, s := range found {
		for _, own := range m.moments() {
			if own.value == s.value {
				found[n].info = own.info
			}
		}
	}
	return found
}
