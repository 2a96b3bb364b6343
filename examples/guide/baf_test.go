package guide_test

import (
	"context"
	"encoding/json"
	"fmt"

	"docent/agent"
	"docent/agent/intent"
	"docent/agent/reason"
	"docent/agent/tool"
	"docent/llm/llmtest"
	"docent/rag"
)

// The code of docs/how-to/coming-from-baf.md follows in its order.

func Example_bafGreetings() {
	a := agent.New("greetings")
	helloIntent := a.Intent("hello", "hello", "hi there")
	idle, hello := a.State("idle", agent.Initial), a.State("hello")
	idle.OnIntent(helloIntent).GoTo(hello)
	hello.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "Hi! How are you?") })
	hello.GoTo(idle)
	a.Fallback(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "Sorry?") })
	talk(a, "hi there", "what")
	// Output:
	// Hi! How are you?
	// Sorry?
}

func Example_bafEntities() {
	a := agent.New("weather")
	idle, tell := a.State("idle", agent.Initial), a.State("tell")
	city := a.Entity(intent.Listed("city", intent.Value{Value: "Rome", Synonyms: []string{"eternal city"}}, intent.Value{Value: "Paris"}))
	weather := a.Intent("weather", "what is the weather in CITY").Parameter("city", "CITY", city)
	tell.Body(func(ctx context.Context, s *agent.Session) error {
		prediction := s.Prediction()
		city, ok := prediction.Parameter("city")
		if !ok {
			city = "your city"
		}
		return s.Reply(ctx, "It is sunny in "+city)
	})
	idle.OnIntent(weather).GoTo(tell)
	tell.GoTo(idle)
	talk(a, "what is the weather in the eternal city")
	// Output: It is sunny in Rome
}

func Example_bafVariables() {
	a := agent.New("basket")
	buy, full := a.State("buy", agent.Initial), a.State("full")
	buy.Body(func(_ context.Context, s *agent.Session) error { return s.Set("items", agent.Get(s, "items", 0)+1) })
	buy.WhenVariable("items", agent.GreaterEqual, 3).GoTo(full)
	buy.OnNoIntent().GoTo(buy)
	buy.When(func(_ context.Context, s *agent.Session) (bool, error) { return agent.Get(s, "items", 0) > 9, nil }).GoTo(full)
	full.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "That is all.") })
	talk(a, "one", "two")
	// Output: That is all.
}

func Example_bafEvents() {
	a := agent.New("events")
	idle, read, order, ship := a.State("idle", agent.Initial), a.State("read"), a.State("order"), a.State("ship")
	idle.OnFile("application/pdf").GoTo(read)
	idle.OnJSON().GoTo(order)
	idle.OnEvent("shipped").GoTo(ship)
	fmt.Println(a.Validate())
	// Output: <nil>
}

func Example_bafDocuments() {
	a := agent.New("manuals")
	answer := a.State("answer", agent.Initial)
	answer.Body(agent.Answering(rag.Request{K: 4}))
	answer.OnMessage().GoTo(answer)
	talk(a, "How often is the pump serviced?")
	// Output: You asked: How often is the pump serviced?
}

func Example_bafSessionDocuments() {
	a := agent.New("own-files")
	idle, read, ask := a.State("idle", agent.Initial), a.State("read"), a.State("ask")
	for _, s := range []*agent.State{idle, read, ask} {
		s.OnFile().GoTo(read)
		s.OnMessage().GoTo(ask)
	}
	read.Body(func(ctx context.Context, s *agent.Session) error {
		return agent.DocumentsOf(s).AddFile(ctx, *s.Event().File)
	})
	ask.Body(agent.AnsweringFromSession(rag.Request{K: 4}))
	fmt.Println(a.Validate())
	// Output: <nil>
}

func Example_bafModels() {
	a := agent.New("chat")
	think, err := reason.New(scripted(llmtest.Say("Yes.")), reason.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	idle, chat := a.State("idle", agent.Initial), a.State("chat")
	a.ModelContext("You serve a shop.")
	chat.Body(func(ctx context.Context, s *agent.Session) error {
		if err := agent.SetModelContext(s, "user", "The user is "+s.Username()); err != nil {
			return err
		}
		return think(ctx, s) // a body of reason.New
	})
	idle.OnMessage().GoTo(chat)
	chat.GoTo(idle)
	talk(a, "Are you there?")
	// Output:
	// - reasoning started
	// Yes.
	// - reasoning finished
}

func bafReasoning() (*agent.Agent, error) {
	model := scripted(call("stock", `{"part":"valve"}`), llmtest.Say("There are 12 valves."))
	a := agent.New("think")
	type part struct {
		Part string `json:"part"`
	}
	stock, err := tool.New("stock", "Tell how many of a part there are.", func(context.Context, part) (any, error) { return 12, nil })
	if err != nil {
		return nil, err
	}
	body, err := reason.New(model, reason.Options{Tools: []tool.Tool{stock}})
	if err != nil {
		return nil, err
	}
	think := a.State("think", agent.Initial)
	think.Body(body)
	think.OnMessage().GoTo(think)
	return a, nil
}

func Example_bafReasoning() {
	a, err := bafReasoning()
	if err != nil {
		fmt.Println(err)
		return
	}
	talk(a, "How many valves are there?")
	// Output:
	// - reasoning started
	// - calling 1 tool(s): stock
	// - stock returned (2 chars)
	// There are 12 valves.
	// - reasoning finished
}

func Example_bafForms() {
	a := agent.New("booking")
	form := json.RawMessage(`{"name":"trip","modules":[]}`)
	ask, book := a.State("ask", agent.Initial), a.State("book")
	ask.Body(func(ctx context.Context, s *agent.Session) error { return s.ReplyGUI(ctx, "trip", form) })
	ask.OnForm("trip").GoTo(book)
	book.Body(func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, fmt.Sprint("To ", agent.GUIInputs(s, "trip")["city"]))
	})
	fmt.Println(a.Validate())
	// Output: <nil>
}

func Example_bafPeers() {
	a := agent.New("concierge")
	ask := a.State("ask", agent.Initial)
	ask.Body(func(ctx context.Context, s *agent.Session) error {
		if s.Message() == "" {
			return nil
		}
		_, err := s.SendToPeer(ctx, "ws://other:8765", "What will the weather be?")
		return err
	})
	ask.OnMessage().GoTo(ask)
	fmt.Println(a.Validate())
	// Output: <nil>
}
