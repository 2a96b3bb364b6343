package openai

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"docent/payload"
)

// marker is a citation in the text of an answer.
var marker = regexp.MustCompile(`\[(\d{1,4})\]`)

// answer is an answer in the terms of this package.
type answer struct {
	text      string // Markdown
	citations []citation
	usage     Usage
	stopped   bool                // before its end
	message   *payload.RAGMessage // the last one; nil if the agent answered without documents
}

// citation is a marker in the text.
type citation struct {
	start, end int // byte offsets; end is exclusive
	title, url string
}

// Usage counts the tokens of the model; it is 0 for answers without a model.
type Usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// URLCitation says where the text cites which document. The indexes count
// characters.
type URLCitation struct {
	StartIndex int    `json:"start_index"`
	EndIndex   int    `json:"end_index"`
	Title      string `json:"title"`
	URL        string `json:"url" doc:"The document's address, or its file at this server."`
}

// ofFrames returns the answer of a turn in a session.
func ofFrames(frames []payload.Frame, q question) (answer, error) {
	var a answer
	for _, f := range frames {
		var err error
		switch f.Action {
		case payload.ReplyRAG:
			var m payload.RAGMessage
			err = json.Unmarshal(f.Message, &m)
			a.add(m, q.origin)
		case payload.ReplyStr, payload.ReplyMarkdown, payload.ReplyHTML:
			var text string
			err = json.Unmarshal(f.Message, &text)
			a.append(text)
		case payload.ReplyOptions:
			var options payload.Options
			err = json.Unmarshal(f.Message, &options)
			for i := range options {
				options[i] = "- " + options[i]
			}
			a.append(strings.Join(options, "\n"))
		case payload.TurnFinishedAction:
			var end payload.TurnFinished
			err = json.Unmarshal(f.Message, &end)
			a.stopped = end.Outcome == payload.Stopped
			if u := end.Usage; u != nil {
				a.usage = Usage{u.PromptTokens, u.CompletionTokens, u.PromptTokens + u.CompletionTokens}
			}
		}
		if err != nil {
			return answer{}, fmt.Errorf("frame %s: %w", f.Action, err)
		}
	}
	a.cut(q.stops)
	return a, nil
}

// append adds a paragraph and returns its offset.
func (a *answer) append(text string) int {
	if a.text != "" && text != "" {
		a.text += "\n\n"
	}
	a.text += text
	return len(a.text) - len(text)
}

// add adds an answer from documents with its citations.
func (a *answer) add(m payload.RAGMessage, origin string) {
	offset := a.append(m.Answer)
	a.message = &m
	for _, s := range m.Sentences {
		if s.Start < 0 || s.Start > s.End || s.End > len(m.Answer) {
			continue
		}
		for _, at := range marker.FindAllStringSubmatchIndex(m.Answer[s.Start:s.End], -1) {
			n, _ := strconv.Atoi(m.Answer[s.Start+at[2] : s.Start+at[3]]) // only digits
			if n < 1 || n > len(m.Docs) || !slices.Contains(s.Docs, n) {
				continue
			}
			if m.Docs[n-1].Metadata.File != 0 { // a file of the conversation has no address
				continue
			}
			start := offset + s.Start
			a.citations = append(a.citations, citation{
				start + at[0], start + at[1], m.Docs[n-1].Metadata.Title, address(m.Docs[n-1].Metadata, origin),
			})
		}
	}
}

// address returns the URL of a document.
func address(m payload.RAGMetadata, origin string) string {
	if strings.HasPrefix(m.Source, "https://") || strings.HasPrefix(m.Source, "http://") {
		return m.Source
	}
	url := fmt.Sprintf("%s/api/documents/%d/file", origin, m.DocumentID)
	if m.Page != nil {
		url += fmt.Sprintf("#page=%d", *m.Page+1)
	}
	return url
}

// cut ends the text before the first of some texts.
func (a *answer) cut(stops []string) {
	for _, stop := range stops {
		a.text, _, _ = strings.Cut(a.text, stop)
	}
	a.citations = slices.DeleteFunc(a.citations, func(c citation) bool { return c.end > len(a.text) })
}

// urls returns the citations in OpenAI's format.
func (a *answer) urls() []URLCitation {
	out := []URLCitation{}
	for _, c := range a.citations {
		out = append(out, URLCitation{
			utf8.RuneCountInString(a.text[:c.start]), utf8.RuneCountInString(a.text[:c.end]), c.title, c.url,
		})
	}
	return out
}

// rest returns the text after the sent one. If the sent text turned out to be reasoning
// of the model, the whole answer follows it.
func (a *answer) rest(sent string) string {
	if rest, ok := strings.CutPrefix(a.text, sent); ok {
		return rest
	}
	return "\n\n" + a.text
}
