package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"docent/agent/tool"
	"docent/internal/fault"
	"docent/llm"
)

// repairs is how often a model may correct an answer that does not fit its shape.
const repairs = 2

// AskInto asks the default model for an object and stores it in v, a pointer to a struct. The fields have the tags of
// [tool.New]: their names in JSON, descriptions, and allowed values. The model may correct a wrong answer twice. Then AskInto
// fails with fault.Unavailable, and v is unchanged.
func (s *Session) AskInto(ctx context.Context, prompt string, v any) error {
	t := reflect.TypeOf(v)
	if t == nil || t.Kind() != reflect.Pointer {
		return fault.New(fault.Internal, "ask_into_no_pointer", "AskInto needs a pointer to a struct")
	}
	shape, err := tool.ShapeOf(t.Elem())
	if err != nil {
		return err //nolint:wrapcheck // the error is complete
	}
	text, err := Ask(ctx, s, AskRequest{Prompt: prompt, Shape: shape})
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(text), v); err != nil {
		return fault.Wrap(fault.Unavailable, err, "answer_unfit", "the model gave no answer that fits; try again")
	}
	return nil
}

// shaped asks for an object of a shape. Wrong answers go back to the model with the reason.
func shaped(ctx context.Context, s *Session, model llm.Model, messages []llm.Message, shape *tool.Shape) (string, error) {
	messages = instructed(messages, fmt.Sprintf(
		"Answer with one JSON object that fits this JSON Schema, and with nothing else:\n%s", shape.Schema()))
	for try := 0; ; try++ {
		text, err := writtenBy(ctx, s, model, llm.Request{Messages: messages, JSON: true}, false)
		if err != nil {
			return "", err
		}
		object, wrong := shape.Read(text)
		if wrong == nil {
			return string(object), nil
		}
		if try == repairs {
			return "", fault.Wrap(fault.Unavailable, wrong, "answer_unfit", "the model gave no answer that fits; try again")
		}
		messages = append(messages, llm.Text(llm.Assistant, text),
			llm.Text(llm.User, wrong.Error()+". Answer again, with the JSON object alone."))
	}
}

// instructed adds a text to the system message.
func instructed(messages []llm.Message, text string) []llm.Message {
	if len(messages) > 0 && messages[0].Role == llm.System {
		first := llm.Text(llm.System, strings.TrimSpace(messages[0].Text+"\n\n"+text))
		return append([]llm.Message{first}, messages[1:]...)
	}
	return append([]llm.Message{llm.Text(llm.System, text)}, messages...)
}
