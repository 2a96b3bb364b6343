// Package chat reads exported conversations of chat programs and chat assistants.
package chat

import (
	"cmp"
	"html"
	"slices"
	"strings"
	"time"

	"docent/ingest/outline"
	"docent/internal/lazyregexp"
)

const (
	// maxMessages bounds the messages of a conversation.
	maxMessages = 500_000
	// pause is the time without messages after which another topic begins.
	pause = 2 * time.Hour
)

// message is a message of a conversation.
type message struct {
	author, text string
	at           time.Time // zero if unknown
	day          string    // as the export writes it, if at is unknown
	clock        string
	thread       string // key of the message that it answers, or its own
}

// conversation is a list of messages.
type conversation struct {
	title    string
	messages []message
}

// add adds a conversation to a document. Days and long pauses begin sections.
func (c *conversation) add(b *outline.Builder, level int) {
	if n := len(c.messages); n > 1 && !c.messages[n-1].at.IsZero() && c.messages[0].at.After(c.messages[n-1].at) { // the newest is first
		slices.SortStableFunc(c.messages, func(a, b message) int { return a.at.Compare(b.at) })
	}
	c.joinThreads()
	var last message
	for i, m := range c.messages {
		text := strings.TrimSpace(m.text)
		if text == "" {
			continue
		}
		day := m.dayName()
		switch {
		case day != "" && day != last.dayName():
			b.Add(outline.Heading, level, "\n\n", day)
		case i > 0 && !m.at.IsZero() && !last.at.IsZero() && m.at.Sub(last.at) > pause:
			b.Add(outline.Heading, level+1, "\n\n", m.time())
		}
		front := m.author
		if clock := m.time(); clock != "" {
			front = strings.TrimSpace(front + " (" + clock + ")")
		}
		if front != "" {
			text = front + ": " + text
		}
		b.Add(outline.Paragraph, 0, "\n\n", text)
		last = m
	}
}

// joinThreads puts the answers to a message after it.
func (c *conversation) joinThreads() {
	if !slices.ContainsFunc(c.messages, func(m message) bool { return m.thread != "" }) {
		return
	}
	first := map[string]int{}
	order := make([]int, len(c.messages))
	for i, m := range c.messages {
		order[i] = i
		if at, ok := first[m.thread]; ok && m.thread != "" {
			order[i] = at
		} else if m.thread != "" {
			first[m.thread] = i
		}
	}
	index := make([]int, len(order))
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(a, b int) int { return cmp.Compare(order[a], order[b]) })
	sorted := make([]message, len(index))
	for i, k := range index {
		sorted[i] = c.messages[k]
	}
	c.messages = sorted
}

func (m message) dayName() string {
	if m.at.IsZero() {
		return m.day
	}
	return m.at.Format("Monday, 2 January 2006")
}

func (m message) time() string {
	if m.at.IsZero() {
		return m.clock
	}
	return m.at.Format("15:04")
}

// document returns conversations as a document.
func document(title string, all []conversation) *outline.Document {
	b := outline.NewBuilder(1 << 16)
	if len(all) == 1 && all[0].title != "" {
		title = all[0].title
	}
	for i := range all {
		level := 1
		if len(all) > 1 {
			b.Add(outline.Heading, 1, "\n\n", cmp.Or(all[i].title, "Conversation"))
			level = 2
		}
		all[i].add(b, level)
	}
	return b.Document(title)
}

// slackMark matches the marks of Slack: links, people, and channels.
var slackMark = lazyregexp.New(`<([^<>|\n]{1,500})(?:\|([^<>\n]{0,300}))?>`)

// slackText returns the text of a message of Slack.
func slackText(text string) string {
	text = slackMark.ReplaceAllStringFunc(text, func(mark string) string {
		parts := slackMark.FindStringSubmatch(mark)
		target, label := parts[1], parts[2]
		switch {
		case strings.HasPrefix(target, "@"):
			return cmp.Or(strings.TrimPrefix(label, "@"), target[1:])
		case strings.HasPrefix(target, "#"):
			return "#" + cmp.Or(label, target[1:])
		case strings.HasPrefix(target, "!"):
			return "@" + target[1:]
		case label == "" || label == target:
			return strings.TrimPrefix(target, "mailto:")
		}
		return label + " (" + target + ")"
	})
	return html.UnescapeString(text)
}
