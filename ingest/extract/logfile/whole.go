package logfile

import (
	"encoding/json"
	"iter"
	"regexp"
	"strings"
)

// maxWhole bounds an entry that several lines of a file have, in bytes.
const maxWhole = 256 << 10

// whole yields the lines of a log. Lines that a container divided, and the lines of one object in JSON,
// become one.
func whole(text string) iter.Seq[string] {
	// A container that ends no line with a line break divides none.
	divides := strings.Contains(text, `\n","stream":"`)
	return func(yield func(string) bool) {
		for text != "" {
			line, rest := next(text)
			if divides {
				line, rest = undivided(line, rest)
			}
			if object, after := object(line, rest); after != "" || object != "" {
				line, rest = object, after
			}
			if !yield(line) {
				return
			}
			text = rest
		}
	}
}

// next returns the first line of a text, and the rest.
func next(text string) (line, rest string) {
	line, rest, _ = strings.Cut(text, "\n")
	return line, rest
}

// part matches a line of a container in the form of Docker. Its groups are the text, and the rest.
var part = regexp.MustCompile(`^\{"log":"((?:[^"\\]|\\.)*)("(?:,"partial_message":"true")?,"stream":"std(?:out|err)".*)$`)

// undivided joins a line of a container with those after it, as long as their texts have no line break at
// the end: Docker divides texts above 16 KiB.
func undivided(line, rest string) (string, string) {
	m := part.FindStringSubmatch(line)
	if m == nil || strings.HasSuffix(m[1], `\n`) {
		return line, rest
	}
	text, after := m[1], rest
	for len(text) < maxWhole {
		further, left := next(after)
		n := part.FindStringSubmatch(further)
		if n == nil {
			break
		}
		text, after = text+n[1], left
		if strings.HasSuffix(n[1], `\n`) {
			break
		}
	}
	return `{"log":"` + text + m[2], after
}

// object returns an object in JSON that begins in a line and ends in one of the next, and the rest.
// Without one, both are "".
func object(line, rest string) (string, string) {
	trimmed := strings.TrimSpace(line)
	if !strings.HasPrefix(trimmed, "{") || strings.HasSuffix(trimmed, "}") && json.Valid([]byte(trimmed)) {
		return "", ""
	}
	all := trimmed
	for range maxFurther {
		further, left := next(rest)
		if left == "" && further == "" || len(all)+len(further) > maxWhole || strings.HasPrefix(further, `{"`) {
			break
		}
		all, rest = all+" "+strings.TrimSpace(further), left
		if strings.HasSuffix(all, "}") && json.Valid([]byte(all)) {
			return all, rest
		}
	}
	return "", ""
}

// thrown matches the last line of a stack trace of Python.
var thrown = regexp.MustCompile(`^[A-Za-z_][\w.]{2,80}(?::|$)`)

// isLast reports whether a line of a container ends an entry: the error behind a stack trace, or the end of an
// object in JSON.
func isLast(entry, line string) bool {
	if line == "}" || line == "]" {
		return true
	}
	trace := strings.LastIndex(entry, "Traceback (most recent call last):")
	if trace < 0 || !thrown.MatchString(line) {
		return false
	}
	last := entry[strings.LastIndexByte(entry, '\n')+1:]
	return strings.HasPrefix(last, " ") || trace+len("Traceback (most recent call last):") == len(entry)
}
