// Package thread writes documents about something that people discuss, such as an issue
// with its comments.
package thread

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Document is a text with replies.
type Document struct {
	// Title is the title; "" without one.
	Title string
	// Date is the time of the last change; zero if unknown.
	Date time.Time
	// Tags are labels and categories.
	Tags []string
	// Facts are short properties, such as "State: open".
	Facts []string
	// Entries are the text and its replies.
	Entries []Entry
}

// Entry is one text of a document.
type Entry struct {
	// Title is the title of the entry; "" without one.
	Title string
	// Author is the name of the author; "" if unknown.
	Author string
	// At is the time of the entry; zero if unknown.
	At time.Time
	// Text is Markdown or HTML.
	Text string
}

// Markdown returns the document as Markdown with front matter. Replies are sections, and
// their own headings are below them.
func (d Document) Markdown() string {
	var b strings.Builder
	quoted := func(s string) string {
		data, _ := json.Marshal(strings.ToValidUTF8(s, "\uFFFD")) //nolint:errcheck,errchkjson // a string; JSON is YAML
		return string(data)
	}
	b.WriteString("---\n")
	if d.Title != "" {
		fmt.Fprintf(&b, "title: %s\n", quoted(d.Title))
	}
	if !d.Date.IsZero() {
		fmt.Fprintf(&b, "date: %s\n", d.Date.UTC().Format(time.DateOnly))
	}
	if len(d.Tags) > 0 {
		b.WriteString("tags:\n")
		for _, tag := range d.Tags {
			fmt.Fprintf(&b, "  - %s\n", quoted(tag))
		}
	}
	b.WriteString("---\n\n")
	if d.Title != "" {
		fmt.Fprintf(&b, "# %s\n\n", line(d.Title))
	}
	for _, fact := range d.Facts {
		fmt.Fprintf(&b, "- %s\n", line(fact))
	}
	if len(d.Facts) > 0 {
		b.WriteString("\n")
	}
	for i, e := range d.Entries {
		by := e.by()
		switch {
		case i > 0 || e.Title != "" && e.Title != d.Title:
			heading := strings.Join(slices.DeleteFunc([]string{e.Title, by}, func(s string) bool { return s == "" }), " – ")
			if heading == "" {
				heading = fmt.Sprintf("Reply %d", i)
			}
			fmt.Fprintf(&b, "## %s\n\n", line(heading))
		case by != "":
			fmt.Fprintf(&b, "By %s\n\n", line(by))
		}
		if text := body(e.Text, min(i, 1)+1); text != "" {
			b.WriteString(text + "\n\n")
		}
	}
	return b.String()
}

// by returns the author and the day of an entry.
func (e Entry) by() string {
	by := e.Author
	if !e.At.IsZero() {
		by = strings.TrimPrefix(by+", "+e.At.UTC().Format(time.DateOnly), ", ")
	}
	return by
}

// line returns a text as one line without marks of Markdown at its beginning.
func line(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	return strings.TrimLeft(s, "#>- ")
}

// body returns a text with headings that are at least some levels deeper.
func body(text string, levels int) string {
	text = strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), "\uFFFD"))
	if IsHTML(text) {
		return compact(text)
	}
	lines := strings.Split(text, "\n")
	fence := ""
	for i, l := range lines {
		mark := strings.TrimLeft(l, " ")
		switch {
		case fence != "":
			if strings.HasPrefix(mark, fence) {
				fence = ""
			}
		case strings.HasPrefix(mark, "```"), strings.HasPrefix(mark, "~~~"):
			fence = mark[:3]
		case strings.HasPrefix(l, "#"):
			rest := strings.TrimLeft(l, "#")
			if depth := len(l) - len(rest); depth < 6 && strings.HasPrefix(rest, " ") {
				lines[i] = strings.Repeat("#", min(levels, 6-depth)) + l
			}
		case i == 0 && l == "---": // no second front matter
			lines[i] = ""
		}
	}
	if fence != "" {
		lines = append(lines, fence) // an open fence would take the next entry
	}
	return strings.Join(lines, "\n")
}

// IsHTML reports whether a text is HTML, not Markdown.
func IsHTML(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">") && strings.Contains(text, "</")
}

// compact removes empty lines and indentation from HTML, which end a block of HTML in
// Markdown.
func compact(text string) string {
	if strings.Contains(text, "<pre") {
		return text
	}
	var out []string
	for l := range strings.SplitSeq(text, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}
