package llm

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	openai "github.com/sashabaranov/go-openai"
	"github.com/tmc/langchaingo/llms"
)

// almostZero replaces the temperature 0, which go-openai omits. Servers round it
// to greedy sampling.
const almostZero = 1e-6

// noContent replaces the empty result of a tool. go-openai omits empty contents,
// and OpenAI refuses tool messages without one.
const noContent = "(empty)"

// request converts a call. It always streams: a stream shows that the server is
// alive, and one way to read answers is enough.
func (o *OpenAI) request(messages []llms.MessageContent, opts llms.CallOptions) (openai.ChatCompletionRequest, error) {
	req := openai.ChatCompletionRequest{
		Model:            cmp.Or(opts.Model, o.cfg.Model),
		Stream:           true,
		Temperature:      temperature(opts.Temperature, o.cfg.Temperature),
		TopP:             float32(opts.TopP),
		N:                max(opts.N, opts.CandidateCount),
		Stop:             opts.StopWords,
		PresencePenalty:  float32(opts.PresencePenalty),
		FrequencyPenalty: float32(opts.FrequencyPenalty),
		ToolChoice:       toolChoice(opts.ToolChoice),
	}
	if opts.Seed != 0 {
		req.Seed = &opts.Seed
	}
	req.MaxTokens = cmp.Or(opts.MaxTokens, o.cfg.MaxTokens) //nolint:staticcheck // Shape.apply chooses the field
	if opts.JSONMode || opts.ResponseMIMEType == "application/json" {
		req.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	}
	if c, ok := opts.Metadata["thinking_config"].(*llms.ThinkingConfig); ok && c != nil {
		switch c.Mode {
		case llms.ThinkingModeLow, llms.ThinkingModeMedium, llms.ThinkingModeHigh:
			req.ReasoningEffort = string(c.Mode)
		}
	}
	for _, t := range opts.Tools {
		if t.Function != nil {
			req.Tools = append(req.Tools, tool(*t.Function))
		}
	}
	for _, f := range opts.Functions {
		req.Tools = append(req.Tools, tool(f))
	}
	for i, m := range messages {
		out, err := message(m)
		if err != nil {
			return req, fmt.Errorf("message %d: %w", i, err)
		}
		req.Messages = append(req.Messages, out...)
	}
	return req, nil
}

// reasons reports whether the model is one of OpenAI's that accept
// max_completion_tokens and refuse max_tokens.
func reasons(model string) bool {
	model = model[strings.LastIndexByte(model, '/')+1:] // without the provider of a gateway
	for _, prefix := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(model, prefix) {
			return true
		}
	}
	return false
}

func temperature(call float64, config *float64) float32 {
	switch {
	case call != 0:
		return float32(call)
	case config == nil:
		return 0 // omitted
	case *config == 0:
		return almostZero
	default:
		return float32(*config)
	}
}

func tool(f llms.FunctionDefinition) openai.Tool {
	params := f.Parameters
	if params == nil {
		params = map[string]any{"type": "object", "properties": map[string]any{}}
	}
	return openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
		Name: f.Name, Description: f.Description, Strict: f.Strict, Parameters: params,
	}}
}

func toolChoice(choice any) any {
	switch c := choice.(type) {
	case *llms.ToolChoice:
		if c == nil {
			return nil
		}
		return toolChoice(*c)
	case llms.ToolChoice:
		if c.Function == nil {
			return c.Type
		}
		return openai.ToolChoice{Type: openai.ToolTypeFunction, Function: openai.ToolFunction{Name: c.Function.Name}}
	default:
		return choice
	}
}

// message converts one message. Several tool results in one message become
// several messages.
func message(m llms.MessageContent) ([]openai.ChatCompletionMessage, error) {
	role, err := role(m.Role)
	if err != nil {
		return nil, err
	}
	out := openai.ChatCompletionMessage{Role: role}
	var results []openai.ChatCompletionMessage
	var parts []openai.ChatMessagePart
	text := true
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llms.TextContent:
			parts = append(parts, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: p.Text})
		case llms.ImageURLContent:
			text = false
			parts = append(parts, image(p.URL, p.Detail))
		case llms.BinaryContent:
			text = false
			parts = append(parts, image(p.String(), ""))
		case llms.ToolCall:
			out.ToolCalls = append(out.ToolCalls, toolCall(p))
		case llms.ToolCallResponse:
			results = append(results, openai.ChatCompletionMessage{
				Role: openai.ChatMessageRoleTool, ToolCallID: p.ToolCallID, Name: p.Name, Content: cmp.Or(p.Content, noContent),
			})
		default:
			return nil, fmt.Errorf("a part of type %T cannot be sent", p)
		}
	}
	switch {
	case len(results) > 0:
		if len(parts) > 0 || len(out.ToolCalls) > 0 {
			return nil, fmt.Errorf("tool results cannot be mixed with other parts")
		}
		return results, nil
	case text:
		// One string, not parts: several servers accept nothing else.
		for i, p := range parts {
			if i > 0 {
				out.Content += "\n"
			}
			out.Content += p.Text
		}
	default:
		out.MultiContent = parts
	}
	return []openai.ChatCompletionMessage{out}, nil
}

func role(r llms.ChatMessageType) (string, error) {
	switch r {
	case llms.ChatMessageTypeSystem:
		return openai.ChatMessageRoleSystem, nil
	case llms.ChatMessageTypeHuman, llms.ChatMessageTypeGeneric:
		return openai.ChatMessageRoleUser, nil
	case llms.ChatMessageTypeAI:
		return openai.ChatMessageRoleAssistant, nil
	case llms.ChatMessageTypeTool, llms.ChatMessageTypeFunction:
		return openai.ChatMessageRoleTool, nil
	default:
		return "", fmt.Errorf("unknown role %q", r)
	}
}

func image(url, detail string) openai.ChatMessagePart {
	return openai.ChatMessagePart{
		Type:     openai.ChatMessagePartTypeImageURL,
		ImageURL: &openai.ChatMessageImageURL{URL: url, Detail: openai.ImageURLDetail(detail)},
	}
}

func toolCall(c llms.ToolCall) openai.ToolCall {
	out := openai.ToolCall{ID: c.ID, Type: openai.ToolTypeFunction}
	if c.FunctionCall != nil {
		out.Function = openai.FunctionCall{Name: c.FunctionCall.Name, Arguments: c.FunctionCall.Arguments}
	}
	return out
}

// unsent reports whether go-openai refused to send a request, because it knows
// that OpenAI's model would refuse it.
func unsent(err error) bool {
	for _, e := range []error{
		openai.ErrReasoningEffortUnsupported, openai.ErrReasoningToolsRequireResponses, openai.ErrReasoningSamplingUnsupported,
		openai.ErrReasoningModelMaxTokensDeprecated, openai.ErrReasoningModelLimitationsLogprobs, openai.ErrReasoningModelLimitationsOther,
		openai.ErrChatCompletionInvalidModel,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
