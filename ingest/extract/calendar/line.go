// Package calendar reads calendars (iCalendar) and address books (vCard).
package calendar

import (
	"io"
	"mime/quotedprintable"
	"strings"

	"docent/ingest/extract/charset"
	"docent/ingest/outline"
)

const (
	// maxLine is the longest unfolded line, in bytes.
	maxLine = 1 << 20
	// maxValue is the longest value that is shown, in bytes.
	maxValue = 64 << 10
)

// property is a line of a calendar or address book.
type property struct {
	name   string            // in upper case, without its group
	group  string            // such as item1
	params map[string]string // names in upper case
	value  string            // as written
}

// properties calls fn with each property of a text.
func properties(text string, fn func(p property)) {
	for line := range lines(text) {
		if p, ok := parse(line); ok {
			fn(p)
		}
	}
}

// lines yields the unfolded lines of a text. A line that begins with a space continues the
// line before. So does the line after a soft line break in quoted-printable.
func lines(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		var b strings.Builder
		quoted := false
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\r\n")
			folded := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
			switch {
			case quoted && strings.HasSuffix(b.String(), "=") && b.Len() < maxLine:
				b.WriteString("\n" + strings.TrimLeft(line, " \t"))
				continue
			case folded && b.Len() < maxLine:
				b.WriteString(line[1:])
				continue
			}
			if b.Len() > 0 && !yield(b.String()) {
				return
			}
			b.Reset()
			b.WriteString(line)
			name, _, _ := strings.Cut(line, ":")
			quoted = strings.Contains(strings.ToUpper(name), "QUOTED-PRINTABLE")
		}
		if b.Len() > 0 {
			yield(b.String())
		}
	}
}

// parse divides a line into its name, parameters, and value.
func parse(line string) (property, bool) {
	p := property{params: map[string]string{}}
	inQuotes := false
	colon := strings.IndexFunc(line, func(r rune) bool {
		if r == '"' {
			inQuotes = !inQuotes
		}
		return r == ':' && !inQuotes
	})
	if colon <= 0 {
		return p, false
	}
	p.value = line[colon+1:]
	for i, part := range splitQuoted(line[:colon]) {
		if i == 0 {
			dot := strings.LastIndexByte(part, '.')
			p.group, p.name = part[:max(dot, 0)], strings.ToUpper(part[dot+1:])
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			name, value = "TYPE", part // vCard 2.1: TEL;WORK
		}
		name = strings.ToUpper(name)
		if p.params[name] != "" {
			value = p.params[name] + "," + value
		}
		p.params[name] = strings.Trim(value, `"`)
	}
	if strings.Contains(strings.ToUpper(p.params["ENCODING"]+p.params["TYPE"]), "QUOTED-PRINTABLE") {
		p.value = decodeQuoted(p.value, p.params["CHARSET"])
	}
	return p, true
}

// splitQuoted divides text at the semicolons that are not in quotes.
func splitQuoted(text string) []string {
	inQuotes := false
	return strings.FieldsFunc(text, func(r rune) bool {
		if r == '"' {
			inQuotes = !inQuotes
		}
		return r == ';' && !inQuotes
	})
}

// decodeQuoted decodes a value in quoted-printable.
func decodeQuoted(value, set string) string {
	raw, err := io.ReadAll(io.LimitReader(quotedprintable.NewReader(strings.NewReader(value)), maxLine))
	if err != nil && len(raw) == 0 {
		return value
	}
	text, _, err := charset.Decode(raw, set)
	if err != nil {
		return value
	}
	return text
}

// text returns the value without escapes.
func (p property) text() string { return unescape(p.value) }

// unescape resolves the escapes of a value.
func unescape(value string) string {
	value = value[:min(len(value), maxValue)]
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] != '\\' || i+1 == len(value) {
			b.WriteByte(value[i])
			continue
		}
		i++
		switch value[i] {
		case 'n', 'N':
			b.WriteByte('\n')
		default:
			b.WriteByte(value[i])
		}
	}
	return strings.TrimSpace(outline.Clean(b.String()))
}

// fields returns the parts of a structured value, which semicolons separate, without empty
// ones.
func fields(value string) []string {
	var out []string
	start := 0
	add := func(end int) {
		if s := unescape(value[start:end]); s != "" {
			out = append(out, s)
		}
	}
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '\\':
			i++
		case ';':
			add(i)
			start = i + 1
		}
	}
	add(len(value))
	return out
}
