package definition_test

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

	"docent/agent/agenttest"
	"docent/agent/chat"
	"docent/agent/definition"
	"docent/agent/recording"
	"docent/agent/session"
	"docent/agent/tool"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/payload"
)

// TestApprove: after the answer, a body goes on with the action that asked, also inside of if.
func TestApprove(t *testing.T) {
	t.Parallel()
	paid := 0
	pay := tool.Tool{Name: "pay", Call: func(context.Context, json.RawMessage) (any, error) { paid++; return "paid", nil }}
	model := llmtest.NewModel(llmtest.Script(
		llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: "a", Name: "pay", Arguments: `{}`}}}, llmtest.Say("It is paid."),
	))
	text := `
name: desk
tools: {functions: [pay]}
states:
  a: {initial: true, on: [{message: any, to: b}]}
  b:
    body:
      - reply: Let me see.
      - if: {variable: quick}
        then: [{reply: quick}]
        else:
          - set: {quick: true}
          - reason: {approve: [pay], approve_within: 1h, steps: false, planning: false}
          - reply: Anything else?
      - reply: Bye.
    on: [{message: any, to: b}]
`
	env := definition.Environment{Models: map[string]llm.Model{"m": model}, Model: "m", Functions: []tool.Tool{pay}}
	k, _ := begin(t, parse(t, text, env).Agent, session.RuntimeConfig{}, 0)
	equal(t, "question", k.say("Pay"), []string{
		reply("Let me see."), reply("May I call pay with {}?"),
		`agent_reply_options "{\"0\": \"Allow\", \"1\": \"Refuse\", \"2\": \"Always allow in this conversation\"}"`,
	})
	equal(t, "answer", k.say("Allow"), []string{ // without the step, a crash could repeat the call
		`agent_reply_reasoning_step {"kind":"llm_tool_calls","step":0,"summary":"calling 1 tool(s): pay",` +
			`"details":{"tool_calls":[{"id":"a","name":"pay","arguments":{}}],"approved":["a"]}}`,
		reply("It is paid."), reply("Anything else?"), reply("Bye."),
	})
	equal(t, "later", k.say("x"), []string{reply("Let me see."), reply("quick"), reply("Bye.")})
	if paid != 1 {
		t.Errorf("paid %d times", paid)
	}
	wrong(t, `
name: desk
model: m
states:
  a: {initial: true, body: [{reason: {approve: [pay]}}], on: [{message: any, to: a}]}
`, env)
}

// payments is a tool that pays, and counts its calls.
type payments struct {
	mu   sync.Mutex // guards made
	made []string
	// hold, if set, blocks a call until it is closed. Each call sends to begun first.
	hold, begun chan struct{}
}

func (p *payments) tool() tool.Tool {
	return tool.Tool{
		Name: "pay", Parameters: json.RawMessage(`{"type":"object","properties":{"amount":{"type":"integer"}},"required":["amount"]}`),
		Call: func(_ context.Context, arguments json.RawMessage) (any, error) {
			p.mu.Lock()
			p.made = append(p.made, string(arguments))
			p.mu.Unlock()
			if p.hold != nil {
				p.begun <- struct{}{}
				<-p.hold
			}
			return map[string]string{"receipt": "R1"}, nil
		},
	}
}

func (p *payments) paid() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.made, " ")
}

// payDesk leaves the paying state by itself, after the answer of the user.
const payDesk = `
name: desk
tools: {functions: [pay]}
states:
  idle: {initial: true, on: [{message: any, to: pay}]}
  pay:
    body:
      - call: {tool: pay, arguments: {amount: "{{.message * 1}}"}, into: receipt, approve: true, approve_within: 1h}
        else: [{reply: "Not paid: {{.message}}"}]
      - if: {variable: receipt}
        then: [{reply: "Paid with {{.variables.receipt.receipt}}."}]
    then: idle
`

// till runs payDesk on a store.
func till(t *testing.T, store *agenttest.Store, p *payments) (*session.Runtime, *session.Subscription, *agenttest.Client) {
	t.Helper()
	d := parse(t, payDesk, definition.Environment{Functions: []tool.Tool{p.tool()}})
	rt := agenttest.Start(t, session.RuntimeConfig{Agent: d.Agent, Store: store, Now: time.Now, FlushAfter: time.Hour})
	sub, client, _ := agenttest.OpenSession(t, rt, "s")
	return rt, sub, client
}

// told returns the replies and errors up to the end of a turn.
func told(t *testing.T, c *agenttest.Client) string {
	t.Helper()
	var out []string
	for d := c.Next(); d.Frame.Action != payload.TurnFinishedAction; d = c.Next() {
		switch {
		case d.Frame.Action == payload.ReplyStr && d.Frame.Seq > 0:
			out = append(out, agenttest.Text(t, d))
		case d.Frame.Action == payload.ReplyOptions && d.Frame.Seq > 0:
			out = append(out, "?")
		case d.Frame.Action == payload.ErrorAction:
			out = append(out, string(d.Frame.Message))
		}
	}
	return strings.Join(out, " | ")
}

// TestApproveCall asks before the call of a state. The user allows, changes, or refuses it, and the state waits for that.
func TestApproveCall(t *testing.T) {
	t.Parallel()
	const question = `May I call pay with {"amount":20}? | ?`
	for name, test := range map[string]struct{ answer, paid, told string }{
		"allow":      {"Allow", `{"amount":20}`, "Paid with R1."},
		"ok":         {"OK", `{"amount":20}`, "Paid with R1."},
		"change":     {`Allow {"amount": 5}`, `{"amount":5}`, "Paid with R1."},
		"bad change": {`Allow {"amount": "much"}`, "", `Not paid: Allow {"amount": "much"}`},
		"refuse":     {"Refuse", "", "Not paid: Refuse"},
		"words":      {"Only ten, please", "", "Not paid: Only ten, please"},
	} {
		t.Run(name, func(t *testing.T) {
			agenttest.Bubble(t, func(t *testing.T) {
				p, store := &payments{}, agenttest.NewStore()
				_, sub, client := till(t, store, p)
				agenttest.Send(t, sub, "", "20")
				if got := told(t, client); got != question || p.paid() != "" {
					t.Fatalf("asked %s, paid %s", got, p.paid())
				}
				agenttest.Send(t, sub, "", test.answer)
				if got := told(t, client); got != test.told || p.paid() != test.paid {
					t.Errorf("said %s, paid %s", got, p.paid())
				}
				if record, _, _ := store.Stored("s"); record.State != "idle" {
					t.Errorf("the state is %s", record.State)
				}
			})
		})
	}
	got := wrong(t, strings.Replace(payDesk, "        else: [{reply: \"Not paid: {{.message}}\"}]\n", "", 1),
		definition.Environment{Functions: []tool.Tool{(&payments{}).tool()}})
	equal(t, "without else", got, []string{"agent.yaml:8: call with approve needs else beside it: what to do if the user does not allow the call"})
	got = wrong(t, strings.Replace(payDesk, "approve: true, ", "", 1), definition.Environment{Functions: []tool.Tool{(&payments{}).tool()}})
	equal(t, "without approve", got, []string{"agent.yaml:8: approve_within belongs to a call with approve: true"})
}

// TestApproveQuestion asks with a text of the file.
func TestApproveQuestion(t *testing.T) {
	asking := strings.Replace(payDesk, "approve: true,", `approve: true, question: "Shall I pay {{.message}} euros?",`, 1)
	functions := definition.Environment{Functions: []tool.Tool{(&payments{}).tool()}}
	agenttest.Bubble(t, func(t *testing.T) {
		p := &payments{}
		d := parse(t, asking, definition.Environment{Functions: []tool.Tool{p.tool()}})
		rt := agenttest.Start(t, session.RuntimeConfig{Agent: d.Agent, Store: agenttest.NewStore(), Now: time.Now})
		sub, client, _ := agenttest.OpenSession(t, rt, "s")
		agenttest.Send(t, sub, "", "20")
		equal(t, "the question", []string{told(t, client)}, []string{"Shall I pay 20 euros? | ?"})
		agenttest.Send(t, sub, "", "Allow")
		equal(t, "the answer", []string{told(t, client), p.paid()}, []string{"Paid with R1.", `{"amount":20}`})
	})
	got := wrong(t, strings.Replace(asking, "approve: true, ", "", 1), functions)
	equal(t, "without approve", got[len(got)-1:], []string{"agent.yaml:8: approve_within belongs to a call with approve: true"})
	got = wrong(t, strings.Replace(strings.Replace(asking, "approve: true, ", "", 1), ", approve_within: 1h", "", 1), functions)
	equal(t, "only a question", got, []string{"agent.yaml:8: question belongs to a call with approve: true"})
}

// TestAlwaysApprovedCall makes later calls without a question. Wrong arguments are never asked about.
func TestAlwaysApprovedCall(t *testing.T) {
	agenttest.Bubble(t, func(t *testing.T) {
		p := &payments{}
		_, sub, client := till(t, agenttest.NewStore(), p)
		for _, step := range []struct{ say, told, paid string }{
			{"much", "Not paid: much", ""},
			{"20", `May I call pay with {"amount":20}? | ?`, ""},
			{"always", "Paid with R1.", `{"amount":20}`},
			{"21", "Paid with R1.", `{"amount":20} {"amount":21}`},
			{"much", "Not paid: much", `{"amount":20} {"amount":21}`}, // the receipt of the last call is gone
		} {
			agenttest.Send(t, sub, "", step.say)
			if got := told(t, client); got != step.told || p.paid() != step.paid {
				t.Errorf("after %s: said %s, paid %s", step.say, got, p.paid())
			}
		}
	})
}

// TestApproveCallAfterRestart: another process makes the call after the answer, once, or lets the question expire.
func TestApproveCallAfterRestart(t *testing.T) {
	for _, expires := range []bool{false, true} {
		t.Run(fmt.Sprint("expires ", expires), func(t *testing.T) {
			agenttest.Bubble(t, func(t *testing.T) {
				p, store := &payments{}, agenttest.NewStore()
				rt, sub, client := till(t, store, p)
				agenttest.Send(t, sub, "", "20")
				told(t, client)
				sub.Close()
				agenttest.Stop(t, rt)

				rt, sub, client = till(t, store, p)
				want, paid := "Paid with R1.", `{"amount":20}`
				if expires {
					if err := rt.Start(t.Context()); err != nil {
						t.Fatal(err)
					}
					<-time.After(2 * time.Hour) // of the bubble
					synctest.Wait()
					want, paid = "I did not call pay: the time to allow it is over.", ""
				} else {
					agenttest.Send(t, sub, "", "Allow")
					if got := told(t, client); got != want {
						t.Errorf("said %s", got)
					}
				}
				_, messages, _ := store.Stored("s")
				if !slices.ContainsFunc(messages, func(m chat.Message) bool { text, _ := m.Text(); return text == want }) || p.paid() != paid {
					t.Errorf("paid %s, and the messages are %v", p.paid(), messages)
				}
			})
		})
	}
}

// TestApprovedCallOfStateOnce: a process that dies during an allowed call does not repeat it, and the user learns about it.
func TestApprovedCallOfStateOnce(t *testing.T) {
	agenttest.Bubble(t, func(t *testing.T) {
		p, store := &payments{hold: make(chan struct{}), begun: make(chan struct{}, 1)}, agenttest.NewStore()
		_, sub, client := till(t, store, p)
		agenttest.Send(t, sub, "", "20")
		told(t, client)
		agenttest.Send(t, sub, "", "Allow")
		<-p.begun
		// The process hangs now, as if it were dead.
		_, next, later := till(t, store, p)
		if got := told(t, later); !strings.Contains(got, "docent was stopped while it called pay; check whether the call took effect") {
			t.Errorf("said %s", got)
		}
		agenttest.Send(t, next, "", "Allow")
		if got := told(t, later); strings.Contains(got, "Paid") || p.paid() != `{"amount":20}` {
			t.Errorf("a second answer: %s, paid %s", got, p.paid())
		}
		close(p.hold)
	})
}

// TestReplayOfApprovedCall: a stored conversation has the result of an approved call, and no answer of a model.
func TestReplayOfApprovedCall(t *testing.T) {
	agenttest.Bubble(t, func(t *testing.T) {
		store := agenttest.NewStore()
		_, sub, client := till(t, store, &payments{})
		for _, said := range []string{"20", "Allow"} {
			agenttest.Send(t, sub, "", said)
			told(t, client)
		}
		var messages []chat.Message
		var steps []chat.Reasoning
		for _, e := range store.Record("s") {
			if e.Message != nil {
				messages = append(messages, *e.Message)
			} else {
				steps = append(steps, *e.Step)
			}
		}
		const want = "user: 20\nagent: May I call pay with {\"amount\":20}?\n" +
			"agent: {\"0\": \"Allow\", \"1\": \"Refuse\", \"2\": \"Always allow in this conversation\"}\n" +
			"user: Allow\ntool: pay {\"receipt\":\"R1\"}\nagent: Paid with R1.\n"
		if got := recording.FromStored("S", messages, steps, nil).String(); got != want {
			t.Errorf("recorded\n%s", got)
		}
	})
}
