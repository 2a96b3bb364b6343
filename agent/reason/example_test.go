package reason_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/reason"
	"docent/agent/session"
	"docent/agent/tool"
	"docent/llm/llmtest"
	"docent/payload"
)

// printer is a client that prints the messages it receives.
type printer struct{ done chan struct{} }

func (p printer) Opened(session.Opened) {}

func (p printer) Deliver(d session.Delivery) {
	switch d.Frame.Action {
	case payload.ReplyReasoningStep:
		var step payload.ReasoningStep
		if err := json.Unmarshal(d.Frame.Message, &step); err == nil && d.Audience != session.Streaming {
			fmt.Printf("(%s)\n", step.Summary)
		}
	case payload.ReplyStr:
		fmt.Println(strings.Trim(string(d.Frame.Message), `"`))
	case payload.TurnFinishedAction:
		close(p.done)
	}
}

// An agent whose model may call a Go function. The model here follows a script;
// llm.NewOpenAI makes a real one.
func ExampleNew() {
	type weatherInput struct {
		City string `json:"city" description:"The city's name."`
	}
	weather, err := tool.New("weather", "Tells the weather in a city.", func(_ context.Context, in weatherInput) (any, error) {
		return "sunny in " + in.City, nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	model := llmtest.NewModel(llmtest.Script(
		llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: "1", Name: "weather", Arguments: `{"city":"Madrid"}`}}},
		llmtest.Say("It is sunny in Madrid."),
	))
	body, err := reason.New(model, reason.Options{Tools: []tool.Tool{weather}, MaxSteps: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	a := agent.New("weather")
	think := a.State("think", agent.Initial)
	think.Body(body)
	think.OnMessage().GoTo(think)

	rt, err := session.NewRuntime(session.RuntimeConfig{Agent: a, Store: agenttest.NewStore()})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	client := printer{make(chan struct{})}
	sub, err := rt.Open(ctx, session.OpenRequest{}, client)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := sub.Send(ctx, session.Message{Content: json.RawMessage(`"How is the weather in Madrid?"`), Human: true}); err != nil {
		fmt.Println(err)
		return
	}
	<-client.done
	sub.Close()
	if err := rt.Shutdown(ctx); err != nil {
		fmt.Println(err)
	}
	// Output:
	// (reasoning started)
	// (calling 1 tool(s): weather)
	// (weather returned (15 chars))
	// It is sunny in Madrid.
	// (reasoning finished)
}
