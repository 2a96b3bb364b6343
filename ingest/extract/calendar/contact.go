package calendar

import (
	"context"
	"fmt"
	"strings"
	"time"

	"docent/ingest/outline"
)

// maxContacts bounds the entries of an address book.
const maxContacts = 100_000

// contact is an entry of an address book.
type contact struct {
	name, parts string
	lines       []fact
	notes       []string
	labels      map[string]string // of groups
}

// fact is a line about a person.
type fact struct{ label, value, group string }

// ReadContacts reads an address book. Each person becomes a section with a line for each
// fact.
func ReadContacts(ctx context.Context, _, text string) (*outline.Document, error) {
	b := outline.NewBuilder(len(text))
	c := contact{labels: map[string]string{}}
	n := 0
	properties(text, func(p property) {
		if ctx.Err() != nil || n > maxContacts {
			return
		}
		switch value := strings.ToUpper(strings.TrimSpace(p.value)); {
		case p.name == "BEGIN" && value == "VCARD":
			c = contact{labels: map[string]string{}}
		case p.name == "END" && value == "VCARD":
			c.add(b)
			c = contact{labels: map[string]string{}}
			n++
		default:
			c.set(p)
		}
	})
	c.add(b)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read an address book: %w", err)
	}
	doc := b.Document("")
	if n == 1 && len(doc.Blocks) > 0 {
		doc.Title = doc.HeadingName(doc.Blocks[0])
	}
	return doc, nil
}

// labels are the names of the facts about a person.
var labels = map[string]string{
	"NICKNAME": "Nickname", "TITLE": "Title", "ROLE": "Role", "TEL": "Phone",
	"EMAIL": "E-mail", "URL": "Address on the web", "BDAY": "Birthday",
	"ANNIVERSARY": "Anniversary", "LANG": "Language", "CATEGORIES": "Categories", "IMPP": "Messages", "RELATED": "Related", "TZ": "Time zone",
	"X-SKYPE": "Skype", "X-ABDATE": "Date", "X-SOCIALPROFILE": "Profile", "X-ABRELATEDNAMES": "Related",
	"X-ANNIVERSARY": "Anniversary", "X-SPOUSE": "Spouse", "X-MANAGER": "Manager", "X-ASSISTANT": "Assistant", "SPOUSE": "Spouse",
}

// set applies a property.
func (c *contact) set(p property) {
	line := func(label, value string) {
		if value = strings.Join(strings.Fields(value), " "); value != "" && len(c.lines) < maxPeople {
			if kind := kindOf(p); kind != "" {
				label += " (" + kind + ")"
			}
			c.lines = append(c.lines, fact{label, value, p.group})
		}
	}
	switch p.name {
	case "FN":
		c.name = strings.Join(strings.Fields(p.text()), " ")
	case "N":
		parts := strings.SplitN(strings.ReplaceAll(p.value, `\;`, " "), ";", 5)
		for len(parts) < 5 {
			parts = append(parts, "")
		}
		c.parts = strings.Join(strings.Fields(unescape(strings.Join([]string{parts[3], parts[1], parts[2], parts[0], parts[4]}, " "))), " ")
	case "ORG":
		line("Organization", strings.Join(fields(p.value), ", "))
	case "ADR":
		line("Postal address", strings.Join(fields(p.value), ", "))
	case "NOTE":
		if len(c.notes) < maxPeople {
			c.notes = append(c.notes, p.text())
		}
	case "X-ABLABEL":
		if len(c.labels) < maxPeople {
			label := strings.TrimSuffix(strings.TrimPrefix(p.text(), "_$!<"), ">!$_") // how Apple marks its own labels
			c.labels[p.group] = strings.Join(strings.Fields(label), " ")
		}
	case "BDAY", "ANNIVERSARY", "X-ANNIVERSARY", "X-ABDATE":
		line(labels[p.name], dayOf(p))
	default:
		if label := labels[p.name]; label != "" {
			value := p.text()
			for _, scheme := range []string{"tel:", "mailto:"} {
				value = strings.TrimPrefix(value, scheme)
			}
			line(label, value)
		}
	}
}

// dayOf returns a date, which may have no year, in words. It returns other values as they are.
func dayOf(p property) string {
	value := p.text()
	day, _, _ := strings.Cut(value, "T")
	for _, layout := range []string{"2006-01-02", "20060102"} {
		if at, err := time.Parse(layout, day); err == nil {
			if p.params["X-APPLE-OMIT-YEAR"] == at.Format("2006") {
				return at.Format("2 January")
			}
			return at.Format("2 January 2006")
		}
	}
	for _, layout := range []string{"--01-02", "--0102"} {
		if at, err := time.Parse(layout, day); err == nil {
			return at.Format("2 January")
		}
	}
	return value
}

// kindOf returns the kind of a number or address, such as work.
func kindOf(p property) string {
	for kind := range strings.SplitSeq(strings.ToLower(p.params["TYPE"]), ",") {
		switch kind {
		case "work", "home", "fax":
			return kind
		case "cell", "mobile", "iphone":
			return "mobile"
		}
	}
	return ""
}

// add adds a person to a document.
func (c *contact) add(b *outline.Builder) {
	name := c.name
	if name == "" {
		name = c.parts
	}
	if name == "" && len(c.lines) == 0 {
		return
	}
	b.Add(outline.Heading, 1, "\n\n", name)
	var lines []string
	for _, l := range c.lines {
		label := l.label
		if own := c.labels[l.group]; own != "" && l.group != "" {
			if label = own; l.label == "Related" {
				label = l.label + " (" + strings.ToLower(own) + ")"
			}
		}
		lines = append(lines, label+": "+l.value)
	}
	b.Add(outline.Paragraph, 0, "\n\n", strings.Join(lines, "\n"))
	for _, note := range c.notes {
		b.AddParagraphs(note)
	}
}
