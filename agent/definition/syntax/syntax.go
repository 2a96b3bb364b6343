// Package syntax locates errors in the syntax of YAML files.
package syntax

import (
	"bytes"
	"regexp"
	"sort"
	"strings"

	"gopkg.in/yaml.v3"
)

// Fault is the line of a syntax error and a hint how to correct it.
type Fault struct {
	Line int
	Hint string
}

// Find finds the first line that makes the file invalid YAML, regardless of the
// lines after it. The YAML parser itself names a nearby line or the line where an
// open element began.
func Find(raw []byte) Fault {
	raw = bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))
	lines := strings.SplitAfter(string(raw), "\n")
	first := 1 + sort.Search(len(lines), func(n int) bool { return !begins(lines[:n+1]) })
	if first > len(lines) { // all lines are a valid beginning, so an element is not closed
		open := brackets(lines)
		if len(open) == 0 {
			return Fault{len(lines), "check indentation, colons and quotes"}
		}
		return open[len(open)-1].unclosed()
	}
	line := lines[first-1]
	if open := brackets(lines[:first-1]); len(open) > 0 {
		last := open[len(open)-1]
		if entry.MatchString(line) && indent(line) <= indent(lines[last.line-1]) {
			return last.unclosed()
		}
	}
	return Fault{first, hint(line)}
}

// entry matches a line that begins a new key or list item.
var entry = regexp.MustCompile(`^\s*(?:- |[\w.-]+:(?:\s|$))`)

// These are placeholders that YAML reads as mappings.
var (
	bareVariable = regexp.MustCompile(`(?:^|[^"'\w])(\$\{\w*\})`)
	barePlace    = regexp.MustCompile(`(?:^|[:,\[{-]) *\{\{[^"']*\}\}`)
)

// hint returns advice on how to correct a line.
func hint(line string) string {
	switch ref := bareVariable.FindStringSubmatch(line); {
	case strings.Contains(line[:indent(line)], "\t"):
		return "indent with spaces, not with tabs"
	case ref != nil && strings.ContainsAny(line, "{["):
		return `put quotes around ` + ref[1] + `, as in "` + ref[1] + `"`
	case barePlace.MatchString(line):
		return `put quotes around a text that has {{ in it, as in "{{.message}}"`
	}
	return "check indentation, colons and quotes"
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// begins reports whether a valid file may begin with these lines.
func begins(lines []string) bool {
	text := strings.Join(lines, "")
	if isYAML(text) {
		return true
	}
	var closed strings.Builder
	closed.WriteString(strings.TrimSuffix(text, "\n"))
	closed.WriteString("\n ")
	open := brackets(lines)
	for i := len(open) - 1; i >= 0; i-- {
		closed.WriteByte(open[i].close)
	}
	return len(open) > 0 && isYAML(closed.String())
}

func isYAML(text string) bool {
	var n yaml.Node
	return strings.TrimSpace(text) == "" || yaml.NewDecoder(strings.NewReader(text)).Decode(&n) == nil || n.Kind == 0 && onlyComments(text)
}

func onlyComments(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' && line != "---" {
			return false
		}
	}
	return true
}

// bracket is an open bracket or quote.
type bracket struct {
	open, close byte
	line        int
}

func (b bracket) unclosed() Fault {
	return Fault{b.line, "the " + string(b.open) + " in this line is not closed"}
}

// block matches a line that begins a block of text.
var block = regexp.MustCompile(`(?:^|[\s:-])[|>][+-]?\d?[+-]?\s*(?:#.*)?$`)

// brackets returns the brackets and quotes that are open after these lines.
func brackets(lines []string) []bracket {
	var open []bracket
	text := -1 // indentation of the line that began a block of text; -1 outside of a block
	for n, line := range lines {
		if text >= 0 && (strings.TrimSpace(line) == "" || indent(line) > text) {
			continue
		}
		text = -1
		open = scan(open, line, n+1)
		if len(open) == 0 && block.MatchString(strings.TrimRight(line, "\n")) {
			text = indent(line)
		}
	}
	return open
}

// scan adds the brackets that a line opens and removes those that it closes.
func scan(open []bracket, line string, number int) []bracket {
	fresh := true // a value may begin at this position
	for i := 0; i < len(line); i++ {
		c := line[i]
		inside := byte(0)
		if len(open) > 0 {
			inside = open[len(open)-1].close
		}
		switch {
		case inside == '"' && c == '\\':
			i++
		case inside == '\'' && strings.HasPrefix(line[i:], "''"):
			i++
		case inside == '"' || inside == '\'':
			if c == inside {
				open, fresh = open[:len(open)-1], false
			}
		case c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return open
		case fresh && (c == '"' || c == '\''):
			open = append(open, bracket{c, c, number})
		case c == '{' && (fresh || inside != 0):
			open, fresh = append(open, bracket{c, '}', number}), true
		case c == '[' && (fresh || inside != 0):
			open, fresh = append(open, bracket{c, ']', number}), true
		case inside != 0 && c == inside:
			open, fresh = open[:len(open)-1], false
		case c == ' ' || c == '\t' || c == '\n':
		case c == ',' && inside != 0:
			fresh = true
		case (c == ':' || c == '-' && fresh) && i+1 < len(line) && strings.IndexByte(" \t\n", line[i+1]) >= 0:
			fresh = true
		case c == '&' && fresh: // an anchor precedes a value
			for i+1 < len(line) && strings.IndexByte(" \t\n,]}", line[i+1]) < 0 {
				i++
			}
		default:
			fresh = false
		}
	}
	return open
}
