package reason_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/reason"
	"docent/agent/session"
	"docent/agent/tool"
	"docent/llm/llmtest"
	"docent/payload"
)

// till is a tool that pays, and records its calls.
type till struct {
	mu    sync.Mutex
	calls []string
	// hold, if set, blocks a call until it is closed. Each call sends to begun first.
	hold, begun chan struct{}
}

func (p *till) tool() tool.Tool {
	type in struct {
		Amount int `json:"amount"`
	}
	t, err := tool.New("pay", "Pays.", func(ctx context.Context, in in) (any, error) {
		p.mu.Lock()
		p.calls = append(p.calls, fmt.Sprint(in.Amount))
		p.mu.Unlock()
		if p.hold != nil {
			p.begun <- struct{}{}
			<-p.hold
		}
		return fmt.Sprintf("paid %d", in.Amount), nil
	})
	if err != nil {
		panic(err)
	}
	return t
}

func (p *till) paid() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.calls, " ")
}

// desk is an agent whose payments a user must allow.
type desk struct {
	*reasoning
	till  *till
	model *llmtest.Model
}

func deskAgent(t *testing.T, p *till, model *llmtest.Model, o reason.Options) *agent.Agent {
	t.Helper()
	o.Tools, o.Approve, o.NoPlanning = append(o.Tools, p.tool()), append(o.Approve, "pay"), true
	body, err := reason.New(model, o)
	if err != nil {
		t.Fatal(err)
	}
	a := agent.New("desk")
	think, away := a.State("think", agent.Initial), a.State("away")
	think.Body(body)
	think.OnEvent("leave").GoTo(away)
	think.OnMessage().GoTo(think)
	away.OnMessage().GoTo(think)
	return a
}

func runDesk(t *testing.T, store *agenttest.Store, p *till, o reason.Options, replies ...llmtest.Reply) *desk {
	t.Helper()
	model := llmtest.NewModel(llmtest.Script(replies...))
	r := &reasoning{t: t, store: store}
	r.rt = start(t, session.RuntimeConfig{
		Agent: deskAgent(t, p, model, o), Store: store, Now: time.Now, FlushAfter: time.Hour,
	})
	r.sub, r.client, _ = open(t, r.rt, "s")
	return &desk{r, p, model}
}

// say sends a message and returns the replies of its turn. Options are in brackets.
func (d *desk) say(text string) string {
	d.t.Helper()
	return replies(d.t, d.ask(text))
}

func replies(t *testing.T, heard []session.Delivery) string {
	t.Helper()
	var out []string
	for _, h := range heard {
		switch {
		case h.Frame.Seq == 0:
		case h.Frame.Action == payload.ReplyStr:
			out = append(out, text(t, h))
		case h.Frame.Action == payload.ReplyOptions:
			var o payload.Options
			if err := json.Unmarshal(h.Frame.Message, &o); err != nil {
				t.Fatal(err)
			}
			out = append(out, fmt.Sprint([]string(o)))
		case h.Frame.Action == payload.ErrorAction:
			out = append(out, string(h.Frame.Message))
		}
	}
	return strings.Join(out, " | ")
}

const (
	question = `May I call pay with {"amount":20}? | [Allow Refuse Always allow in this conversation]`
	pay20    = `{"amount":20}`
)

func TestApproval(t *testing.T) {
	for name, test := range map[string]struct {
		answer, paid, told string
	}{
		"allow":      {"Allow", "20", "paid 20"},
		"yes":        {" yes. ", "20", "paid 20"},
		"change":     {`Allow {"amount": 5}`, "5", `The user changed the arguments to {\"amount\":5}`},
		"bad change": {`Allow {"amount": "much"}`, "", "ERROR"},
		"refuse":     {"refuse", "", "The user refused this call."},
		"no object":  {`Allow {"amount"`, "", "The user did not allow this call"},
		"words":      {"Only ten, please", "", "The user did not allow this call and wrote: Only ten, please"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := runDesk(t, agenttest.NewStore(), &till{}, reason.Options{}, calls("", "pay", pay20), llmtest.Say("Fine."))
				if got := d.say("Pay 20"); got != question {
					t.Fatalf("asked %s", got)
				}
				if d.till.paid() != "" {
					t.Fatal("paid without consent")
				}
				if got := d.say(test.answer); got != "Fine." {
					t.Errorf("answered %s", got)
				}
				if got := d.till.paid(); got != test.paid {
					t.Errorf("paid %q, want %q", got, test.paid)
				}
				all, _ := json.Marshal(d.model.Requests()[1].Messages)
				if !strings.Contains(string(all), test.told) {
					t.Errorf("the model got %s, want %s", all, test.told)
				}
			})
		})
	}
}

// TestAlwaysAllow: later calls of the same tool need no answer.
func TestAlwaysAllow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := runDesk(t, agenttest.NewStore(), &till{}, reason.Options{},
			calls("", "pay", pay20, "pay", `{"amount":21}`), llmtest.Say("Both."), calls("", "pay", `{"amount":22}`), llmtest.Say("Again."))
		if got := d.say("Pay twice"); got != question {
			t.Fatalf("asked %s", got)
		}
		if got := d.say("Always allow in this conversation"); got != "Both." {
			t.Errorf("answered %s", got)
		}
		if got := d.say("Pay again"); got != "Again." || d.till.paid() != "20 21 22" {
			t.Errorf("answered %s, paid %s", got, d.till.paid())
		}
	})
}

// TestApprovalsInOneStep: each call has its own question, and other tools run at once.
func TestApprovalsInOneStep(t *testing.T) {
	bubble(t, func(t *testing.T) {
		looked := 0
		look := tool.Tool{Name: "look", Call: func(context.Context, json.RawMessage) (any, error) { looked++; return "seen", nil }}
		d := runDesk(t, agenttest.NewStore(), &till{}, reason.Options{Tools: []tool.Tool{look}},
			calls("", "pay", pay20, "look", `{}`, "pay", `{"amount":21}`, "pay", `{"amount":"x"}`), llmtest.Say("Done."))
		if got := d.say("Go"); got != question || looked != 1 {
			t.Fatalf("asked %s, looked %d times", got, looked)
		}
		if got := d.say("No"); !strings.HasPrefix(got, `May I call pay with {"amount":21}?`) {
			t.Fatalf("asked %s", got)
		}
		if got := d.say("Allow"); got != "Done." || d.till.paid() != "21" {
			t.Errorf("answered %s, paid %s", got, d.till.paid())
		}
		results := 0
		for _, m := range d.model.Requests()[1].Messages {
			if m.Role == "tool" {
				results++
			}
		}
		if results != 4 {
			t.Errorf("the model got %d results for 4 calls", results)
		}
	})
}

// TestApprovalAfterRestart: another process goes on after the answer.
func TestApprovalAfterRestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := agenttest.NewStore()
		first := runDesk(t, store, &till{}, reason.Options{Knowledge: knowledge()},
			calls("", "search_knowledge", `{"query":"cats"}`), calls("", "pay", pay20))
		first.say("Pay 20 for cats")
		agenttest.Stop(t, first.rt)

		second := runDesk(t, store, &till{}, reason.Options{Knowledge: knowledge()}, llmtest.Say("Cats sleep [1]. Paid."))
		second.ask("Allow")
		if second.till.paid() != "20" {
			t.Errorf("paid %q", second.till.paid())
		}
		if record := second.rows(); !strings.Contains(record, `"document":"Cats"`) && !strings.Contains(record, "Cats sleep most of the day") {
			t.Errorf("the answer has lost its passage:\n%s", record)
		}
	})
}

// TestApprovedCallOnce: a process that dies during an allowed call does not repeat it, and the user learns about it. tells is
// the step after which it dies.
func TestApprovedCallOnce(t *testing.T) {
	for _, always := range []bool{false, true} {
		t.Run(fmt.Sprint("always ", always), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				store, p := agenttest.NewStore(), &till{}
				script := []llmtest.Reply{calls("", "pay", pay20), llmtest.Say("One."), calls("", "pay", pay20), llmtest.Say("Two.")}
				d := runDesk(t, store, p, reason.Options{}, script...)
				d.say("Pay")
				last := "Allow"
				if always {
					d.say("always")
					last = "Pay again"
				}
				before := p.paid()
				p.mu.Lock()
				p.hold, p.begun = make(chan struct{}), make(chan struct{}, 1)
				p.mu.Unlock()
				send(t, d.sub, "m", last)
				<-p.begun
				// The process hangs now, as if it were dead.
				next := runDesk(t, store, p, reason.Options{}, llmtest.Say("Nothing to do."))
				said := replies(t, next.heard())
				if !strings.Contains(said, "docent was stopped while it called pay; check whether the call took effect") {
					t.Errorf("said %s", said)
				}
				if got := next.say("Allow"); got != "Nothing to do." {
					t.Errorf("a second answer: %s", got)
				}
				if got, want := p.paid(), strings.TrimSpace(before+" 20"); got != want {
					t.Errorf("paid %s, want %s", got, want)
				}
				close(p.hold)
			})
		})
	}
}

// TestApprovalExpires: the question ends without an answer, also if nobody is connected.
func TestApprovalExpires(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := agenttest.NewStore()
		d := runDesk(t, store, &till{}, reason.Options{ApproveWithin: time.Hour}, calls("", "pay", pay20), llmtest.Say("Hello."))
		d.say("Pay")
		agenttest.Stop(t, d.rt)
		model := llmtest.NewModel(llmtest.Script(llmtest.Say("Hello.")))
		again := deskAgent(t, d.till, model, reason.Options{})
		rt := start(t, session.RuntimeConfig{Agent: again, Store: store, Now: time.Now, FlushAfter: time.Hour})
		if err := rt.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-time.After(2 * time.Hour)
		synctest.Wait()
		if record := d.rows(); !strings.Contains(record, "I did not call pay: the time to allow it is over.") {
			t.Fatalf("nothing was said:\n%s", record)
		}
		late := &desk{&reasoning{t: t, store: store, rt: rt}, d.till, model}
		late.sub, late.client, _ = open(t, rt, "s")
		if got := late.say("Allow"); got != "Hello." || d.till.paid() != "" {
			t.Errorf("late: %s, paid %q", got, d.till.paid())
		}
	})
}

// TestApprovalOfAnotherState: a session that leaves the state refuses the call.
func TestApprovalOfAnotherState(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := runDesk(t, agenttest.NewStore(), &till{}, reason.Options{}, calls("", "pay", pay20), llmtest.Say("What?"))
		d.say("Pay")
		if err := d.rt.Dispatch(t.Context(), "s", agent.Event{Name: "leave"}); err != nil {
			t.Fatal(err)
		}
		d.heard()
		if got := d.say("Allow"); got != "What?" || d.till.paid() != "" {
			t.Errorf("answered %s, paid %q", got, d.till.paid())
		}
	})
}

// TestEarlyConsent: a message from before the question does not allow the call.
func TestEarlyConsent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		thinking, answer := make(chan struct{}), make(chan struct{})
		slow := tool.Tool{Name: "slow", Call: func(context.Context, json.RawMessage) (any, error) {
			close(thinking)
			<-answer
			return "ready", nil
		}}
		d := runDesk(t, agenttest.NewStore(), &till{}, reason.Options{Tools: []tool.Tool{slow}},
			calls("", "slow", `{}`, "pay", pay20), llmtest.Say("Fine."))
		send(t, d.sub, "", "Pay")
		<-thinking
		send(t, d.sub, "", "Yes")
		close(answer)
		d.heard()
		if got := replies(t, d.heard()); got != "Fine." || d.till.paid() != "" {
			t.Errorf("answered %s, paid %q", got, d.till.paid())
		}
	})
}

// TestApproveChecks: unknown tools, and arguments that nobody can check, are refused.
func TestApproveChecks(t *testing.T) {
	t.Parallel()
	if _, err := reason.New(llmtest.NewModel(nil), reason.Options{Approve: []string{"pay"}}); err == nil || !strings.Contains(err.Error(), "there is no tool pay") {
		t.Errorf("New: %v", err)
	}
	long := tool.Tool{Name: "write", Parameters: json.RawMessage(`{"type":"object"}`), Call: func(context.Context, json.RawMessage) (any, error) { return "x", nil }}
	d := runDesk(t, agenttest.NewStore(), &till{}, reason.Options{Tools: []tool.Tool{long}, Approve: []string{"write"}},
		calls("", "write", `{"text":"`+strings.Repeat("x", agent.MaxShownArguments)+`"}`), llmtest.Say("Too long."))
	if got := d.say("Write"); got != "Too long." {
		t.Errorf("answered %s", got)
	}
	names := slices.Collect(func(yield func(string) bool) {
		for name := range d.variables() {
			if !yield(name) {
				return
			}
		}
	})
	if slices.Contains(names, "approval_open") {
		t.Error("a question is open")
	}
}

// variables returns the stored variables.
func (d *desk) variables() map[string]json.RawMessage {
	record, _, _ := d.store.Stored("s")
	return record.Variables
}
