package guide_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"docent/agent"
	"docent/agent/definition"
	"docent/agent/intent"
	"docent/agent/reason"
	"docent/agent/tool"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/rag"
)

// comparison is a conversation with both forms of an agent on the page.
type comparison struct {
	inGo     func() (*agent.Agent, error)
	messages []any
	said     string // without the steps of reasoning and without user interfaces
}

// comparisons are the conversations by the names of the agents. Those without messages
// need other services.
func comparisons() map[string]comparison {
	form := event{agent.EventUI, json.RawMessage(`{"messageId":"trip","action":"onSubmit","value":{"city":"Rome"}}`)}
	return map[string]comparison{
		"greetings": {bafGreetings, []any{"hi there", "what"}, "Hi! How are you?\nSorry?\n"},
		"weather":   {bafEntities, []any{"what is the weather in the eternal city"}, "It is sunny in Rome\n"},
		"basket":    {bafVariables, []any{"one", "two"}, "That is all.\n"},
		"events":    {bafEvents, []any{map[string]string{"item": "tea"}, event{"shipped", nil}}, "You order tea.\nIt is on its way.\n"},
		"manuals":   {bafDocuments, []any{"How often?"}, "You asked: How often?\n"},
		"chat":      {bafModels, []any{"Are you there?"}, "Yes.\n"},
		"think":     {bafReasoning, []any{"How many valves are there?"}, "There are 12 valves.\n"},
		"trips":     {bafForms, []any{form}, "To Rome\n"},
		"own-files": {bafSessionDocuments, nil, ""},
		"concierge": {bafPeers, nil, ""},
	}
}

// TestFromBAF holds a conversation with both forms of each agent on the page.
func TestFromBAF(t *testing.T) {
	t.Parallel()
	all := comparisons()
	blocks := blocksOf(t, fromBAF, "yaml")
	if len(blocks) != len(all) {
		t.Errorf("the page has %d agents, the test %d", len(blocks), len(all))
	}
	others := regexp.MustCompile(`(?m)^[-{].*\n`)
	for _, block := range blocks {
		name, _, _ := strings.Cut(strings.TrimPrefix(block, "name: "), "\n")
		c, ok := all[name]
		if !ok {
			t.Errorf("the agent %s has no conversation", name)
			continue
		}
		env := definition.Environment{Model: "m", Models: map[string]llm.Model{"m": scripted(llmtest.Say(strings.TrimSpace(c.said)))}}
		d, err := definition.Parse(t.Context(), name+".yaml", []byte(block), env)
		if err != nil {
			t.Error(err)
			continue
		}
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
		inGo, err := c.inGo()
		if err == nil {
			err = inGo.Validate()
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(c.messages) == 0 {
			continue
		}
		for form, a := range map[string]*agent.Agent{"Go": inGo, "YAML": d.Agent} {
			var out strings.Builder
			converse(&out, a, c.messages...)
			if said := others.ReplaceAllString(out.String(), ""); said != c.said {
				t.Errorf("%s in %s said:\n%s\nwant:\n%s", name, form, said, c.said)
			}
		}
	}
}

// The code of docs/how-to/coming-from-baf.md follows in its order.

func bafGreetings() (*agent.Agent, error) {
	a := agent.New("greetings")
	helloIntent := a.Intent("hello", "hello", "hi there")
	idle, hello := a.State("idle", agent.Initial), a.State("hello")
	idle.OnIntent(helloIntent).GoTo(hello)
	hello.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "Hi! How are you?") })
	hello.GoTo(idle)
	a.Fallback(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "Sorry?") })
	return a, nil
}

func bafEntities() (*agent.Agent, error) {
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
	return a, nil
}

func bafVariables() (*agent.Agent, error) {
	a := agent.New("basket")
	buy, full := a.State("buy", agent.Initial), a.State("full")
	buy.Body(func(_ context.Context, s *agent.Session) error { return s.Set("items", agent.Get(s, "items", 0)+1) })
	buy.WhenVariable("items", agent.GreaterEqual, 3).GoTo(full)
	buy.OnNoIntent().GoTo(buy)
	buy.When(func(_ context.Context, s *agent.Session) (bool, error) { return agent.Get(s, "items", 0) > 9, nil }).GoTo(full)
	full.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "That is all.") })
	return a, nil
}

func bafEvents() (*agent.Agent, error) {
	a := agent.New("events")
	idle, read, order, ship := a.State("idle", agent.Initial), a.State("read"), a.State("order"), a.State("ship")
	idle.OnFile("application/pdf").GoTo(read)
	idle.OnJSON().GoTo(order)
	idle.OnEvent("shipped").GoTo(ship)
	read.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "I read "+s.Message()+".") })
	order.Body(func(ctx context.Context, s *agent.Session) error {
		var order struct{ Item string }
		if err := json.Unmarshal(s.Event().JSON, &order); err != nil {
			return err
		}
		return s.Reply(ctx, "You order "+order.Item+".")
	})
	ship.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "It is on its way.") })
	for _, s := range []*agent.State{read, order, ship} {
		s.GoTo(idle)
	}
	return a, nil
}

func bafDocuments() (*agent.Agent, error) {
	a := agent.New("manuals")
	answer := a.State("answer", agent.Initial)
	answer.Body(agent.Answering(rag.Request{K: 4}))
	answer.OnMessage().GoTo(answer)
	return a, nil
}

func bafSessionDocuments() (*agent.Agent, error) {
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
	return a, nil
}

func bafModels() (*agent.Agent, error) {
	a := agent.New("chat")
	idle, chat := a.State("idle", agent.Initial), a.State("chat")
	a.ModelContext("You serve a shop.")
	chat.Body(func(ctx context.Context, s *agent.Session) error {
		if err := agent.SetModelContext(s, "user", "The user is "+s.Username()); err != nil {
			return err
		}
		return agent.Asking(agent.AskRequest{History: 4})(ctx, s)
	})
	idle.OnMessage().GoTo(chat)
	chat.GoTo(idle)
	return a, nil
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

func bafForms() (*agent.Agent, error) {
	a := agent.New("booking")
	form := json.RawMessage(`{"name":"trip","modules":[]}`)
	ask, book := a.State("ask", agent.Initial), a.State("book")
	ask.Body(func(ctx context.Context, s *agent.Session) error { return s.ReplyGUI(ctx, "trip", form) })
	ask.OnForm("trip").GoTo(book)
	book.Body(func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, fmt.Sprint("To ", agent.GUIInputs(s, "trip")["city"]))
	})
	return a, nil
}

func bafPeers() (*agent.Agent, error) {
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
	return a, nil
}
