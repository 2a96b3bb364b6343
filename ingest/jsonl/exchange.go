package jsonl

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
)

// exchange is a line of a file of questions and answers, or of messages, as people keep
// them for chat assistants.
type exchange struct {
	Question    string `json:"question"`
	Answer      any    `json:"answer"`
	Prompt      any    `json:"prompt"`
	Completion  string `json:"completion"`
	Response    string `json:"response"`
	Instruction string `json:"instruction"`
	Input       string `json:"input"`
	Output      string `json:"output"`
	Messages    []turn `json:"messages"`
	Turns       []turn `json:"conversations"`
}

// turn is a message of a dialog.
type turn struct {
	Role    string `json:"role"`
	From    string `json:"from"`
	Content any    `json:"content"`
	Value   string `json:"value"`
}

// dialog returns a line as text, with the question as its title. It returns "" for other
// lines.
func dialog(line []byte) (title, text string) {
	var e exchange
	if json.Unmarshal(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), &e) != nil {
		return "", ""
	}
	prompt, _ := e.Prompt.(string)
	answer, _ := e.Answer.(string)
	question := cmp.Or(e.Question, prompt, strings.TrimSpace(e.Instruction+"\n"+e.Input))
	answer = cmp.Or(answer, e.Completion, e.Response, e.Output)
	if question != "" && answer != "" {
		return question, question + "\n\n" + answer
	}
	var parts []string
	for _, t := range append(e.Messages, e.Turns...) {
		content, _ := t.Content.(string)
		said, who := strings.TrimSpace(cmp.Or(content, t.Value)), cmp.Or(t.Role, t.From)
		if said == "" || who == "system" {
			continue
		}
		if who == "" { // an export of a chat program, which has its own reader
			return "", ""
		}
		if title == "" {
			title, _, _ = strings.Cut(said, "\n")
		}
		parts = append(parts, who+": "+said)
	}
	return title, strings.Join(parts, "\n\n")
}
