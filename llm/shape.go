package llm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	openai "github.com/sashabaranov/go-openai"

	"docent/internal/lazyregexp"
)

// Shape is the form of requests that a model accepts. docent finds it by trying: after a refusal, it sends the
// same request in the next shape, and keeps the shape that works. The zero value is the
// full OpenAI API.
type Shape struct {
	// NoSystem puts the system message in front of the first message of the user.
	NoSystem bool
	// NoToolRole sends tool calls and their results as text.
	NoToolRole bool
	// Limit is the field for the length of an answer.
	Limit LimitField
	// Most is the longest answer in tokens that the server allows. 0 means any.
	Most int
	// NoStream asks for whole answers.
	NoStream bool
	// NoUsage leaves out stream_options.
	NoUsage bool
	// NoTemperature leaves out the parameters of sampling.
	NoTemperature bool
	// NoJSON leaves out response_format.
	NoJSON bool
	// NoTools says that the model has refused tools. Requests with tools fail with
	// ErrNoTools.
	NoTools bool
}

// LimitField is a field for the length of an answer.
type LimitField int

// The fields.
const (
	// LimitByName is max_completion_tokens for the reasoning models of OpenAI, and
	// max_tokens for others.
	LimitByName LimitField = iota
	// LimitCompletion is max_completion_tokens.
	LimitCompletion
	// LimitTokens is max_tokens.
	LimitTokens
	// LimitNone sends no limit.
	LimitNone
)

// String describes the differences from the full API, or is "".
func (s Shape) String() string {
	var out []string
	if s.Most > 0 {
		out = append(out, fmt.Sprintf("at most %d tokens", s.Most))
	}
	for _, c := range []struct {
		is   bool
		says string
	}{
		{s.NoSystem, "no system message"},
		{s.NoToolRole, "tool results as text"},
		{s.Limit == LimitCompletion, "max_completion_tokens"},
		{s.Limit == LimitTokens, "max_tokens"},
		{s.Limit == LimitNone, "no limit of tokens"},
		{s.NoStream, "no stream"},
		{s.NoUsage, "no stream_options"},
		{s.NoTemperature, "no temperature"},
		{s.NoJSON, "no response_format"},
		{s.NoTools, "no tools"},
	} {
		if c.is {
			out = append(out, c.says)
		}
	}
	return strings.Join(out, ", ")
}

// shaping is the shape of a model and the search for it.
type shaping struct {
	mu    sync.Mutex
	shape Shape
	// barren says that the last search without a hint found no shape. The next one
	// waits for a success, because each costs several requests.
	barren bool
}

func (s *shaping) now() (shape Shape, search bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shape, !s.barren
}

// keep records the shape of a successful request, and reports whether it is new.
func (s *shaping) keep(shape Shape) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := s.shape != shape
	s.shape, s.barren = shape, false
	return fresh
}

func (s *shaping) giveUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.barren = true
}

// refuseTools records that the model refuses tools, and reports whether this is new.
func (s *shaping) refuseTools() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := !s.shape.NoTools
	s.shape.NoTools = true
	return fresh
}

// Shape returns the shape that docent has found so far.
func (o *OpenAI) Shape() Shape {
	shape, _ := o.shaping.now()
	return shape
}

// apply returns a request in a shape.
func (s Shape) apply(req openai.ChatCompletionRequest) openai.ChatCompletionRequest {
	if !s.NoUsage && !s.NoStream {
		req.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	if n := max(req.MaxTokens, req.MaxCompletionTokens); n > 0 { //nolint:staticcheck // deprecated by OpenAI, but known to all
		req.MaxTokens, req.MaxCompletionTokens = 0, 0 //nolint:staticcheck // as above
		if s.Most > 0 {
			n = min(n, s.Most)
		}
		switch {
		case s.Limit == LimitNone:
		case s.Limit == LimitCompletion || s.Limit == LimitByName && reasons(req.Model):
			req.MaxCompletionTokens = n
		default:
			req.MaxTokens = n //nolint:staticcheck // as above
		}
	}
	if s.NoTemperature {
		req.Temperature, req.TopP, req.PresencePenalty, req.FrequencyPenalty = 0, 0, 0, 0 // omitted
	}
	if s.NoJSON {
		req.ResponseFormat = nil
	}
	if s.NoToolRole {
		req.Messages = toolsAsText(req.Messages)
	}
	if s.NoSystem {
		req.Messages = withoutSystem(req.Messages)
	}
	return req
}

// withoutSystem puts the system message in front of the first message of the user.
func withoutSystem(list []openai.ChatCompletionMessage) []openai.ChatCompletionMessage {
	if len(list) == 0 || list[0].Role != openai.ChatMessageRoleSystem {
		return list
	}
	system, out := list[0].Content, slices.Clone(list[1:])
	for i := range out {
		if out[i].Role != openai.ChatMessageRoleUser {
			continue
		}
		if out[i].MultiContent != nil {
			first := openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: system}
			out[i].MultiContent = append([]openai.ChatMessagePart{first}, out[i].MultiContent...)
		} else {
			out[i].Content = system + "\n\n" + out[i].Content
		}
		return out
	}
	return append([]openai.ChatCompletionMessage{{Role: openai.ChatMessageRoleUser, Content: system}}, out...)
}

// toolsAsText makes messages of the assistant and the user of calls and their results.
func toolsAsText(list []openai.ChatCompletionMessage) []openai.ChatCompletionMessage {
	var out []openai.ChatCompletionMessage
	for _, m := range list {
		for _, c := range m.ToolCalls {
			m.Content = strings.TrimSpace(fmt.Sprintf("%s\n\nI call the tool %s with %s.", m.Content, c.Function.Name, c.Function.Arguments))
		}
		m.ToolCalls = nil
		if m.Role == openai.ChatMessageRoleTool {
			m = openai.ChatCompletionMessage{
				Role: openai.ChatMessageRoleUser, Content: fmt.Sprintf("Result of the tool %s:\n%s", m.Name, m.Content),
			}
		}
		if n := len(out); n > 0 && out[n-1].Role == m.Role && m.MultiContent == nil && out[n-1].MultiContent == nil {
			out[n-1].Content += "\n\n" + m.Content
			continue
		}
		out = append(out, m)
	}
	return out
}

// change is one difference of a shape.
type change struct {
	// hint matches the words of servers that want the change.
	hint *lazyregexp.Regexp
	// vague says that the hint also matches errors that are no refusals.
	vague bool
	// use makes the change. It returns false if the shape has it or the request does not need it.
	use func(s *Shape, req *openai.ChatCompletionRequest) bool
}

// changes are the differences in the order in which they are tried without a hint.
var changes = []change{
	{hint: lazyregexp.New(`(?i)stream_options|include_usage`), use: func(s *Shape, _ *openai.ChatCompletionRequest) bool {
		return set(&s.NoUsage) && !s.NoStream
	}},
	{hint: limitField, use: nextLimit},
	{
		hint: lazyregexp.New(`(?i)system (?:role|message|prompt|instruction)|developer instruction|role.{0,20}\bsystem\b|roles? must|alternat|` +
			`only user|after the optional system|conversation roles|must (?:start|begin) with|jinja|chat template|template`),
		use: func(s *Shape, req *openai.ChatCompletionRequest) bool {
			return len(req.Messages) > 0 && req.Messages[0].Role == openai.ChatMessageRoleSystem && set(&s.NoSystem)
		},
	},
	{
		hint:  lazyregexp.New(`(?i)\btool\b|roles? must|alternat|conversation roles|unexpected role|jinja|template`),
		vague: true,
		use: func(s *Shape, req *openai.ChatCompletionRequest) bool {
			return slices.ContainsFunc(req.Messages, func(m openai.ChatCompletionMessage) bool { return m.Role == openai.ChatMessageRoleTool }) &&
				set(&s.NoToolRole)
		},
	},
	{hint: lazyregexp.New(`(?i)temperature|top_p|penalty`), use: func(s *Shape, req *openai.ChatCompletionRequest) bool {
		return (req.Temperature != 0 || req.TopP != 0 || req.PresencePenalty != 0 || req.FrequencyPenalty != 0) && set(&s.NoTemperature)
	}},
	{
		hint: lazyregexp.New(`(?i)response_format|json_object|json[_ ]mode|json_schema`),
		use: func(s *Shape, req *openai.ChatCompletionRequest) bool {
			return req.ResponseFormat != nil && set(&s.NoJSON)
		},
	},
	{hint: lazyregexp.New(`(?i)\bstream(?:ing|ed)?\b`), vague: true, use: func(s *Shape, _ *openai.ChatCompletionRequest) bool {
		return set(&s.NoStream)
	}},
}

// limitField matches the fields for the length of an answer.
var limitField = lazyregexp.New(`(?i)max_(?:completion_)?tokens|max_new_tokens|max_output_tokens`)

func set(b *bool) bool {
	fresh := !*b
	*b = true
	return fresh
}

// nextLimit tries the other field, and then none.
func nextLimit(s *Shape, req *openai.ChatCompletionRequest) bool {
	if max(req.MaxTokens, req.MaxCompletionTokens) == 0 { //nolint:staticcheck // deprecated by OpenAI, but known to all
		return false
	}
	switch {
	case s.Limit == LimitNone:
		return false
	case s.Limit == LimitByName && reasons(req.Model):
		s.Limit = LimitTokens
	case s.Limit == LimitByName:
		s.Limit = LimitCompletion
	default:
		s.Limit = LimitNone
	}
	return true
}

// The numbers of tokens in refusals.
var (
	contextTokens = lazyregexp.New(`(?i)context (?:length|size|window)(?: is| of)? (\d+)|max_new_tokens\W{0,3}must be <= (\d+)`)
	mostTokens    = lazyregexp.New(`(?i)(?:equal to|at most|<=|up to|maximum(?: value)?(?: of| is)?)\W{1,3}(\d+)`)
)

// lower returns a shape with shorter answers if the server has refused their length. An answer gets a quarter of a context
// that it would fill by more than a half.
func (s Shape) lower(req *openai.ChatCompletionRequest, words string) (Shape, bool) {
	limit := max(req.MaxTokens, req.MaxCompletionTokens) //nolint:staticcheck // deprecated by OpenAI, but known to all
	if s.Most > 0 {
		limit = min(limit, s.Most)
	}
	most := 0
	if context := numberIn(contextTokens, words); context > 0 {
		if limit > context/2 {
			most = context / 4
		}
	} else if limitField.MatchString(words) {
		most = numberIn(mostTokens, words)
	}
	if s.Limit == LimitNone || most == 0 || most >= limit {
		return s, false
	}
	s.Most = most
	return s, true
}

// numberIn returns the number that a pattern finds, or 0.
func numberIn(pattern *lazyregexp.Regexp, words string) int {
	groups := pattern.FindStringSubmatch(words)
	for i := 1; i < len(groups); i++ {
		if n, err := strconv.Atoi(groups[i]); err == nil {
			return n
		}
	}
	return 0
}

// maxHinted limits the changes that a server asks for one after the other.
const maxHinted = 8

// attempt sends a request in the shape of the model. If the server refuses it, attempt
// tries other shapes: first the ones that the server's words hint at, and without a hint,
// each change alone and all together.
func (o *OpenAI) attempt(ctx context.Context, req openai.ChatCompletionRequest, s *sink) (*answer, failure) {
	shape, search := o.shaping.now()
	if shape.NoTools && len(req.Tools) > 0 {
		return nil, noToolsFailure(req.Model, errors.New("the server has refused them before"))
	}
	first := shape
	resp, fail := o.shaped(ctx, req, shape, s)
	refused := fail
	words := refusedShape(fail.err)
	for range maxHinted {
		next, ok := shape.lower(&req, serverWords(fail.err))
		for _, c := range changes {
			if !ok && words != "" && c.hint.MatchString(words) {
				ok = c.use(&next, &req)
			}
		}
		if !ok {
			break
		}
		shape = next
		if resp, fail = o.shaped(ctx, req, shape, s); fail.err == nil {
			o.adapted(ctx, first, shape, serverWords(refused.err))
			return resp, failure{}
		}
		words = refusedShape(fail.err)
	}
	switch {
	case fail.err == nil:
		o.shaping.keep(shape)
		return resp, fail
	case unsent(fail.err) && refused.err != nil: // the next shape is one that go-openai refuses
		fail, words = refused, refusedShape(refused.err)
	}
	if errors.Is(fail.err, ErrTooLong) && shape.Most != first.Most { // the prompt is too long, too
		first.Most = shape.Most
		o.adapted(ctx, o.Shape(), first, serverWords(refused.err))
	}
	if words != "" {
		fail.retry = false // the next attempt would send the same
	}
	if words == "" || !search {
		return nil, fail
	}
	if r, found, ok := o.search(ctx, req, shape, s); ok {
		o.adapted(ctx, first, found, words)
		return r, failure{}
	}
	if len(req.Tools) > 0 && ctx.Err() == nil && o.answersWithoutTools(ctx, req, shape) {
		if o.shaping.refuseTools() {
			o.logNoTools(ctx, fail.err)
		}
		return nil, noToolsFailure(req.Model, fail.err)
	}
	if ctx.Err() == nil {
		o.shaping.giveUp()
	}
	return nil, fail
}

// answersWithoutTools reports whether a server accepts a refused request without its tools.
func (o *OpenAI) answersWithoutTools(ctx context.Context, req openai.ChatCompletionRequest, shape Shape) bool {
	req.Tools, req.ToolChoice = nil, nil
	_, fail := o.once(ctx, shape.apply(req), shape.NoStream, &sink{})
	return fail.err == nil
}

func (o *OpenAI) logNoTools(ctx context.Context, err error) {
	o.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "the model cannot call tools; docent answers from a single search",
		slog.String("model", o.cfg.Model), slog.String("server", serverWords(err)))
}

// search tries each change alone, and then all together.
func (o *OpenAI) search(ctx context.Context, req openai.ChatCompletionRequest, from Shape, s *sink) (*answer, Shape, bool) {
	all := from
	var tries []Shape
	for _, c := range changes {
		one := from
		if c.use(&one, &req) {
			tries = append(tries, one)
			c.use(&all, &req)
		}
	}
	if len(tries) > 1 {
		tries = append(tries, all)
	}
	for _, shape := range tries {
		resp, fail := o.shaped(ctx, req, shape, s)
		if fail.err == nil {
			return resp, shape, true
		}
		if ctx.Err() != nil || s.delivered || refusedShape(fail.err) == "" && !unsent(fail.err) {
			break
		}
	}
	return nil, from, false
}

// adapted records a shape that works after others did not, and logs it once.
func (o *OpenAI) adapted(ctx context.Context, from, to Shape, words string) {
	if o.shaping.keep(to) {
		o.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "the model server refused a request; docent now sends its requests in another form",
			slog.String("model", o.cfg.Model), slog.String("form", to.String()), slog.String("before", from.String()), slog.String("server", words))
	}
}

// shaped sends a request in a shape.
func (o *OpenAI) shaped(ctx context.Context, req openai.ChatCompletionRequest, shape Shape, s *sink) (*answer, failure) {
	resp, fail := o.once(ctx, shape.apply(req), shape.NoStream, s)
	if errors.Is(fail.err, ErrNoTools) && o.shaping.refuseTools() {
		o.logNoTools(ctx, fail.err)
	}
	return resp, fail
}

// passedOn matches the words of servers whose chat template fails, and of gateways that pass on a refusal, with any status.
var passedOn = lazyregexp.New(`(?i)raise_exception|unsupported|not support(?:ed)?\b|BadRequestError`)

// refusedShape returns the words of a server that may have refused the form of a request,
// or "". Some servers do so with status 500 and name the form.
func refusedShape(err error) string {
	var refusal *StatusError
	if err == nil || errors.Is(err, ErrNoTools) || errors.Is(err, ErrTooLong) || errors.Is(err, ErrFiltered) || !errors.As(err, &refusal) ||
		badKey.MatchString(refusal.Message) {
		return ""
	}
	words := refusal.Error()
	switch refusal.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotImplemented:
		return words
	case http.StatusInternalServerError:
		if passedOn.MatchString(words) || slices.ContainsFunc(changes, func(c change) bool { return !c.vague && c.hint.MatchString(words) }) {
			return words
		}
	}
	return ""
}

// serverWords returns the words of a server in an error, without keys and names of
// organizations, or "".
func serverWords(err error) string {
	var refusal *StatusError
	var frame *frameError
	switch {
	case errors.As(err, &refusal):
		return refusal.Error()
	case errors.As(err, &frame):
		return frame.Error()
	default:
		return ""
	}
}
