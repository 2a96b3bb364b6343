package agent_test

import (
	"context"
	"testing"
	"time"

	"docent/agent"
)

// TestMermaid draws events, conditions, timers, and global states.
func TestMermaid(t *testing.T) {
	t.Parallel()
	a := agent.New("shop")
	order, help := a.Intent("order", "I want to order"), a.Intent("help", "help")
	idle, wait, paid, more := a.State("idle", agent.Initial), a.State("wait"), a.State(`paid: "all"`), a.State("more")
	advise, moved := a.State("advise"), a.State("moved", agent.ByMove)
	idle.OnIntent(order).GoTo(wait)
	idle.OnNoIntent().GoTo(idle)
	idle.OnFile("pdf").GoTo(wait)
	wait.OnEvent("checkout").WhenVariable("paid", agent.Equal, true).GoTo(paid)
	wait.After(time.Minute).GoTo(idle)
	wait.OnOtherEvent().WhenNamed("it is late", func(context.Context, *agent.Session) (bool, error) { return true, nil }).GoTo(idle)
	paid.GoTo(idle)
	advise.Global(help)
	advise.GoTo(more)
	moved.OnMessage().GoTo(idle)
	moved.OnForm("trip").GoTo(idle)
	const want = `stateDiagram-v2
    state "idle" as s1
    state "wait" as s2
    state "paid#58; #quot;all#quot;" as s3
    state "more" as s4
    state "advise" as s5
    state "moved" as s6
    [*] --> s1
    state "any state" as any
    s1 --> s2 : intent order
    s1 --> s1 : no intent
    s1 --> s2 : file pdf
    s2 --> s3 : event checkout, variable paid == true
    s2 --> s1 : after 1m
    s2 --> s1 : any other event, it is late
    s3 --> s1
    s5 --> s4
    s6 --> s1 : message
    s6 --> s1 : form trip
    any --> s5 : intent help
    s4 --> any : back
`
	got, err := a.Mermaid()
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := agent.New("none").Mermaid(); err == nil {
		t.Error("an agent without states is drawn")
	}
}
