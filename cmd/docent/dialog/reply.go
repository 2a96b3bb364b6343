package dialog

import (
	"encoding/json"
	"fmt"
	"strings"

	"docent/agent/intent"
	"docent/payload"
	words "docent/rag/text"
)

// noIntent is the name of the prediction without an intent.
const noIntent = intent.Fallback

// maxShown bounds the JSON that is shown of a reply, in bytes.
const maxShown = 2000

// Text returns a reply as text. The numbers of cited passages are those of the message.
func Text(action payload.Action, message json.RawMessage) string {
	switch action {
	case payload.ReplyStr, payload.ReplyMarkdown, payload.ReplyHTML:
		var text string
		if json.Unmarshal(message, &text) == nil {
			return text
		}
	case payload.ReplyOptions:
		var labels payload.Options
		if json.Unmarshal(message, &labels) == nil {
			return "options: " + strings.Join(labels, " | ")
		}
	case payload.ReplyDataFrame:
		var frame payload.DataFrame
		if json.Unmarshal(message, &frame) == nil && len(frame.Columns()) > 0 {
			return table(frame)
		}
	case payload.ReplyRAG:
		var answer payload.RAGMessage
		if json.Unmarshal(message, &answer) == nil {
			return cited(answer)
		}
	case payload.ReplyReasoningStep:
		var step payload.ReasoningStep
		if json.Unmarshal(message, &step) == nil {
			return fmt.Sprintf("[%s] %s", step.Kind, step.Summary)
		}
	case payload.ReplyFile:
		var file payload.File
		if json.Unmarshal(message, &file) == nil {
			return fmt.Sprintf("[file %s, %s]", file.Name, file.Type)
		}
	case payload.ReplyImage, payload.ReplyAudio:
		return "[" + strings.TrimPrefix(string(action), "agent_reply_") + "]"
	}
	text := string(message)
	var inner string
	if json.Unmarshal(message, &inner) == nil { // such as a table
		text = inner
	}
	if len(text) > maxShown {
		text = words.Head(text, maxShown) + "…"
	}
	return "[" + strings.TrimPrefix(string(action), "agent_reply_") + "] " + text
}

// maxRows bounds the shown rows of a table.
const maxRows = 100

// table returns a table in Markdown, or its first rows.
func table(d payload.DataFrame) string {
	var b strings.Builder
	line := func(cell func(payload.Column) string) {
		for _, c := range d.Columns() {
			b.WriteString("| " + cellText.Replace(cell(c)) + " ")
		}
		b.WriteString("|\n")
	}
	line(func(c payload.Column) string { return c.Name })
	line(func(payload.Column) string { return "---" })
	for i := range min(d.Rows(), maxRows) {
		line(func(c payload.Column) string {
			if c.Values[i] == nil {
				return ""
			}
			return fmt.Sprint(c.Values[i])
		})
	}
	if d.Rows() > maxRows {
		fmt.Fprintf(&b, "\n%d of %d rows\n", maxRows, d.Rows())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

var cellText = strings.NewReplacer("|", `\|`, "\n", " ")

// cited returns an answer with the titles of its cited passages.
func cited(a payload.RAGMessage) string {
	text := strings.TrimSpace(a.Answer)
	seen := map[int]bool{}
	for _, s := range a.Sentences {
		for _, n := range s.Docs {
			if n >= 1 && n <= len(a.Docs) && !seen[n] {
				seen[n] = true
				text += fmt.Sprintf("\n[%d] %s", n, a.Docs[n-1].Metadata.Title)
			}
		}
	}
	return text
}
