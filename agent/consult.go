package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"docent/agent/chat"
	"docent/agent/tool"
	"docent/internal/fault"
	"docent/payload"
)

// Limits of consultations.
const (
	// DefaultTaskTokens is the default of Task.MaxTokens.
	DefaultTaskTokens = 200_000
	// MaxTasks limits the tasks of one Consult.
	MaxTasks = 16
	// MaxConsultations limits the tasks in one turn, also those that consulted agents give to others.
	MaxConsultations = 64
	// MaxTask limits the text of a task, in bytes.
	MaxTask = MaxTextBytes
	// maxFindings limits the text of an answer, in bytes.
	maxFindings = 64 << 10
)

// Consultant is an agent that others consult in the same process. It is safe for concurrent use.
type Consultant struct{ machine *Machine }

// NewConsultant returns a consultant. It fails with the error of Validate.
func NewConsultant(a *Agent) (*Consultant, error) {
	m, err := a.Compile()
	if err != nil {
		return nil, err
	}
	return &Consultant{m}, nil
}

// Task is a task for a consultant.
type Task struct {
	// To is the consultant. Required.
	To *Consultant
	// Text is the message to it. Required.
	Text string
	// MaxTokens limits the tokens of models, also those of agents that the consultant asks. Beyond it, the task fails.
	// Default: DefaultTaskTokens.
	MaxTokens int
}

// Finding is the result of a task.
type Finding struct {
	// Text is the text of the replies: texts, Markdown, and answers from documents.
	Text string
	// Value is the variable "result" of the consultant, or nil.
	Value json.RawMessage
	// Err is the reason for which the task failed, or nil.
	Err error
}

// resultVariable is the variable for Finding.Value.
const resultVariable = "result"

// Consult gives tasks to agents, at the same time, and waits for all of them. The findings have the order of the tasks.
//
// If the initial state of a consultant takes messages, the task is the first message, without a greeting before it. Otherwise
// the body of the initial state runs with the task as its event. The task is done when the consultant has no further step.
//
// A consultant has the id, the rights, and a copy of the variables of the session, and changes none of them. Users do not see its
// replies, only its reasoning steps. It belongs to the turn: if docent is killed, the turn runs again as a whole. So a consultant
// cannot ask the user, wait for a time, or talk to agents of other programs. Use [State.HandOver] for a conversation with the user.
//
// Consult fails with fault.Invalid for more than MaxTasks tasks, and a task fails beyond MaxAgentDepth or MaxConsultations.
func Consult(ctx context.Context, s *Session, tasks ...Task) ([]Finding, error) {
	if err := s.ofBody("consult an agent"); err != nil {
		return nil, err
	}
	if len(tasks) > MaxTasks {
		return nil, fault.New(fault.Invalid, "too_many_tasks", "at most %d agents can be asked at once, not %d", MaxTasks, len(tasks))
	}
	out := make([]Finding, len(tasks))
	var running sync.WaitGroup
	for i, task := range tasks {
		running.Go(func() { out[i] = task.run(ctx, s) })
	}
	running.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return out, nil
}

// Tool returns a tool with which a model gives tasks to the consultant.
func (c *Consultant) Tool(name, description string, maxTokens int) (tool.Tool, error) {
	t, err := tool.New(name, description, func(ctx context.Context, in struct {
		Task string `json:"task" description:"the whole task in plain words; the agent knows nothing else of the conversation"`
	},
	) (any, error) {
		s, ok := SessionFrom(ctx)
		if !ok {
			return nil, &tool.Error{Text: "there is no session"}
		}
		found, err := Consult(ctx, s, Task{To: c, Text: in.Task, MaxTokens: maxTokens})
		if err != nil {
			return nil, err
		}
		if found[0].Err == nil && found[0].Value != nil {
			return found[0].Value, nil
		}
		return found[0].Text, found[0].Err
	})
	t.Timeout = time.Hour // the turn has its own limit
	return t, err         //nolint:wrapcheck // it names the tool
}

// nesting is the place of a turn among consultations.
type nesting struct {
	depth int
	tasks *atomic.Int32                // consultations in the whole turn
	spend func(prompt, completion int) // counts tokens for the agents that asked; nil for the turn of a session
}

var (
	errTaskTokens = fault.New(fault.Conflict, "task_tokens", "the agent needed more tokens than its task may use")
	errTaskDepth  = fault.New(fault.Conflict, "task_depth", "agents asked each other too deeply or too often for one message")
	errTaskAsks   = fault.New(fault.Conflict, "task_asks", "the agent wanted to ask the user about a call, which it can only do after a hand-over")
)

// run gives the task to the consultant.
func (k Task) run(ctx context.Context, s *Session) Finding {
	t := s.turn
	if k.To == nil || strings.TrimSpace(k.Text) == "" || len(k.Text) > MaxTask {
		return Finding{Err: fault.New(fault.Invalid, "task_invalid", "a task needs an agent, and a text of at most %d bytes", MaxTask)}
	}
	if t.nesting.depth+1 >= MaxAgentDepth || t.counted().Add(1) > MaxConsultations {
		return Finding{Err: errTaskDepth}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	left := atomic.Int64{}
	left.Store(int64(cmp.Or(k.MaxTokens, DefaultTaskTokens)))
	b := &consultation{above: t.backend, task: &chat.Pending{Message: true, Event: chat.MessageEvent(chat.JSONString(k.Text))}, now: t.env.Now}
	b.task.Event.Human, b.task.Event.Time = true, t.env.Now()
	env := *t.env
	env.Peers = noPeers{}
	m := k.To.machine
	inner := m.Begin(b, &env, Start{
		ID: s.ID(), Name: s.SessionName(), Username: s.Username(), Platform: s.Platform(),
		Place: Place{State: m.initial.name, Entered: env.Now()}, Variables: consultedVariables(s),
	})
	inner.nesting = nesting{depth: t.nesting.depth + 1, tasks: t.counted(), spend: func(prompt, completion int) {
		s.AddUsage(prompt, completion)
		if left.Add(-int64(prompt+completion)) < 0 {
			cancel(errTaskTokens)
		}
	}}
	failure := inner.work(ctx, b.task)
	inner.Close()
	if cause := context.Cause(ctx); cause != nil {
		return Finding{Err: cause}
	}
	if failure != nil {
		return Finding{Err: failure}
	}
	return b.finding(inner.Result())
}

// work lets the consultant work on its task.
func (t *Turn) work(ctx context.Context, task *chat.Pending) error {
	if !t.at.hears && t.backend.Claim(task, true) {
		t.consume(task)
		t.fail(t.enter(ctx, t.at.body))
	}
	t.Steps(ctx)
	return errors.Join(t.failures...)
}

// counted returns the count of consultations in the whole turn.
func (t *Turn) counted() *atomic.Int32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.nesting.tasks == nil {
		t.nesting.tasks = new(atomic.Int32)
	}
	return t.nesting.tasks
}

// consultedVariables returns the variables for a consultant. It does not get those of the state of the conversation.
func consultedVariables(s *Session) map[string]json.RawMessage {
	vars := allVariables(s)
	for name := range vars {
		if name == previousState || name == openApproval || name == resultVariable ||
			strings.HasPrefix(name, "reasoning_") || strings.HasPrefix(name, peerSession) {
			delete(vars, name)
		}
	}
	return vars
}

// consultation is the Backend of a consultant. It passes reasoning steps to the turn above, and keeps the replies.
type consultation struct {
	above Backend
	now   func() time.Time

	mu   sync.Mutex // guards the following fields
	task *chat.Pending
	took bool
	said []ChatMessage
}

// Waiting implements Backend. Only the task waits.
func (c *consultation) Waiting() []*chat.Pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.took {
		return nil
	}
	return []*chat.Pending{c.task}
}

// Claim implements Backend.
func (c *consultation) Claim(*chat.Pending, bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	took := c.took
	c.took = true
	return !took
}

// Say implements Backend.
func (c *consultation) Say(_ context.Context, m ChatMessage, silent bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.said) >= MaxMoves {
		return fault.New(fault.Invalid, "task_replies", "an agent may say at most %d messages for a task", MaxMoves)
	}
	if !silent {
		c.said = append(c.said, m)
	}
	return nil
}

// Reason implements Backend.
func (c *consultation) Reason(ctx context.Context, r chat.Reasoning, silent bool) error {
	return c.above.Reason(ctx, r, silent)
}

// Link implements Backend. The turn above links the steps.
func (c *consultation) Link() error { return nil }

// Show implements Backend. Users do not see the text of a consultant grow.
func (c *consultation) Show(payload.Action, any) error { return nil }

// Draft implements Backend.
func (c *consultation) Draft(string, *payload.RAGMessage) {}

// Flush implements Backend.
func (c *consultation) Flush(ctx context.Context) error { return c.above.Flush(ctx) }

// History implements Backend. A consultant knows only its task and its own replies.
func (c *consultation) History(_ context.Context, q HistoryQuery) ([]ChatMessage, error) {
	if q.Before {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.task.Event
	out := append([]ChatMessage{{Type: payload.TypeStr, IsUser: true, Content: chat.JSONString(e.Text), Time: e.Time}}, c.said...)
	if q.Last > 0 {
		out = out[max(0, len(out)-q.Last):]
	}
	return out, nil
}

// Reasoned implements Backend.
func (c *consultation) Reasoned(context.Context, time.Time) ([]chat.Reasoning, error) {
	return nil, nil
}

// Documents implements DocumentBackend.
func (c *consultation) Documents(ctx context.Context) ([]SessionDocument, error) {
	if b, ok := c.above.(DocumentBackend); ok {
		return b.Documents(ctx)
	}
	return nil, nil
}

// finding returns the result of the task.
func (c *consultation) finding(r Result) Finding {
	if !r.Place.Deadline.IsZero() {
		return Finding{Err: errTaskAsks}
	}
	var texts []string
	for _, m := range c.said {
		text, ok := m.Text()
		if ok && strings.TrimSpace(text) != "" {
			texts = append(texts, text)
		}
	}
	text := strings.Join(texts, "\n\n")
	if len(text) > maxFindings {
		text = strings.ToValidUTF8(text[:maxFindings], "")
	}
	return Finding{Text: text, Value: r.Variables[resultVariable]}
}

// noPeers refuses to talk to agents of other programs.
type noPeers struct{}

var errNoPeers = fault.New(fault.Conflict, "task_peers", "a consulted agent cannot talk to agents of other programs")

// Connect implements Peers.
func (noPeers) Connect(context.Context, chat.PeerRequest) error { return errNoPeers }

// Send implements Peers.
func (noPeers) Send(context.Context, chat.PeerRequest) (string, error) { return "", errNoPeers }
