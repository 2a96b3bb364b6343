package definition

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"docent/agent/definition/syntax"
	"docent/internal/fault"
)

// Bounds of a file.
const (
	// MaxFile bounds the size of a file, in bytes.
	MaxFile = 1 << 20
	// MaxValues bounds the keys and values in a file. The values of an alias
	// count each time.
	MaxValues = 20_000
	// MaxErrors bounds the errors of a file that are reported at once.
	MaxErrors = 20
)

// problem is an error in a line. Line 0 means the whole file.
type problem struct {
	file string // "" is the file of the reader
	line int
	text string
}

// reader reads the nodes of a file and collects the errors.
type reader struct {
	file     string
	problems []problem
	read     int                              // number of values so far
	variable func(name string) (string, bool) // looks up environment variables; nil if there are none
	// seen receives the keys or words that a value may have. It is nil outside of
	// tests, which compare them with the schema.
	seen func(what string, words []string)
}

// wrong records an error at a node. The message says how to correct it.
func (r *reader) wrong(n *yaml.Node, format string, args ...any) {
	line := 0
	if n != nil {
		line = n.Line
	}
	p := problem{"", line, strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")} // names may contain line feeds
	if !slices.Contains(r.problems, p) {                                                    // an alias may be read more than once
		r.problems = append(r.problems, p)
	}
}

// error returns all recorded errors in the order of lines, or nil.
func (r *reader) error() error {
	if len(r.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(r.problems, func(a, b problem) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line)) })
	var lines []string
	for i, p := range r.problems {
		if i == MaxErrors {
			lines = append(lines, fmt.Sprintf("%s: and at least %d more", r.file, len(r.problems)-i))
			break
		}
		file := cmp.Or(p.file, r.file)
		if p.line == 0 {
			lines = append(lines, fmt.Sprintf("%s: %s", file, p.text))
		} else {
			lines = append(lines, fmt.Sprintf("%s:%d: %s", file, p.line, p.text))
		}
	}
	return fault.New(fault.Invalid, "agent_file_invalid", "%s", strings.Join(lines, "\n"))
}

// yamlReason matches the message of the YAML parser. The line in it is where
// the parser stopped, which may be after the error.
var yamlReason = regexp.MustCompile(`^(?:yaml: )?(?:line \d+: )?(.*)$`)

// document parses a file. It returns nil if that fails.
func (r *reader) document(raw []byte) *yaml.Node {
	decoder := yaml.NewDecoder(strings.NewReader(string(raw)))
	var root, second yaml.Node
	err := decoder.Decode(&root)
	switch {
	case errors.Is(err, io.EOF):
		r.wrong(nil, "the file is empty: it needs at least a name and a state")
		return nil
	case err != nil:
		m := yamlReason.FindStringSubmatch(strings.ReplaceAll(err.Error(), "\n", " "))
		at := syntax.Find(raw)
		r.wrong(&yaml.Node{Line: at.Line}, "this is not YAML: %s; %s", m[1], at.Hint)
		return nil
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		r.wrong(&second, "a file holds one agent: leave out what comes after the second ---")
		return nil
	}
	return root.Content[0]
}

// enter follows an alias and counts the value. It returns nil if there are too
// many values.
func (r *reader) enter(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if r.read++; r.read > MaxValues {
		if r.read == MaxValues+1 {
			r.wrong(nil, "it holds more than %d values, each use of an alias counted: split the agent", MaxValues)
		}
		return nil
	}
	return n
}

// field is a key that a mapping may contain.
type field struct {
	name string
	read func(n *yaml.Node)
}

// mapping reads a mapping and reports unknown keys. It returns the keys that
// are present.
func (r *reader) mapping(n *yaml.Node, what string, fields ...field) map[string]*yaml.Node {
	keys := map[string]*yaml.Node{}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	r.note(what, names...)
	r.entries(n, what, func(key *yaml.Node, name string, value *yaml.Node) {
		for _, f := range fields {
			if f.name == name {
				keys[name] = key
				f.read(value)
				return
			}
		}
		r.wrong(key, "%s has no key %q%s; it may have %s", what, name, meant(name, names), strings.Join(names, ", "))
	})
	return keys
}

func (r *reader) note(what string, words ...string) {
	if r.seen != nil {
		r.seen(what, words)
	}
}

// entries calls each for every pair of a mapping.
func (r *reader) entries(n *yaml.Node, what string, each func(key *yaml.Node, name string, value *yaml.Node)) {
	m := r.enter(n)
	if m == nil {
		return
	}
	if m.Kind != yaml.MappingNode {
		r.wrong(n, "%s must be lines of \"key: value\"", what)
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(m.Content) && r.read <= MaxValues; i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		k := r.enter(key)
		if k == nil {
			return
		}
		switch first, twice := seen[k.Value]; {
		case k.Kind != yaml.ScalarNode:
			r.wrong(key, "a key of %s must be a plain word", what)
			continue
		case k.Tag == "!!merge":
			r.wrong(key, "%s cannot merge with <<: repeat the keys", what)
			continue
		case twice:
			r.wrong(key, "%s has the key %q twice, before in line %d: leave one out", what, k.Value, first)
			continue
		}
		seen[k.Value] = k.Line
		each(key, k.Value, value)
	}
}

// list calls each for every item of a sequence.
func (r *reader) list(n *yaml.Node, what string, each func(item *yaml.Node)) {
	l := r.enter(n)
	if l == nil {
		return
	}
	if l.Kind != yaml.SequenceNode {
		r.wrong(n, "%s must be a list: [a, b], or lines that begin with \"- \"", what)
		return
	}
	for _, item := range l.Content {
		if r.read > MaxValues {
			return
		}
		each(item)
	}
}

// scalar returns a scalar value that is not null. ok is false for other values.
func (r *reader) scalar(n *yaml.Node, what, want string) (*yaml.Node, bool) {
	s := r.enter(n)
	if s == nil {
		return nil, false
	}
	if s.Kind != yaml.ScalarNode || s.Tag == "!!null" {
		r.wrong(n, "%s must be %s", what, want)
		return nil, false
	}
	return s, true
}

// text reads a non-empty text.
func (r *reader) text(n *yaml.Node, what string) string {
	s, ok := r.scalar(n, what, "text")
	if !ok {
		return ""
	}
	if strings.TrimSpace(s.Value) == "" {
		r.wrong(n, "%s is empty: write something or leave the key out", what)
	}
	return s.Value
}

// texts reads a text or a list of texts.
func (r *reader) texts(n *yaml.Node, what string) []string {
	target := n
	for target.Kind == yaml.AliasNode {
		target = target.Alias
	}
	if target.Kind == yaml.ScalarNode {
		return []string{r.text(n, what)}
	}
	var out []string
	r.list(n, what, func(item *yaml.Node) { out = append(out, r.text(item, "each of "+what)) })
	if target.Kind == yaml.SequenceNode && len(target.Content) == 0 {
		r.wrong(n, "%s is empty: write something or leave the key out", what)
	}
	return out
}

// choice reads one of the given words.
func (r *reader) choice(n *yaml.Node, what string, words ...string) string {
	r.note(what, words...)
	want := "one of " + strings.Join(words, ", ")
	if len(words) == 1 {
		want = words[0]
	}
	s, ok := r.scalar(n, what, want)
	if !ok {
		return ""
	}
	if !slices.Contains(words, s.Value) {
		r.wrong(n, "%s is %q, it must be %s", what, s.Value, want)
		return ""
	}
	return s.Value
}

// flag reads true or false.
func (r *reader) flag(n *yaml.Node, what string) bool {
	return r.choice(n, what, "true", "false") == "true"
}

// integer reads an integer from least to most.
func (r *reader) integer(n *yaml.Node, what string, least, most int) int {
	r.note(what, strconv.Itoa(least), strconv.Itoa(most))
	want := fmt.Sprintf("a whole number from %d to %d", least, most)
	s, ok := r.scalar(n, what, want)
	if !ok {
		return least
	}
	v, err := strconv.Atoi(s.Value)
	if err != nil || v < least || v > most {
		r.wrong(n, "%s is %q, it must be %s", what, s.Value, want)
		return least
	}
	return v
}

// share reads a number from 0 to 1.
func (r *reader) share(n *yaml.Node, what string) float64 {
	s, ok := r.scalar(n, what, "a number from 0 to 1")
	if !ok {
		return 0
	}
	v, err := strconv.ParseFloat(s.Value, 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > 1 {
		r.wrong(n, "%s is %q, it must be a number from 0 to 1", what, s.Value)
		return 0
	}
	return v
}

// duration reads a duration such as 90s or 5m.
func (r *reader) duration(n *yaml.Node, what string) time.Duration {
	s, ok := r.scalar(n, what, "a time such as 90s, 5m or 1h30m")
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(s.Value)
	if err != nil || d <= 0 {
		r.wrong(n, "%s is %q, it must be a time such as 90s, 5m or 1h30m", what, s.Value)
		return 0
	}
	return d
}

// whole matches an integer in JSON.
var whole = regexp.MustCompile(`^-?[1-9][0-9]*$`)

// value reads any value that JSON can represent.
func (r *reader) value(n *yaml.Node, what string) any {
	v := r.enter(n)
	if v == nil {
		return nil
	}
	switch v.Kind {
	case yaml.MappingNode:
		out := map[string]any{}
		r.entries(n, what, func(_ *yaml.Node, name string, value *yaml.Node) { out[name] = r.value(value, what) })
		return out
	case yaml.SequenceNode:
		out := []any{}
		r.list(n, what, func(item *yaml.Node) { out = append(out, r.value(item, what)) })
		return out
	}
	var out any
	if err := v.Decode(&out); err != nil {
		r.wrong(n, "%s cannot be read: write a text in quotes, a number, true or false", what)
		return nil
	}
	switch out := out.(type) {
	case time.Time, []byte:
		return v.Value
	case float64:
		if math.IsNaN(out) || math.IsInf(out, 0) {
			r.wrong(n, "%s is not a number that JSON has", what)
			return nil
		}
		if whole.MatchString(v.Value) { // it has more digits than a float64
			return json.Number(v.Value)
		}
	}
	return out
}

// meant returns a suggestion of the name that differs least from an unknown one, or "".
func meant(name string, names []string) string {
	best, least := "", 3 // more than two changes make another word
	for _, n := range names {
		if d := changes(name, n); d < least && 2*d < len(n) {
			best, least = n, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", best)
}

// changes returns the number of letters to add, remove, or change in a to get b.
func changes(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			corner, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, corner+cost)
		}
	}
	return row[len(b)]
}
