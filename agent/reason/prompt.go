package reason

import (
	"context"
	"embed"
	"fmt"
	"strings"
	"text/template"
	"unicode/utf8"

	"docent/agent"
	"docent/rag"
	"docent/rag/pipeline"
	"docent/rag/talk"

	"docent/llm"
	words "docent/rag/text"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = template.Must(template.ParseFS(promptFiles, "prompts/*.tmpl"))

// fill renders a prompt without surrounding white space.
func fill(name string, data any) (string, error) {
	var b strings.Builder
	if err := prompts.ExecuteTemplate(&b, name+".tmpl", data); err != nil {
		return "", fmt.Errorf("prompt %s: %w", name, err)
	}
	return strings.TrimSpace(b.String()), nil
}

// Limits of the model's input. With them, the longest run fits a context of 16,000 tokens.
const (
	// outputTokens limits the output of one tool call.
	outputTokens = 2000
	// stepTokens limits all outputs of one step.
	stepTokens = 4000
	// runTokens limits all outputs of a run. Beyond it, the oldest outputs are cut to remainderTokens.
	runTokens       = 8000
	remainderTokens = 100
	// skillsBytes limits the size of skills in a prompt, and maxSkills their number.
	skillsBytes = 16 << 10
	maxSkills   = 3
)

// prepare collects the model's input from outside of the run.
func (u *run) prepare(ctx context.Context) error {
	if u.o.Skills != nil {
		skills, err := u.o.Skills.Relevant(ctx, u.question, maxSkills)
		if err != nil {
			return fmt.Errorf("choose skills: %w", err)
		}
		var blocks []string
		for _, s := range skills {
			blocks = append(blocks, s.Prompt())
		}
		u.skills = words.Head(strings.Join(blocks, "\n\n"), skillsBytes)
	}
	u.context, u.wishes = agent.ModelContext(u.s), agent.WishesOf(ctx, u.s)
	if u.answered != nil { // it has the conversation from before the question
		return nil
	}
	u.before = nil
	if u.o.HistoryTokens > 0 {
		turns, err := u.s.Turns(ctx, 0)
		if err != nil {
			return fmt.Errorf("history: %w", err)
		}
		u.before = u.history(turns)
	}
	u.before = append(u.before, llm.Text(llm.User, u.question))
	return nil
}

// history returns the newest earlier messages that fit, oldest first.
func (r *reasoner) history(turns []talk.Turn) []llm.Message {
	left, first := r.o.HistoryTokens, len(turns)
	texts := make([]string, len(turns))
	for i := len(turns) - 1; i >= 0; i-- {
		if texts[i] = turns[i].Text; turns[i].Role == talk.Assistant {
			texts[i] = words.Unmarked(texts[i]) // the numbers meant passages that are not shown now
		}
		if left -= r.static.Count(texts[i]); left < 0 {
			break
		}
		first = i
	}
	var out []llm.Message
	for i := first; i < len(turns); i++ {
		role := llm.User
		if turns[i].Role == talk.Assistant {
			role = llm.Assistant
		}
		if strings.TrimSpace(texts[i]) != "" {
			out = append(out, llm.Text(role, texts[i]))
		}
	}
	return out
}

// system returns the system prompt of a step.
func (u *run) system(ctx context.Context) (string, error) {
	base := u.o.System
	if u.o.SystemOf != nil {
		base = words.Head(u.o.SystemOf(u.s), rag.MaxPromptBytes)
	}
	if base == "" {
		var err error
		if base, err = fill("base", nil); err != nil {
			return "", err
		}
	}
	if u.context != "" {
		base += "\n\n" + u.context
	}
	spaces := ""
	if u.o.Workspaces != nil {
		spaces = u.o.Workspaces.Describe(ctx)
	}
	wishes, err := pipeline.WishesText(u.wishes)
	if err != nil {
		return "", err //nolint:wrapcheck // it names the prompt
	}
	return fill("system", struct {
		Base, Skills, Workspaces  string
		Wishes                    string
		Documents, Planning, Last bool
		Tasks                     []string
	}{base, u.skills, spaces, wishes, u.o.Knowledge != nil, !u.o.NoPlanning, u.last(), u.tasks.lines()})
}

// cut shortens a tool's output to a number of tokens and adds a note.
func (r *reasoner) cut(text string, tokens int) string {
	whole := utf8.RuneCountInString(text)
	short := words.Head(text, 8*tokens) // a token rarely has more bytes
	for r.static.Count(short) > tokens {
		short = words.Head(short, len(short)-max(len(short)/8, 1))
	}
	if short == text {
		return text
	}
	return fmt.Sprintf("%s\n[cut: %d of %d characters are shown]", short, utf8.RuneCountInString(short), whole)
}

// fit cuts old outputs until all outputs of a run fit. It keeps those of the last step, because the model has not seen
// them yet.
func (u *run) fit() {
	fresh := len(u.messages)
	for fresh > 0 && u.messages[fresh-1].Role == llm.ToolResult {
		fresh--
	}
	total := 0
	for i := len(u.messages) - 1; i >= 0; i-- {
		if u.messages[i].Role != llm.ToolResult {
			continue
		}
		result := &u.messages[i]
		n := u.static.Count(result.Text)
		if i < fresh && total+n > runTokens {
			result.Text = u.cut(result.Text, remainderTokens)
			n = u.static.Count(result.Text)
		}
		total += n
	}
}

// shortened returns a text for a step: 4000 characters and a note, as in BAF.
func shortened(text string) string {
	n := utf8.RuneCountInString(text)
	if n <= maxStepText {
		return text
	}
	i := 0
	for at := range text {
		if i == maxStepText {
			text = text[:at]
			break
		}
		i++
	}
	return fmt.Sprintf("%s\n[truncated: %d characters in all]", text, n)
}
