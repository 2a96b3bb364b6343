package chat

import (
	"strings"

	"docent/ingest/outline"
	"docent/internal/lazyregexp"
)

// said matches the first line of a message of WhatsApp: date, time, author, and text. A bracket or a dash ends the time.
var said = lazyregexp.New(`^[\x{200e}\x{200f}]?\[?(\d{1,4}[./-]\d{1,2}[./-]\d{1,4}),?[ \x{202f}](\d{1,2}[:.]\d{2}(?:[:.]\d{2})?)(?:[ \x{202f}\x{a0}]?([AaPp])\.?[ \x{202f}\x{a0}]?[Mm]\.?)?(?:\]| -) (.*)$`)

// logged matches what stands in front of the first colon in logs that begin their lines like WhatsApp.
var logged = lazyregexp.New(`(?:^|[\s.\[])(?:EMERGENCY|ALERT|CRITICAL|FATAL|ERROR|WARN|WARNING|NOTICE|INFO|DEBUG|TRACE)\b`)

// author returns the author and the text of a message. Notices of the program and lines of logs have none.
func author(text string) (name, said string, ok bool) {
	name, said, ok = strings.Cut(text, ": ")
	return name, said, ok && len(name) <= 80 && !logged.MatchString(name)
}

// isWhatsApp reports whether a text begins like a conversation of WhatsApp: with messages, of which at least
// half have an author.
func isWhatsApp(head string) bool {
	messages, authored := 0, 0
	for line := range strings.Lines(head) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if m := said.FindStringSubmatch(line); m != nil {
			messages++
			if _, _, ok := author(m[4]); ok {
				authored++
			}
		} else if messages == 0 {
			return false
		}
	}
	return messages >= 2 && authored > 0 && authored*2 >= messages
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
		author, said, ok := author(m[4])
		if skipped = !ok || len(c.messages) >= maxMessages; skipped {
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
