package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"docent/internal/lazyregexp"
	"docent/internal/openai"
)

// Keys of llms.ContentChoice.GenerationInfo, with langchaingo's names. The counts
// are ints. They are missing if the server did not report them.
const (
	// InfoPromptTokens counts the input tokens.
	InfoPromptTokens = "PromptTokens"
	// InfoCompletionTokens counts the output tokens.
	InfoCompletionTokens = "CompletionTokens"
	// InfoTotalTokens counts both.
	InfoTotalTokens = "TotalTokens"
	// InfoReasoningTokens counts the tokens of reasoning before the answer.
	InfoReasoningTokens = "ReasoningTokens"
	// InfoModel is the name of the model that answered, as the server reports it; a
	// string.
	InfoModel = "Model"
)

// Limits of an answer.
const (
	// maxChoices bounds the choices of an answer.
	maxChoices = 16
	// maxToolCalls bounds the tool calls of a choice.
	maxToolCalls = 128
)

// chunk is one event of a stream. go-openai's own type lacks the reasoning
// field and the error.
type chunk struct {
	Model   word            `json:"model"`
	Choices []chunkChoice   `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
	// The reason of a failure that comes in place of choices.
	Message json.RawMessage `json:"message"`
	Msg     json.RawMessage `json:"msg"`
	Detail  json.RawMessage `json:"detail"`
}

type chunkChoice struct {
	Index        count   `json:"index"`
	Delta        delta   `json:"delta"`
	Message      *delta  `json:"message"` // from a server that does not stream
	Text         content `json:"text"`    // from a server of completions
	FinishReason word    `json:"finish_reason"`
	// Error is the reason of a failure in the middle of an answer, as OpenRouter sends it.
	Error json.RawMessage `json:"error"`
}

// word is a text. Other values count as "".
type word string

// UnmarshalJSON accepts any value.
func (w *word) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*w = word(s)
	}
	return nil
}

// failure returns the error that the server sent in place of choices or in a choice, or nil.
func (c *chunk) failure(raw []byte) error {
	failed := c.Error
	for _, choice := range c.Choices {
		if len(failed) == 0 {
			failed = choice.Error
		}
	}
	if len(failed) > 0 && !bytes.Equal(failed, []byte("null")) {
		code, message := openai.ErrorText(failed)
		return &frameError{code, message}
	}
	if len(c.Choices) > 0 {
		return nil
	}
	for _, said := range []json.RawMessage{c.Message, c.Msg, c.Detail} {
		if len(said) > 0 && !bytes.Equal(said, []byte("null")) {
			code, _ := openai.ErrorText(raw)
			_, message := openai.ErrorText(said)
			return &frameError{code, cmp.Or(message, string(said))}
		}
	}
	return nil
}

type delta struct {
	Content          content         `json:"content"`
	Refusal          content         `json:"refusal"`
	Reasoning        content         `json:"reasoning"`
	ReasoningContent content         `json:"reasoning_content"`
	Thinking         content         `json:"thinking"`
	ReasoningDetails content         `json:"reasoning_details"`
	ToolCalls        []toolCallDelta `json:"tool_calls"`
	FunctionCall     *functionDelta  `json:"function_call"` // of older servers, which make one call
}

// split returns the reasoning and the text. Most servers send one field of reasoning;
// others send several with the same text.
func (d delta) split() (reasoning, text string) {
	for _, c := range []content{d.ReasoningContent, d.Reasoning, d.Thinking, d.ReasoningDetails} {
		if reasoning = c.text + c.reasoning; reasoning != "" {
			break
		}
	}
	return reasoning + d.Content.reasoning, d.Content.text + d.Refusal.text
}

type toolCallDelta struct {
	Index    *count        `json:"index"`
	ID       string        `json:"id"`
	Function functionDelta `json:"function"`
}

type functionDelta struct {
	Name      string    `json:"name"`
	Arguments arguments `json:"arguments"`
}

type usage struct {
	PromptTokens            count        `json:"prompt_tokens"`
	CompletionTokens        count        `json:"completion_tokens"`
	TotalTokens             count        `json:"total_tokens"`
	CompletionTokensDetails tokenDetails `json:"completion_tokens_details"`
}

type tokenDetails struct {
	ReasoningTokens count `json:"reasoning_tokens"`
}

// UnmarshalJSON accepts any value, because an answer is worth more than its counts.
func (u *usage) UnmarshalJSON(data []byte) error {
	type plain usage
	_ = json.Unmarshal(data, (*plain)(u))
	return nil
}

// UnmarshalJSON accepts any value.
func (d *tokenDetails) UnmarshalJSON(data []byte) error {
	type plain tokenDetails
	_ = json.Unmarshal(data, (*plain)(d))
	return nil
}

// count is a number of tokens. Some servers send 5.0 or "5". Other values count as 0,
// because an answer is worth more than its count.
type count int

// UnmarshalJSON accepts any value.
func (c *count) UnmarshalJSON(data []byte) error {
	n, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	if err == nil && n >= 0 && n < math.MaxInt32 {
		*c = count(n)
	}
	return nil
}

// content is a string, null, or a list of parts. Parts of other types than text and
// reasoning do not count.
type content struct{ text, reasoning string }

// UnmarshalJSON accepts all three forms of the value.
func (c *content) UnmarshalJSON(data []byte) error {
	switch {
	case len(data) > 0 && data[0] == '[':
		var parts []content
		if err := json.Unmarshal(data, &parts); err != nil {
			return err
		}
		for _, p := range parts {
			c.text += p.text
			c.reasoning += p.reasoning
		}
		return nil
	case len(data) > 0 && data[0] == '{':
		var part struct {
			Type      string  `json:"type"`
			Text      content `json:"text"`
			Content   content `json:"content"`
			Thinking  content `json:"thinking"`
			Reasoning content `json:"reasoning"`
			Summary   content `json:"summary"`
			// Thought marks a part with reasoning.
			Thought json.RawMessage `json:"thought"`
		}
		if err := json.Unmarshal(data, &part); err != nil {
			return err
		}
		c.reasoning = part.Thinking.all() + part.Reasoning.all() + part.Summary.all()
		if said := part.Text.all() + part.Content.all(); reasoningPart.MatchString(part.Type) || string(part.Thought) == "true" {
			c.reasoning += said
		} else {
			c.text = said
		}
		return nil
	default:
		return json.Unmarshal(data, &c.text)
	}
}

func (c content) all() string { return c.reasoning + c.text }

// reasoningPart matches the types of parts with reasoning.
var reasoningPart = lazyregexp.New(`(?i)think|thought|reason|analysis`)

// arguments are JSON inside a string. A few servers send the value itself.
type arguments string

// UnmarshalJSON accepts both forms of the value.
func (a *arguments) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && (data[0] == '{' || data[0] == '[') {
		*a = arguments(data)
		return nil
	}
	return json.Unmarshal(data, (*string)(a))
}

// sink receives a stream while it arrives.
type sink struct {
	text      func(ctx context.Context, chunk []byte) error
	reasoning func(ctx context.Context, reasoning, chunk []byte) error
	// delivered reports whether the caller has received a piece. Then the call
	// cannot be retried.
	delivered bool
}

// sinkError is the error of a streaming function, which is returned unchanged.
type sinkError struct{ error }

// Unwrap returns the function's error.
func (e sinkError) Unwrap() error { return e.error }

func (s *sink) send(ctx context.Context, reasoning, content string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.text != nil && content != "" {
		s.delivered = true
		if err := s.text(ctx, []byte(content)); err != nil {
			return sinkError{err}
		}
	}
	if s.reasoning != nil && (reasoning != "" || content != "") {
		s.delivered = true
		if err := s.reasoning(ctx, []byte(reasoning), []byte(content)); err != nil {
			return sinkError{err}
		}
	}
	return nil
}

// answer is built from the chunks of a stream.
type answer struct {
	model   string
	usage   *usage
	choices []*choice // by index
}

type choice struct {
	text      strings.Builder
	reasoning strings.Builder
	calls     []*pendingCall
	finish    string
}

type pendingCall struct {
	index     int
	id, name  string
	arguments strings.Builder
}

// frameError is an error that the server sent instead of an event.
type frameError struct{ code, message string }

// Error returns the message of the server.
func (e *frameError) Error() string {
	if e.code == "" {
		return "the server reports: " + e.message
	}
	return fmt.Sprintf("the server reports %s: %s", e.code, e.message)
}

// add adds one event. Only the first choice is streamed, because receivers
// cannot distinguish several.
func (a *answer) add(ctx context.Context, raw []byte, s *sink) error {
	var c chunk
	if err := json.Unmarshal(raw, &c); err != nil {
		return fmt.Errorf("an event is not what it should be: %w", err)
	}
	if err := c.failure(raw); err != nil {
		return err
	}
	if c.Model != "" {
		a.model = string(c.Model)
	}
	if c.Usage != nil && (a.usage == nil || *c.Usage != (usage{})) {
		a.usage = c.Usage
	}
	for _, cc := range c.Choices {
		d := cc.Delta
		if cc.Message != nil {
			d = *cc.Message
		}
		if cc.Index >= maxChoices {
			return fmt.Errorf("choice %d is out of range", cc.Index)
		}
		for len(a.choices) <= int(cc.Index) {
			a.choices = append(a.choices, &choice{})
		}
		ch := a.choices[cc.Index]
		switch strings.ToLower(string(cc.FinishReason)) {
		case "", "null", "none": // some servers write the missing reason as text
		default:
			ch.finish = string(cc.FinishReason) // later empty ones are ignored
		}
		if d.FunctionCall != nil && len(d.ToolCalls) == 0 {
			d.ToolCalls = []toolCallDelta{{Index: new(count), Function: *d.FunctionCall}}
		}
		for _, t := range d.ToolCalls {
			if err := ch.call(t); err != nil {
				return err
			}
		}
		reasoning, content := d.split()
		content += cc.Text.text
		if cc.Message != nil { // it may repeat the text so far
			reasoning = strings.TrimPrefix(reasoning, ch.reasoning.String())
			content = strings.TrimPrefix(content, ch.text.String())
		}
		ch.reasoning.WriteString(reasoning)
		ch.text.WriteString(content)
		if cc.Index == 0 && (reasoning != "" || content != "") {
			if err := s.send(ctx, reasoning, content); err != nil {
				return err
			}
		}
	}
	return nil
}

// call adds a piece of a tool call. Pieces with the same index belong together.
// If the server sends no index, or the same for all calls, the id counts. A
// piece without both belongs to the previous call.
func (c *choice) call(t toolCallDelta) error {
	var p *pendingCall
	for _, q := range slices.Backward(c.calls) {
		same := t.Index == nil && (t.ID != "" && t.ID == q.id || t.ID == "" && t.Function.Name == "") ||
			t.Index != nil && int(*t.Index) == q.index && (t.ID == "" || q.id == "" || t.ID == q.id)
		if same {
			p = q
			break
		}
	}
	if p == nil {
		if len(c.calls) == maxToolCalls {
			return fmt.Errorf("more than %d tool calls", maxToolCalls)
		}
		p = &pendingCall{index: len(c.calls)}
		if t.Index != nil {
			p.index = int(*t.Index)
		}
		c.calls = append(c.calls, p)
	}
	if p.id == "" {
		p.id = t.ID
	}
	if p.name == "" {
		p.name = t.Function.Name // some servers repeat it with each piece
	}
	p.arguments.WriteString(string(t.Function.Arguments))
	return nil
}

var errNoChoices = errors.New("the answer has no choices")

// finished reports whether each choice has its finish reason.
func (a *answer) finished() bool {
	return len(a.choices) > 0 && !slices.ContainsFunc(a.choices, func(c *choice) bool { return c.finish == "" })
}

// response returns the whole answer.
func (a *answer) response() *llms.ContentResponse {
	out := &llms.ContentResponse{}
	for _, c := range a.choices {
		cc := &llms.ContentChoice{
			Content:          c.text.String(),
			ReasoningContent: c.reasoning.String(),
			StopReason:       c.finish,
			GenerationInfo:   a.info(),
		}
		slices.SortStableFunc(c.calls, func(a, b *pendingCall) int { return a.index - b.index })
		for i, p := range c.calls {
			cc.ToolCalls = append(cc.ToolCalls, p.toolCall(i))
		}
		if len(cc.ToolCalls) > 0 {
			cc.FuncCall = cc.ToolCalls[0].FunctionCall
		}
		out.Choices = append(out.Choices, cc)
	}
	return out
}

func (p *pendingCall) toolCall(i int) llms.ToolCall {
	f := &llms.FunctionCall{Name: p.name, Arguments: p.arguments.String()}
	if strings.TrimSpace(f.Arguments) == "" {
		f.Arguments = "{}"
	}
	id := p.id
	if id == "" {
		id = fmt.Sprintf("call_%d", i) // results refer to their call by id
	}
	return llms.ToolCall{ID: id, Type: "function", FunctionCall: f}
}

func (a *answer) info() map[string]any {
	info := map[string]any{InfoModel: a.model}
	if u := a.usage; u != nil {
		info[InfoPromptTokens] = int(u.PromptTokens)
		info[InfoCompletionTokens] = int(u.CompletionTokens)
		info[InfoTotalTokens] = int(max(u.TotalTokens, u.PromptTokens+u.CompletionTokens))
		info[InfoReasoningTokens] = int(u.CompletionTokensDetails.ReasoningTokens)
	}
	return info
}
