package chat

import (
	"regexp"
	"strings"

	"docent/ingest/outline"
)

// said matches the first line of a message of WhatsApp: date, time, author, and text.
var said = regexp.MustCompile(`^[\x{200e}\x{200f}]?\[?(\d{1,4}[./-]\d{1,2}[./-]\d{1,4}),?[ \x{202f}](\d{1,2}[:.]\d{2}(?:[:.]\d{2})?)(?:[ \x{202f}\x{a0}]?([AaPp])\.?[ \x{202f}\x{a0}]?[Mm]\.?)?\]?(?: -)? (.*)$`)

// isWhatsApp reports whether a text begins like a conversation of WhatsApp.
func isWhatsApp(head string) bool {
	lines, messages := 0, 0
	for line := range strings.Lines(head) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if m := said.FindStringSubmatch(line); m != nil {
			messages++
			lines++
		} else if lines == 0 {
			return false
		}
		if messages >= 2 {
			return strings.Contains(head, ": ")
		}
	}
	return false
}

// whatsApp reads a conversation of WhatsApp. It leaves out notices without an author.
func whatsApp(name, text string) *outline.Document {
	var c conversation
	skipped := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		m := said.FindStringSubmatch(line)
		if m == nil {
			if n := len(c.messages); n > 0 && !skipped {
				c.messages[n-1].text += "\n" + line
			}
			continue
		}
		author, said, ok := strings.Cut(m[4], ": ")
		if skipped = !ok || len(author) > 80 || len(c.messages) >= maxMessages; skipped {
			continue
		}
		clock := m[2]
		if m[3] != "" {
			clock += " " + strings.ToUpper(m[3]) + "M"
		}
		c.messages = append(c.messages, message{author: strings.Trim(author, "\u200e\u202a\u202c ~"), text: said, day: m[1], clock: clock})
	}
	return document(strings.TrimSuffix(outline.NameTitle(name), ".txt"), []conversation{c})
}
