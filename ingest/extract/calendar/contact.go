package calendar

import (
	"context"
	"fmt"
	"strings"

	"docent/ingest/outline"
)

// maxContacts bounds the entries of an address book.
const maxContacts = 100_000

// contact is an entry of an address book.
type contact struct {
	name, parts string
	lines       []string
	notes       []string
}

// ReadContacts reads an address book. Each person becomes a section with a line for each
// fact.
func ReadContacts(ctx context.Context, _, text string) (*outline.Document, error) {
	b := outline.NewBuilder(len(text))
	var c contact
	n := 0
	properties(text, func(p property) {
		if ctx.Err() != nil || n > maxContacts {
			return
		}
		switch value := strings.ToUpper(strings.TrimSpace(p.value)); {
		case p.name == "BEGIN" && value == "VCARD":
			c = contact{}
		case p.name == "END" && value == "VCARD":
			c.add(b)
			c = contact{}
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
	"X-SKYPE": "Skype", "X-ABDATE": "Date", "X-SOCIALPROFILE": "Profile",
}

// set applies a property.
func (c *contact) set(p property) {
	line := func(label, value string) {
		if value = strings.Join(strings.Fields(value), " "); value != "" && len(c.lines) < maxPeople {
			if kind := kindOf(p); kind != "" {
				label += " (" + kind + ")"
			}
			c.lines = append(c.lines, label+": "+value)
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
	b.Add(outline.Paragraph, 0, "\n\n", strings.Join(c.lines, "\n"))
	for _, note := range c.notes {
		b.AddParagraphs(note)
	}
}
