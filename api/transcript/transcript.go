// Package transcript writes conversations as readable Markdown. Questions become
// headings, answers include their sources, and tables stay tables. The content of
// a message cannot break the layout of the document.
package transcript

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/payload"
	"docent/rag/order"
)

// Bounds of an export as Markdown.
const (
	// maxHeadline bounds a heading, which is the beginning of a question, in
	// characters.
	maxHeadline = 80
	// maxRows and maxColumns bound a table.
	maxRows    = 50
	maxColumns = 12
	// maxCell bounds a cell, in characters.
	maxCell = 120
	// maxJSON bounds an object that is shown as JSON, in bytes.
	maxJSON = 4 << 10
)

// layout is the format of times.
const layout = "2 January 2006, 15:04 UTC"

func writtenTime(t time.Time) string { return t.UTC().Format(layout) }

// Read returns a page of the messages after a seq, oldest first. At the end, the
// page is empty.
type Read func(after int64) ([]chat.Message, error)

// Write writes a conversation page by page, without the reasoning steps.
func Write(w io.Writer, record journal.SessionRecord, read Read) error {
	title := inline(record.Name)
	if title == "" {
		title = "Conversation of " + record.CreatedAt.UTC().Format("2 January 2006")
	}
	_, err := fmt.Fprintf(w, "# %s\n\n*A conversation with %s, begun on %s and used last on %s.*\n",
		title, inline(record.Key.Agent), writtenTime(record.CreatedAt), writtenTime(record.UpdatedAt))
	if err != nil {
		return fmt.Errorf("transcript: %w", err)
	}
	for after := int64(0); ; {
		page, err := read(after)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, m := range page {
			text := told(m)
			if m.IsUser {
				text = asked(m)
			}
			if _, err := io.WriteString(w, "\n"+text+"\n"); err != nil {
				return fmt.Errorf("transcript: %w", err)
			}
			after = m.Seq
		}
	}
}

// asked writes a message of the user under its own heading.
func asked(m chat.Message) string {
	heading, body := "Message", ""
	switch text := m.Said(); {
	case m.Type == payload.TypeAudio:
		heading = "Voice message"
	case m.Type == payload.TypeFile:
		heading = "File"
		body = file("File", m.Content)
	case strings.TrimSpace(text) != "":
		heading = headline(text)
		if heading != strings.TrimSpace(text) {
			body = quote(plainLines(text))
		}
	default:
		body = object(m.Content)
	}
	about := writtenTime(m.Time)
	if m.Sender != "" {
		about += ", from another agent"
	}
	if m.Replaces > 0 {
		about += ", in place of what was said before"
	}
	if o, err := payload.ReadAskOptions(m.Content); err == nil && m.Type == payload.TypeJSON && !o.IsZero() {
		about += options(o)
	}
	return strings.TrimRight("## "+inline(heading)+"\n\n*"+about+"*\n\n"+body, "\n")
}

// headline returns the beginning of a text as a heading.
func headline(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(lineBreaks(text)), "\n")
	if utf8.RuneCountInString(line) <= maxHeadline {
		return line
	}
	short := string([]rune(line)[:maxHeadline])
	if at := strings.LastIndexByte(short, ' '); at > maxHeadline/2 {
		short = short[:at]
	}
	return short + "…"
}

func options(o payload.AskOptions) string {
	var b strings.Builder
	if len(o.Collections) > 0 {
		b.WriteString(", in " + inline(strings.Join(o.Collections, ", ")))
	}
	switch n := len(o.Documents); n {
	case 0:
	case 1:
		b.WriteString(", in 1 document")
	default:
		fmt.Fprintf(&b, ", in %d documents", n)
	}
	if o.Model != "" {
		b.WriteString(", by " + inline(o.Model))
	}
	if o.K != 0 {
		fmt.Fprintf(&b, ", from %d passages", o.K)
	}
	return b.String()
}

// told writes a message of the agent.
func told(m chat.Message) string {
	switch m.Type {
	case payload.TypeStr, payload.TypeJSON:
		if text, ok := textOf(m.Content); ok {
			return strings.Join(plainLines(text), "\n")
		}
	case payload.TypeMarkdown:
		if text, ok := textOf(m.Content); ok {
			return contained(text)
		}
	case payload.TypeHTML:
		if text, ok := textOf(m.Content); ok {
			return code("html", text)
		}
	case payload.TypeRAG:
		var a payload.RAGMessage
		if json.Unmarshal(m.Content, &a) == nil {
			return answer(order.ByCitation(a))
		}
	case payload.TypeFile:
		return file("File", m.Content)
	case payload.TypeImage:
		return "*Image*"
	case payload.TypeAudio:
		return "*Sound*"
	case payload.TypeDataFrame:
		var d payload.DataFrame
		if d.UnmarshalJSON(m.Content) == nil {
			return table(d)
		}
	case payload.TypePlotly:
		return "*Chart" + chartTitle(m.Content) + "*"
	case payload.TypeOptions:
		var o payload.Options
		if o.UnmarshalJSON(m.Content) == nil && len(o) > 0 {
			for i, label := range o {
				o[i] = "- " + inline(label)
			}
			return "*To choose from:*\n\n" + strings.Join(o, "\n")
		}
	case payload.TypeLocation:
		var l payload.Location
		if json.Unmarshal(m.Content, &l) == nil {
			return fmt.Sprintf("*Place: %g, %g*", l.Latitude, l.Longitude)
		}
	case payload.TypeUI, payload.TypeGUI:
		return "*User interface*"
	}
	return object(m.Content)
}

func textOf(content json.RawMessage) (string, bool) {
	var text *string
	if json.Unmarshal(content, &text) != nil || text == nil {
		return "", false
	}
	return *text, true
}

// object writes a message of a type without a better form.
func object(content json.RawMessage) string {
	if len(content) > maxJSON {
		return fmt.Sprintf("*Data (%s)*", bytesOf(len(content)))
	}
	return code("json", string(content))
}

// file writes the name of a file.
func file(what string, content json.RawMessage) string {
	f, err := payload.DecodeFile(content)
	if err != nil {
		return "*" + what + "*"
	}
	return fmt.Sprintf("*%s: %s (%s, %s)*", what, inline(f.Name), inline(f.Type), bytesOf(len(f.Base64)/4*3))
}

// bytesOf returns a size for people.
func bytesOf(n int) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// answer writes an answer with its sources.
func answer(a payload.RAGMessage) string {
	var b strings.Builder
	b.WriteString(contained(a.Answer))
	if a.Stopped {
		b.WriteString("\n\n*(stopped)*")
	}
	cited := map[int]bool{}
	for _, s := range a.Sentences {
		for _, n := range s.Docs {
			cited[n] = true
		}
	}
	first := true
	for i, d := range a.Docs {
		if (len(a.Sentences) > 0 || a.Stopped) && !cited[i+1] || a.Abstained {
			continue
		}
		if first {
			b.WriteString("\n\n**Sources**\n")
		}
		first = false
		fmt.Fprintf(&b, "\n- [%d] %s", i+1, source(d.Metadata))
	}
	b.WriteString(doubts(a))
	return b.String()
}

// shortSource returns a source as the page shows it. For a file this is its
// folder and name, because readers must not learn the server's directories.
func shortSource(source string) string {
	if strings.HasPrefix(source, "http://") || strings.HasPrefix(source, "https://") {
		return source
	}
	for _, kind := range []string{"upload:", "stdin:"} {
		source = strings.TrimPrefix(source, kind)
	}
	parts := strings.FieldsFunc(source, func(r rune) bool { return r == '/' || r == '\\' && !strings.HasPrefix(source, "/") })
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}

// source describes the origin of a passage.
func source(m payload.RAGMetadata) string {
	parts := []string{"**" + inline(m.Title) + "**"}
	if m.Title == "" {
		parts = nil
	}
	if m.Heading != "" {
		parts = append(parts, inline(m.Heading))
	}
	switch {
	case m.PageLabel != nil && *m.PageLabel != "":
		parts = append(parts, "page "+inline(*m.PageLabel))
	case m.Page != nil:
		parts = append(parts, "page "+strconv.Itoa(*m.Page+1))
	}
	if short := shortSource(m.Source); short != "" && short != m.Title {
		parts = append(parts, inline(short))
	}
	return strings.Join(parts, ", ")
}

// table writes a table; of a large table, its beginning.
func table(d payload.DataFrame) string {
	columns, rows := d.Columns(), d.Rows()
	shown := columns[:min(len(columns), maxColumns)]
	if len(shown) == 0 {
		return "*Empty table*"
	}
	var b strings.Builder
	line := func(cell func(payload.Column) string) {
		b.WriteByte('|')
		for _, c := range shown {
			b.WriteString(" " + cell(c) + " |")
		}
		b.WriteByte('\n')
	}
	line(func(c payload.Column) string { return inline(shortCell(c.Name)) })
	line(func(payload.Column) string { return "---" })
	for i := range min(rows, maxRows) {
		line(func(c payload.Column) string {
			switch v := c.Values[i].(type) {
			case nil:
				return ""
			case string:
				return inline(shortCell(v))
			default:
				text, err := json.Marshal(v)
				if err != nil { // it comes from JSON
					return ""
				}
				return inline(shortCell(string(text)))
			}
		})
	}
	var more []string
	if rows > maxRows {
		more = append(more, fmt.Sprintf("%d of %d rows", maxRows, rows))
	}
	if len(columns) > len(shown) {
		more = append(more, fmt.Sprintf("%d of %d columns", len(shown), len(columns)))
	}
	if len(more) > 0 {
		b.WriteString("\n*" + strings.Join(more, ", ") + "*")
	}
	return strings.TrimRight(b.String(), "\n")
}

func shortCell(text string) string {
	if utf8.RuneCountInString(text) <= maxCell {
		return text
	}
	return string([]rune(text)[:maxCell-1]) + "…"
}

// chartTitle returns the title of a chart after a colon; empty without one.
func chartTitle(content json.RawMessage) string {
	var f payload.Figure
	if f.UnmarshalJSON(content) != nil {
		return ""
	}
	raw, _ := f.Value.([]byte)
	if m, ok := f.Value.(json.RawMessage); ok {
		raw = m
	}
	var figure struct {
		Layout struct {
			Title json.RawMessage `json:"title"`
		} `json:"layout"`
	}
	if json.Unmarshal(raw, &figure) != nil {
		return ""
	}
	var title struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(figure.Layout.Title, &title.Text) != nil && json.Unmarshal(figure.Layout.Title, &title) != nil || title.Text == "" {
		return ""
	}
	return ": " + inline(title.Text)
}
