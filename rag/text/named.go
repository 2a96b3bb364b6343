package text

import (
	"strings"
	"unicode/utf8"

	"docent/internal/lazyregexp"
)

// Names are names of documents, as models cite them: titles, file names, and addresses.
type Names map[string]bool

// NamesOf returns the set of some names. Empty ones are left out.
func NamesOf(names ...string) Names {
	set := Names{}
	for _, name := range names {
		if key := nameKey(name); key != "" {
			set[key] = true
		}
	}
	return set
}

// nameKey returns a name in the form in which names are compared.
func nameKey(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(strings.Trim(strings.TrimSpace(s), "\"'“”„»«*_`")), " "))
}

// all reports whether s lists only names, divided by commas.
func (n Names) all(s string) bool {
	if n[nameKey(s)] {
		return true
	}
	fields := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ';' })
	for _, field := range fields {
		if !n[nameKey(field)] {
			return false
		}
	}
	return len(fields) > 0
}

var (
	// bracketed matches a citation by name in brackets, perhaps with a word for sources in front.
	bracketed = lazyregexp.New(`^(?:\[([^\[\]\n]{1,256})\]|\(([^()\n]{1,256})\)|【([^【】\n]{1,256})】)`)
	// sourceWord matches the words before a cited name.
	sourceWord = lazyregexp.New(`^\s*(?i:(?:` + seeWords + `)\s+)?(?i:(?:sources?|documents?|files?|quellen?|dokumente?|dateien?|fuentes?)\s*:\s*)?`)
	// refersTo matches a text that is incomplete without a following name, such as "according to".
	refersTo = lazyregexp.New(`(?i)(?:^|[^\pL])(?:in|to|see|the|of|from|by|per|and|with|im|der|dem|das|die|laut|siehe|nach|und|mit|zu|aus)\s+$`)
)

// DropNames removes citations by name, such as (Source: manual.pdf), [Manual], 【manual.pdf】, and [Manual](manual.pdf). Where the
// sentence needs the name, only its brackets and its address go, because the address is the model's own. Code does not change.
func DropNames(s string, names Names) string {
	if len(names) == 0 || !strings.ContainsAny(s, "[(【") {
		return s
	}
	out := make([]byte, 0, len(s))
	for at := 0; at < len(s); {
		n := codeLength(s, at)
		name, length := "", 0
		if n == 0 {
			_, n = utf8.DecodeRuneInString(s[at:])
			name, length = names.cited(s[at:])
		}
		switch {
		case length == 0:
			out = append(out, s[at:at+n]...)
			at += n
		case s[at] == '[' && refersTo.Match(out[max(0, len(out)-16):]):
			out = append(out, name...)
			at += length
		default:
			var skip int
			out, skip = drop(out, 0, s[at+length:])
			at += length + skip
		}
	}
	return string(out)
}

// cited reads a citation by name at the start of s, and returns the name and the length of the citation, or 0.
func (n Names) cited(s string) (name string, length int) {
	if !strings.HasPrefix(s, "[") && !strings.HasPrefix(s, "(") && !strings.HasPrefix(s, "【") {
		return "", 0
	}
	m := bracketed.FindStringSubmatch(s)
	if m == nil {
		return "", 0
	}
	name, _, _ = strings.Cut(m[1]+m[2]+m[3], "†")
	word := sourceWord.FindString(name)
	name = strings.TrimSpace(name[len(word):])
	// Titles such as "Backup" are ordinary words in parentheses.
	if !n.all(name) || m[2] != "" && strings.TrimSpace(word) == "" && !fileName.MatchString(name) {
		return "", 0
	}
	length = len(m[0])
	if m[1] != "" {
		length += linkTarget(s[length:])
	}
	return name, length
}

// item matches the beginning of an entry of a list.
var item = lazyregexp.New(`^\s*(?:[-*+•]|\d{1,4}[.):]|\[\^?\d{1,4}\]:?)?\s*`)

// listed reports whether a line is an entry of a list of names, perhaps as a link.
func (n Names) listed(line string) bool {
	entry := strings.TrimSpace(line[len(item.FindString(line)):])
	if _, length := n.cited(entry); length > 0 && length == len(entry) {
		return true
	}
	return n.all(entry)
}
