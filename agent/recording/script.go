package recording

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"docent/agent/peer"
	"docent/agent/tool"
	"docent/llm"
	"docent/payload"
)

// Script has the models, tools, and agents of a recording. It is safe for concurrent use.
type Script struct {
	scripted bool // it has answers of a model
	apart    bool // the answers of a part are only for this part

	mu      sync.Mutex // guards the following fields
	left    map[string][]string
	asked   []llm.Request
	sent    []Line
	last    string // URL of the agent that was asked last
	calls   int    // of the model
	outside error
}

// NewScript returns the script of a recording.
func NewScript(r Recording) *Script {
	s := &Script{left: map[string][]string{}, scripted: r.Has(Model), apart: r.apart}
	s.fill(r.Lines)
	if r.apart {
		s.fill(r.parts()[0].script)
	}
	return s
}

// fill replaces the answers that are left by those in lines. The tools stay.
func (s *Script) fill(lines []Line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.left {
		s.left[key] = nil
	}
	for _, l := range lines {
		switch l.Kind {
		case Model:
			s.left[Model] = append(s.left[Model], l.Text)
		case Tool:
			name, result, _ := strings.Cut(l.Text, " ")
			s.left[toolKey(name)] = append(s.left[toolKey(name)], result)
		}
	}
}

// toolKey is the key of the results of a tool.
func toolKey(name string) string { return Tool + " " + name }

// next takes the next text of a kind.
func (s *Script) next(key string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.left[key]) == 0 {
		if s.outside == nil {
			s.outside = fmt.Errorf("the recording has no further line %q", key+": …")
		}
		return "", false
	}
	text := s.left[key][0]
	s.left[key] = s.left[key][1:]
	return text, true
}

// errUnused is the error of a recording with more answers of the model than the agent asked for.
var errUnused = errors.New("not all answers of the model were used")

// rest returns what is wrong with the script after the conversation: an unused answer of the model, or a request without one.
func (s *Script) rest() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.left[Model]); n > 0 && !s.apart {
		return errors.Join(s.outside, fmt.Errorf("%w: %d are left, the first is %q", errUnused, n, s.left[Model][0]))
	}
	return s.outside
}

// errScript is the error of a call that the recording does not answer.
var errScript = errors.New("the recording has no answer")

// Models reports whether the recording has answers of a model.
func (s *Script) Models() bool { return s.scripted }

// Name implements llm.Model.
func (s *Script) Name() string { return "recording" }

// Chat implements llm.Model. It answers with the lines Model.
func (s *Script) Chat(_ context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		text, ok := s.next(Model)
		s.mu.Lock()
		s.calls++
		n := s.calls
		s.asked = append(s.asked, req)
		s.mu.Unlock()
		if !ok {
			yield(llm.Delta{}, errScript)
			return
		}
		answer := &llm.Answer{Text: text, StopReason: "stop"}
		if rest, ok := strings.CutPrefix(text, "call "); ok {
			answer.Text, answer.StopReason = "", "tool_calls"
			for i, call := range strings.Split(rest, "\ncall ") {
				name, arguments, _ := strings.Cut(call, " ")
				answer.Calls = append(answer.Calls, llm.Call{ID: fmt.Sprintf("call%d_%d", n, i), Name: name, Arguments: arguments})
			}
		} else if !yield(llm.Delta{Text: text}, nil) {
			return
		}
		yield(llm.Delta{Answer: answer}, nil)
	}
}

// prompted reports whether a request to the model contains a text.
func (s *Script) prompted(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.asked {
		for _, m := range r.Messages {
			if strings.Contains(m.Text, text) {
				return true
			}
		}
	}
	return false
}

// Tools returns the tools of the lines Tool. They take any arguments.
func (s *Script) Tools() []tool.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []tool.Tool
	for key := range s.left {
		name, ok := strings.CutPrefix(key, Tool+" ")
		if !ok {
			continue
		}
		out = append(out, tool.Tool{
			Name: name, Description: "A tool of the recording.", Parameters: json.RawMessage(`{"type":"object","additionalProperties":true}`),
			Call: func(_ context.Context, arguments json.RawMessage) (any, error) {
				text, ok := s.next(key)
				s.mu.Lock()
				s.sent = append(s.sent, Line{Kind: Called, Text: name + " " + string(arguments)})
				s.mu.Unlock()
				if failure, failed := strings.CutPrefix(text, "ERROR: "); failed {
					return nil, &tool.Error{Text: failure}
				}
				if !ok {
					return nil, errScript
				}
				if json.Valid([]byte(text)) {
					return json.RawMessage(text), nil
				}
				return text, nil
			},
		})
	}
	return out
}

// Speak implements agent.Speaker. The samples of the sound are the text.
func (s *Script) Speak(_ context.Context, text string) (payload.Audio, error) {
	if len(text)%2 == 1 { // a sample has two bytes
		text += "\x00"
	}
	return payload.Audio{Base64: base64.StdEncoding.EncodeToString([]byte(text)), Metadata: payload.AudioMetadata{
		SampleRate: 24_000, DType: "int16", Shape: []int{len(text) / 2},
	}}, nil
}

// spoken returns the text of a sound of Speak.
func spoken(content json.RawMessage) string {
	var sound payload.Audio
	if json.Unmarshal(content, &sound) != nil {
		return string(content)
	}
	samples, err := base64.StdEncoding.DecodeString(sound.Base64)
	if err != nil {
		return string(content)
	}
	return strings.TrimRight(string(samples), "\x00")
}

// Dial implements peer.Dialer. The connection keeps the messages, and never answers.
func (s *Script) Dial(_ context.Context, req peer.DialRequest) (peer.Conn, error) {
	return &conn{script: s, url: req.URL, closed: make(chan struct{})}, nil
}

// conn is a connection to another agent, which is not there.
type conn struct {
	script *Script
	url    string
	once   sync.Once
	closed chan struct{}
}

// Send implements peer.Conn.
func (c *conn) Send(_ context.Context, f payload.Frame) error {
	c.script.mu.Lock()
	defer c.script.mu.Unlock()
	c.script.sent = append(c.script.sent, Line{Kind: Sent, Text: c.url + " " + plain(f.Message)})
	c.script.last = c.url
	return nil
}

// Frames implements peer.Conn.
func (c *conn) Frames() iter.Seq2[payload.Frame, error] {
	return func(func(payload.Frame, error) bool) { <-c.closed }
}

// Close implements peer.Conn.
func (c *conn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// peer returns the URL of the agent that was asked last, or "".
func (s *Script) peer() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// takeSent returns the messages to other agents and the calls of tools since the last time.
func (s *Script) takeSent() []Line {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.sent
	s.sent = nil
	return out
}

// plain returns a text without quotes, and any other message as JSON.
func plain(message json.RawMessage) string {
	var text string
	if json.Unmarshal(message, &text) != nil {
		return string(message)
	}
	return text
}
