package openai

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxTitle limits a title that docent makes of the first message, in characters.
const maxTitle = 60

// task is a prompt by which a chat client asks for something beside the conversation, such
// as a title. It is no question about documents.
type task struct {
	prompt string
	// key is the key of the answer, which is a JSON object; "" for a text.
	key string
	// written says that a model may write the answer.
	written bool
	// begins is the beginning of a prompt without a heading.
	begins string
}

// tasks are those of Open WebUI. Their prompts name the key in an example of the output.
var tasks = []task{
	{key: "title", written: true},
	{key: "tags", written: true},
	{key: "follow_ups", written: true},
	{key: "queries"}, // docent searches its documents for each question anyway
	{key: "text"},    // completions while the user writes
	{key: "prompt"},  // of a picture
	{written: true, begins: "Your task is to reflect the speaker's likely facial expression through a fitting emoji"},
	{written: true, begins: "You have been provided with a set of responses from various models"},
}

// toolChoice begins the system message by which Open WebUI asks for calls of its own tools. docent calls none of them.
const toolChoice = "Available Tools:"

// choosesTools reports whether messages ask for calls of tools in a text.
func choosesTools(messages []Message) bool {
	if len(messages) == 0 || messages[0].Role != "system" {
		return false
	}
	text, err := textOf(messages[0].Content, true)
	return err == nil && strings.HasPrefix(text, toolChoice)
}

// taskOf returns the task of a prompt. Most of Open WebUI's prompts begin with a heading and
// contain the conversation or the begun text in tags.
func taskOf(text string) (task, bool) {
	text = strings.TrimSpace(text)
	for _, t := range tasks {
		if t.begins != "" && strings.HasPrefix(text, t.begins) {
			t.prompt = text
			return t, true
		}
	}
	if !strings.HasPrefix(text, "### Task:") ||
		!strings.Contains(text, "<chat_history>") && !strings.Contains(text, "You are an autocompletion system") {
		return task{}, false
	}
	instruction, _, _ := strings.Cut(text, "<chat_history>")
	for _, t := range tasks {
		if t.key != "" && regexp.MustCompile(`\{\s*"`+t.key+`"\s*:`).MatchString(instruction) {
			t.prompt = text
			return t, true
		}
	}
	return task{}, false
}

// answerTask answers a task with a model, or without one if that fails.
func (s server) answerTask(ctx context.Context, t task) (answer, error) {
	if t.written && s.Write != nil {
		written, err := s.Write(ctx, t.prompt)
		if ctx.Err() != nil {
			return answer{}, ctx.Err()
		}
		if object, ok := objectWith(written, t.key); err == nil && ok {
			return answer{text: object}, nil
		}
		if t.key == "" && err == nil {
			return answer{text: strings.TrimSpace(written)}, nil
		}
	}
	if t.key == "" {
		_, responses, _ := strings.Cut(t.prompt, "\nResponses from models:")
		return answer{text: strings.TrimSpace(responses)}, nil
	}
	var value any = []string{} // also for the calls of tools
	switch t.key {
	case "title":
		value = titleOf(t.prompt)
	case "text", "prompt":
		value = ""
	}
	object, err := json.Marshal(map[string]any{t.key: value})
	return answer{text: string(object)}, err
}

// objectWith returns the JSON object with a key in a text of a model.
func objectWith(text, key string) (string, bool) {
	start, end := strings.Index(text, "{"), strings.LastIndex(text, "}")
	if start < 0 || end < start {
		return "", false
	}
	var object map[string]any
	if json.Unmarshal([]byte(text[start:end+1]), &object) != nil || object[key] == nil {
		return "", false
	}
	return text[start : end+1], true
}

// firstMessage matches the first message of the user in a prompt.
var firstMessage = regexp.MustCompile(`(?s)<chat_history>\s*USER:\s*(.*?)(?:\n(?:ASSISTANT|USER):|</chat_history>)`)

// titleOf returns the beginning of the first message of the user.
func titleOf(prompt string) string {
	found := firstMessage.FindStringSubmatch(prompt)
	if found == nil {
		return ""
	}
	title := strings.Join(strings.Fields(found[1]), " ")
	if utf8.RuneCountInString(title) <= maxTitle {
		return title
	}
	cut := string([]rune(title)[:maxTitle])
	if at := strings.LastIndexByte(cut, ' '); at > 0 {
		cut = cut[:at]
	}
	return cut + "…"
}

// askTask starts the answer of a task.
func (s server) askTask(ctx context.Context, t task) (wait, error) {
	done, err := s.Answers.Slot(ctx, 0)
	if err != nil {
		return nil, err
	}
	return func(func(string)) (answer, error) {
		defer done()
		return s.answerTask(ctx, t)
	}, nil
}
