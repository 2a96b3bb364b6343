package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"docent/agent/chat"
	"docent/internal/fault"
	"docent/payload"
)

// The labels with which a user answers the question about a call. Their case does not matter. AllowCall and AlwaysAllowCall
// may be followed by other arguments for the call, as a JSON object.
const (
	// AllowCall allows the call.
	AllowCall = "Allow"
	// RefuseCall refuses it.
	RefuseCall = "Refuse"
	// AlwaysAllowCall allows it, and all later calls of the tool in this conversation.
	AlwaysAllowCall = "Always allow in this conversation"
)

// ApprovalTime is the time that a user has to allow a call.
const ApprovalTime = 24 * time.Hour

// MaxShownArguments limits the arguments of a call that a user checks, in bytes.
const MaxShownArguments = 4000

// The variables of approvals. The names are reserved, so that clients cannot set them.
const (
	approvalPrefix = "approval_"
	openApproval   = approvalPrefix + "open"
	allowedTools   = approvalPrefix + "always"
)

// maxAllowedTools limits the tools that a user always allows.
const maxAllowedTools = 200

// Approval is a call of a tool that waits until the user allows it.
type Approval struct {
	// Tool is the name of the tool, and Arguments are its arguments.
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	// Question is the text that asks the user, such as "Shall I pay 20 euros?". It must say what the call does, because clients of
	// BAF show nothing else. Default: a question with Tool and Arguments.
	Question string `json:"question,omitempty"`
	// Expires is the time after which the call is refused.
	Expires time.Time `json:"expires"`
	// After is the id of the last event that was waiting when the body asked. Such a message was written before the question,
	// so it cannot allow the call.
	After int64 `json:"after"`
	// Work is the data with which the body goes on after the answer.
	Work json.RawMessage `json:"work"`
	// State is the name of the state whose body asked. Fallback reports that its fallback did.
	State    string `json:"state"`
	Fallback bool   `json:"fallback,omitempty"`
	// Path is the position of the asking action in the body; see Actions.
	Path []int `json:"path,omitempty"`
}

// Verdict is the answer to an Approval.
type Verdict struct {
	// Allowed reports that the user allowed the call.
	Allowed bool
	// Always reports that the user also allowed all later calls of the tool in this conversation.
	Always bool
	// Arguments are the arguments that the user wrote in place of those of the call, or nil.
	Arguments json.RawMessage
	// Expired reports that the user did not answer in time.
	Expired bool
	// Text is the message of a user who neither allowed nor refused, or "".
	Text string
}

// Approvals asks the user of a session whether a tool may be called. A body asks with Ask and then returns. The session
// keeps the question, also during a restart. The next message of the user answers it, before the transitions of the state,
// and the same body runs again. Until then, transitions without an event wait, except those after a time, because the body has
// not ended. If the session leaves the state, the call is refused.
type Approvals struct{ s *Session }

// ApprovalsOf returns the approvals of a session.
func ApprovalsOf(s *Session) Approvals { return Approvals{s} }

// Ask asks whether a tool may be called. The body must then return. Tool and Arguments are required, and Expires defaults to
// ApprovalTime from now. Ask fails with fault.Conflict if a question is open.
func (a Approvals) Ask(ctx context.Context, ask Approval) error {
	t := a.s.turn
	if err := a.s.ofBody("ask for an approval"); err != nil {
		return err
	}
	if a.Open() {
		return fault.New(fault.Conflict, "approval_open", "a question about another call is open")
	}
	if ask.Expires.IsZero() {
		ask.Expires = t.env.Now().Add(ApprovalTime)
	}
	for _, p := range t.backend.Waiting() {
		ask.After = max(ask.After, p.Event.ID)
	}
	t.mu.Lock()
	ask.State, ask.Fallback, ask.Path = t.at.name, t.inFallback, pathOf(ctx)
	t.mu.Unlock()
	shown := visible(ask.Arguments)
	if len(shown) > MaxShownArguments {
		return fault.New(fault.Invalid, "approval_too_long", "the arguments of %s have %d bytes; a user can check at most %d",
			ask.Tool, len(shown), MaxShownArguments)
	}
	if err := a.s.Set(openApproval, ask); err != nil {
		return fmt.Errorf("ask for the approval of %s: %w", ask.Tool, err)
	}
	choices := fault.NewText("approval_choices", "Allow or refuse %s with %s until %s.",
		ask.Tool, shown, ask.Expires.UTC().Format(time.RFC3339))
	if err := a.question(ctx, ask, shown); err != nil {
		return err
	}
	return a.s.say(ctx, ChatMessage{Type: payload.TypeOptions, Sentence: choices.Sentence},
		payload.Options{AllowCall, RefuseCall, AlwaysAllowCall}, false)
}

// question says the question about a call.
func (a Approvals) question(ctx context.Context, ask Approval, shown string) error {
	if ask.Question != "" {
		return a.s.Reply(ctx, ask.Question)
	}
	return a.s.Say(ctx, fault.NewText("approval_question", "May I call %s with %s?", ask.Tool, shown))
}

// Open reports whether a question waits for its answer.
func (a Approvals) Open() bool {
	a.s.turn.mu.Lock()
	defer a.s.turn.mu.Unlock()
	return a.s.turn.approval() != nil
}

// Answer returns the question that the user answered with the event of this turn, and the answer. It returns nil if the body
// does not run because of an answer. Only the first call returns it.
func (a Approvals) Answer() (*Approval, Verdict) {
	t := a.s.turn
	t.mu.Lock()
	defer t.mu.Unlock()
	asked := t.answered
	t.answered = nil
	return asked, t.verdict
}

// Always reports whether the user allows all calls of a tool in this conversation.
func (a Approvals) Always(tool string) bool {
	return slices.Contains(Get(a.s, allowedTools, []string(nil)), tool)
}

// visible returns JSON whose invisible characters are escaped, so that the user sees all of it.
func visible(arguments json.RawMessage) string {
	var b strings.Builder
	for _, r := range string(arguments) {
		if r > unicode.MaxASCII && !unicode.IsGraphic(r) {
			high, low := utf16.EncodeRune(r)
			if high == unicode.ReplacementChar {
				fmt.Fprintf(&b, `\u%04x`, r)
			} else {
				fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
			}
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// approval returns the open question, or nil. It needs t.mu.
func (t *Turn) approval() *Approval { return approvalIn(t.vars.get, t.at.name) }

// approvalIn returns the question that is open in a state, or nil.
func approvalIn(get func(name string) (json.RawMessage, bool), state string) *Approval {
	value, ok := get(openApproval)
	if !ok {
		return nil
	}
	var a Approval
	if json.Unmarshal(value, &a) != nil || a.State != state { // another version of the agent may have asked
		return nil
	}
	return &a
}

// Deadline returns the time at which the open question of a session in a state expires. It is zero without one.
func Deadline(variables map[string]json.RawMessage, state string) time.Time {
	a := approvalIn(func(name string) (json.RawMessage, bool) { v, ok := variables[name]; return v, ok }, state)
	if a == nil {
		return time.Time{}
	}
	return a.Expires
}

// answers returns the decision about an open question: the user's oldest message answers it, or its time is over. waits
// reports that the question is open, and ok that there is a decision.
func (t *Turn) answers(queue []*chat.Pending) (d decision, waits, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	open := t.approval()
	if open == nil {
		return decision{}, false, false
	}
	for _, p := range queue {
		if isAnswer(&p.Event) {
			return decision{event: p, answer: true}, true, true
		}
	}
	return decision{answer: true}, true, !t.env.Now().Before(open.Expires)
}

// isAnswer reports whether an event answers an open question.
func isAnswer(e *Event) bool { return e.Human && (e.Name == EventText || e.Name == EventMessage) }

// answer closes the open question with the event of the turn, or as expired without one. It returns the body that asked.
func (t *Turn) answer(p *chat.Pending) Body {
	t.mu.Lock()
	defer t.mu.Unlock()
	open := t.approval()
	t.vars.remove(openApproval)
	if open == nil { // taken by a concurrent body
		return nil
	}
	t.answered, t.verdict = open, Verdict{Expired: true}
	if p != nil {
		t.verdict = open.verdict(p.View())
	}
	t.inFallback = open.Fallback
	if t.verdict.Always {
		var all []string
		if value, ok := t.vars.get(allowedTools); ok {
			_ = json.Unmarshal(value, &all) // this package wrote it
		}
		if !slices.Contains(all, open.Tool) && len(all) < maxAllowedTools {
			if value, err := json.Marshal(append(all, open.Tool)); err == nil {
				_ = t.vars.put(allowedTools, value) // without room, the next call asks again
			}
		}
	}
	if open.Fallback {
		return t.at.fallback
	}
	return t.at.body
}

// cutShort closes the question that an interrupted turn answered, because its call may have been made.
func (t *Turn) cutShort(p *chat.Pending) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.approval() != nil && isAnswer(&p.Event) {
		t.vars.remove(openApproval)
	}
}

type pathKey struct{}

// pathOf returns the position of the action that got ctx.
func pathOf(ctx context.Context) []int {
	path, _ := ctx.Value(pathKey{}).([]int)
	return path
}

// Actions returns a body that runs actions in order until one fails or asks for an approval. After the answer, it goes on
// with the action that asked.
func Actions(actions ...Body) Body {
	return func(ctx context.Context, s *Session) error {
		first, _ := Resumes(ctx, s)
		for i := min(first, len(actions)); i < len(actions); i++ {
			if err := actions[i](WithPlace(ctx, i), s); err != nil {
				return err
			}
			if ApprovalsOf(s).Open() {
				return nil
			}
		}
		return nil
	}
}

// WithPlace returns the context for a part of an action, so that Resumes finds it again.
func WithPlace(ctx context.Context, place int) context.Context {
	path := pathOf(ctx)
	return context.WithValue(ctx, pathKey{}, append(path[:len(path):len(path)], place))
}

// Resumes returns the part of an action that asked for an approval, if the body runs again because of the answer.
func Resumes(ctx context.Context, s *Session) (place int, ok bool) {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	at := len(pathOf(ctx))
	if a := s.turn.answered; a != nil && at < len(a.Path) {
		return a.Path[at], true
	}
	return 0, false
}

// verdict reads the answer in an event. Changed arguments follow the label as a JSON object, as in Allow {"amount": 5}.
func (a *Approval) verdict(e Event) Verdict {
	other := Verdict{Text: e.Text}
	if e.ID != 0 && e.ID <= a.After {
		return other
	}
	label, arguments := e.Text, json.RawMessage(nil)
	if at := strings.IndexByte(e.Text, '{'); at >= 0 {
		label, arguments = e.Text[:at], json.RawMessage(strings.TrimSpace(e.Text[at:]))
		if !json.Valid(arguments) {
			return other
		}
	}
	switch strings.ToLower(strings.Trim(label, " \t\r\n.!:,")) {
	case strings.ToLower(AllowCall), "yes", "yes please", "yes, please", "ok", "okay":
		return Verdict{Allowed: true, Arguments: arguments}
	case strings.ToLower(AlwaysAllowCall), "always":
		return Verdict{Allowed: true, Always: true, Arguments: arguments}
	case strings.ToLower(RefuseCall), "no":
		if arguments == nil {
			return Verdict{}
		}
	}
	return other
}
