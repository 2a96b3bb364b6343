package pipeline

import (
	"embed"
	"fmt"
	"strings"
	"text/template"

	"docent/llm"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/talk"
	"docent/rag/text"
)

//go:embed prompts
var promptFiles embed.FS

// DefaultPrompts is the default version of the prompts. It is the first one, because the
// measured figures favor no version. See docs/explanation/evaluation.md.
const DefaultPrompts = "1"

// promptVersions are the prompts of each version. They ask a model to answer.
// Answers record the version, so a version never changes.
var promptVersions = map[string]*template.Template{
	"1": parsePrompts("1"),
	"2": parsePrompts("2"),
	"3": parsePrompts("3"),
	"4": parsePrompts("4"),
}

// searchPrompts ask a model for a text to search for.
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
	// Text is the passage.
	Text string
}

// answerMessages returns the messages that ask a model to answer.
func answerMessages(prompts *template.Template, req rag.Request, results []retrieve.Result) ([]llm.Message, error) {
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
	system, err := fill(prompts, "system", struct{ Instruction string }{instruction})
	if err != nil {
		return nil, err
	}
	passages := make([]shownPassage, len(results))
	for i, r := range results {
		source := corpus.HeadingLine(r.Passage.Document.Title, r.Passage.Headings)
		passages[i] = shownPassage{i + 1, text.Attribute(source), text.Enclosed(r.Passage.Text)}
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
