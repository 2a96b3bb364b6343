package pipeline

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
	"time"

	"docent/llm"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/talk"
	"docent/rag/text"
)

//go:embed prompts
var promptFiles embed.FS

// DefaultPrompts is the default version of the prompts. It is the first one with dates, because
// the measured figures favor none of the earlier ones. See docs/explanation/evaluation-details.md.
const DefaultPrompts = "5"

// promptVersions are the prompts of each version. They ask a model to answer.
// Answers record the version, so a version never changes.
var promptVersions = map[string]*template.Template{
	"1": parsePrompts("1"),
	"2": parsePrompts("2"),
	"3": parsePrompts("3"),
	"4": parsePrompts("4"),
	"5": parsePrompts("5"),
}

// searchPrompts ask a model for a text to search for, and tell it the wishes of the user.
var searchPrompts = template.Must(template.ParseFS(promptFiles, "prompts/*.tmpl"))

func parsePrompts(version string) *template.Template {
	return template.Must(template.ParseFS(promptFiles, "prompts/"+version+"/*.tmpl"))
}

// fill renders a prompt, without space around it.
func fill(prompts *template.Template, name string, data any) (string, error) {
	var b strings.Builder
	if err := prompts.ExecuteTemplate(&b, name+".tmpl", data); err != nil {
		return "", fmt.Errorf("prompt %s: %w", name, err)
	}
	return strings.TrimSpace(b.String()), nil
}

// maxTurnBytes limits an earlier message in a prompt.
const maxTurnBytes = 4 << 10

// shownPassage is a passage in a prompt.
type shownPassage struct {
	// Number is the number that cites the passage.
	Number int
	// Source is its title and heading path.
	Source string
	// File is the name of its file or the address of its page.
	File string
	// Date is the day that its document states, and FileTime the day of its file if it states none.
	Date, FileTime string
	// Version is the version that its document states.
	Version string
	// Text is the passage.
	Text string
}

// shownAs returns a result as the passage with a number.
func shownAs(number int, r retrieve.Result) shownPassage {
	d := r.Passage.Document
	p := shownPassage{
		Number: number, Source: text.Attribute(corpus.HeadingLine(d.Title, r.Passage.Headings)),
		File: text.Attribute(corpus.ShortSource(d.Source)), Date: d.Day(), Version: text.Attribute(d.Version),
		Text: text.Enclosed(r.Passage.Text),
	}
	if d.DateFrom == corpus.FileTime {
		p.Date, p.FileTime = "", p.Date
	}
	return p
}

// WishesText returns the part of an instruction to a model with the wishes of the user, or "" without any.
func WishesText(w rag.Wishes) (string, error) {
	if w == (rag.Wishes{}) {
		return "", nil
	}
	w.Language, w.Instructions = rag.LanguageName(w.Language), text.Enclosed(strings.TrimSpace(w.Instructions))
	return fill(searchPrompts, "wishes", w)
}

// answerMessages returns the messages that ask a model to answer. now tells it the day.
func answerMessages(
	prompts *template.Template, now time.Time, req rag.Request, wishes rag.Wishes, results []retrieve.Result,
) ([]llm.Message, error) {
	instruction := strings.TrimSpace(req.Prompt)
	if instruction == "" {
		var err error
		if instruction, err = fill(prompts, "instruction", nil); err != nil {
			return nil, err
		}
	}
	if req.Context != "" {
		instruction += "\n\n" + req.Context
	}
	system, err := fill(prompts, "system", struct{ Instruction, Today string }{instruction, now.Format("Monday, 2006-01-02")})
	if err != nil {
		return nil, err
	}
	wanted, err := WishesText(wishes)
	if err != nil {
		return nil, err
	}
	if wanted != "" {
		system += "\n\n" + wanted
	}
	passages := make([]shownPassage, len(results))
	for i, r := range results {
		passages[i] = shownAs(i+1, r)
	}
	user, err := fill(prompts, "question", struct {
		Passages []shownPassage
		Question string
	}{passages, req.Question})
	if err != nil {
		return nil, err
	}
	messages := []llm.Message{llm.Text(llm.System, system)}
	for _, t := range shownTurns(req.Turns) {
		role := llm.User
		if t.Role == talk.Assistant {
			role = llm.Assistant
		}
		messages = append(messages, llm.Text(role, t.Text))
	}
	return append(messages, llm.Text(llm.User, user)), nil
}

// rewriteMessages returns the messages that ask a model to rewrite a question
// so that it stands on its own.
func rewriteMessages(req rag.Request) ([]llm.Message, error) {
	text, err := fill(searchPrompts, "rewrite", struct {
		Turns    []talk.Turn
		Question string
	}{shownTurns(req.Turns), req.Question})
	if err != nil {
		return nil, err
	}
	return []llm.Message{llm.Text(llm.User, text)}, nil
}

// shownTurns returns the earlier messages for a prompt. It shortens them and removes their citation markers, because those
// numbers meant other passages.
func shownTurns(turns []talk.Turn) []talk.Turn {
	var out []talk.Turn
	for _, t := range turns {
		s := t.Text
		if t.Role == talk.Assistant {
			s = text.Unmarked(s)
		}
		if s = strings.TrimSpace(text.Cut(s, maxTurnBytes)); s != "" {
			out = append(out, talk.Turn{Role: t.Role, Text: s})
		}
	}
	return out
}
