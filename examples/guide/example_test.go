package guide_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"docent/rag/corpus"

	"docent/agent"
	"docent/agent/definition"
	"docent/agent/intent"
	"docent/agent/reason"
	"docent/agent/tool"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/payload"
	"docent/rag"
	"docent/rag/pipeline"
)

func Example_first() {
	talk(support(), "How often is the pump serviced?")
	// Output:
	// Hi Ada! Ask me about the manuals.
	// You asked: How often is the pump serviced?
}

// The first agent of the guide.
func support() *agent.Agent {
	a := agent.New("support")
	greet, answer := a.State("greet", agent.Initial), a.State("answer")
	greet.Body(func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, "Hi "+s.Username()+"! Ask me about the manuals.")
	})
	greet.OnMessage().GoTo(answer)
	answer.Body(func(ctx context.Context, s *agent.Session) error {
		message, err := s.RunRAG(ctx, rag.Request{K: 6, History: 4}) // no Question: the text of the event
		if err != nil {
			return err
		}
		return s.ReplyRAG(ctx, message)
	})
	answer.OnMessage().GoTo(answer)
	return a
}

func Example_subAgents() {
	cashier := agent.New("cashier")
	card, done := cashier.State("card", agent.Initial), cashier.State("done")
	card.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "Which card?") })
	card.OnText().GoTo(done)
	done.Body(func(_ context.Context, s *agent.Session) error { return s.Set("paid", true) })
	a := agent.New("shop")
	order := a.Intent("order", "I want to pay")
	idle, ended := a.State("idle", agent.Initial), a.State("ended")
	pay, thanks := a.State("pay"), a.State("thanks")
	idle.OnIntent(order).GoTo(pay)
	pay.HandOver(cashier)
	pay.WhenVariable("paid", agent.Equal, true).GoTo(thanks)
	thanks.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "Thanks. What else?") })
	thanks.OnText().GoTo(ended)
	if err := look(ended); err != nil {
		fmt.Println(err)
		return
	}
	talk(a, "I want to pay", "gold", "valve")
	// Output:
	// Which card?
	// Thanks. What else?
	// We have a valve. It costs 4 €.
}

// look asks two agents in a state.
func look(look *agent.State) error {
	partsAgent, pricesAgent := saying("We have a valve."), saying("It costs 4 €.")
	parts, err := agent.NewConsultant(partsAgent)
	if err != nil {
		return err
	}
	prices, err := agent.NewConsultant(pricesAgent)
	if err != nil {
		return err
	}
	look.Body(func(ctx context.Context, s *agent.Session) error {
		found, err := agent.Consult(ctx, s,
			agent.Task{To: parts, Text: s.Message()}, agent.Task{To: prices, Text: s.Message(), MaxTokens: 20_000})
		if err != nil {
			return err
		}
		return s.Reply(ctx, found[0].Text+" "+found[1].Text) // Err is the reason for which a task failed
	})
	return nil
}

// saying returns an agent that says one text.
func saying(text string) *agent.Agent {
	a := agent.New("saying")
	a.State("say", agent.Initial).Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, text) })
	return a
}

func Example_transitions() {
	a := agent.New("shop")
	order := a.Intent("order", "I want to order", "order a pump")
	start, wait, paid, done := a.State("start", agent.Initial), a.State("wait"), a.State("paid"), a.State("done")
	rich := func(_ context.Context, s *agent.Session) (bool, error) { return agent.Get(s, "money", 0) > 9, nil }
	late := func(_ context.Context, s *agent.Session) (bool, error) { return s.Now().Hour() > 18, nil }
	code := regexp.MustCompile(`^[A-Z]+$`)

	start.OnIntent(order).GoTo(wait)                                  // a text that has the intent
	start.OnNoIntent().When(rich).GoTo(wait)                          // a text without an intent of the state, while the condition holds
	start.OnFile("image/*", "pdf").GoTo(wait)                         // a file: of a media type, a family of them, an extension
	start.OnJSON().GoTo(wait)                                         // a message that is a JSON object
	start.OnText().WhenMatches(code).GoTo(wait)                       // a text that matches a regular expression
	start.OnText().GoTo(wait)                                         // any text
	start.OnMessage().GoTo(wait)                                      // any text or JSON message
	start.OnEvent("checkout").GoTo(wait)                              // an event of a program or the user interface
	wait.OnEvent().WhenVariable("paid", agent.Equal, true).GoTo(paid) // any event at all, while the variable has the value
	wait.OnOtherEvent().GoTo(wait)                                    // a file or an event, but no message
	wait.WhenVariable("paid", agent.Equal, true).GoTo(paid)           // no event: as soon as the variable has the value
	wait.When(rich).GoTo(paid)                                        // no event: as soon as the condition holds
	wait.WhenNamed("it is late", late).GoTo(done)                     // the same, with a name for the store
	wait.After(5 * time.Minute).GoTo(done)                            // no event: when it has been in the state that long
	paid.GoTo(done)                                                   // at once, when the body is done; then it is the only one
	fmt.Println(a.Validate())
	// Output: <nil>
}

func Example_global() {
	a := agent.New("tickets")
	help := a.Intent("help", "help", "I need help", "what can I do here")
	city, date, advise := a.State("city", agent.Initial), a.State("date"), a.State("advise")
	ask := func(question string) agent.Body {
		return func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, question) }
	}
	city.Body(ask("Where to?"))
	city.OnText().GoTo(date)
	date.Body(ask("When?"))
	advise.Body(ask("Answer with a city, then with a date."))
	advise.Global(help)
	date.OnJSON().GoTo(city)
	talk(a, "Bilbao", "I need help")
	// Output:
	// Where to?
	// When?
	// Answer with a city, then with a date.
	// When?
}

func Example_variables() {
	a := agent.New("counter")
	count, enough := a.State("count", agent.Initial), a.State("enough")
	count.Body(func(_ context.Context, s *agent.Session) error {
		return s.Set("count", agent.Get(s, "count", 0)+1) // 0 if there is none yet
	})
	count.WhenVariable("count", agent.GreaterEqual, 3).GoTo(enough)
	count.OnText().GoTo(count)
	enough.Body(func(ctx context.Context, s *agent.Session) error {
		s.Delete("count")
		return s.Reply(ctx, "That was enough.")
	})
	talk(a, "one", "two")
	// Output: That was enough.
}

func Example_triggers() {
	a := agent.New("briefing")
	idle, news := a.State("idle", agent.Initial), a.State("news")
	a.Trigger(agent.Trigger{Event: "morning", Clock: agent.Clock{Hour: 9, Days: agent.Workdays}, For: "group:sales"})
	idle.OnEvent("morning").GoTo(news)
	news.Body(func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, "Good morning, "+s.Username()+"!")
	})
	news.GoTo(idle)
	talk(a, event{"morning", nil})
	// Output: Good morning, Ada!
}

func Example_bodies() {
	a := agent.New("slow")
	work, bye := a.State("work", agent.Initial), a.State("bye")
	work.OnText().GoTo(work)
	work.OnJSON().GoTo(bye)
	work.Body(func(ctx context.Context, s *agent.Session) error {
		switch s.Message() {
		case "":
			return nil // the session begins: there is no event yet
		case "leave":
			return s.Move(ctx, bye) // runs the body of bye now
		case "again":
			return s.Reset(ctx) // empties the session and greets again
		}
		if err := s.Status(ctx, "counting"); err != nil { // shown by clients that stream
			return err
		}
		if err := s.Reply(ctx, "One moment."); err != nil {
			return err
		}
		if err := s.Flush(ctx); err != nil { // stored and sent now, not when the turn ends
			return err
		}
		return s.ReplyOptions(ctx, "leave", "again")
	})
	bye.Body(func(ctx context.Context, s *agent.Session) error { return s.ReplyMarkdown(ctx, "**Bye!**") })
	talk(a, "count", "leave")
	// Output:
	// One moment.
	// {"0": "leave", "1": "again"}
	// **Bye!**
}

func Example_contents() {
	a := agent.New("orders")
	order := a.State("order", agent.Initial)
	order.OnJSON().GoTo(order)
	order.Body(func(ctx context.Context, s *agent.Session) error {
		if s.Begins() {
			return nil
		}
		var order struct{ Item string }
		if err := json.Unmarshal(s.Event().Object(), &order); err != nil { // {"item": "tea"}
			return err
		}
		if file := s.Event().File; file != nil {
			content, err := file.Bytes()
			if err != nil {
				return err
			}
			return s.ReplyFile(ctx, payload.NewFile("copy of "+file.Name, file.Type, content))
		}
		return s.Reply(ctx, "You order "+order.Item+".")
	})
	talk(a, map[string]string{"item": "tea"})
	// Output: You order tea.
}

func Example_models() {
	a := agent.New("short")
	ask, sum := a.State("ask", agent.Initial), a.State("sum")
	ask.Body(agent.Asking(agent.AskRequest{System: "Answer in one sentence.", History: 4}))
	sum.Body(func(ctx context.Context, s *agent.Session) error {
		text, err := s.Ask(ctx, "Sum up in five words: "+s.Message())
		if err != nil {
			return err
		}
		return s.Reply(ctx, text)
	})
	ask.OnMessage().GoTo(sum)
	talk(a, "It rained all day.")
	// Output: Yes.
}

func Example_structured() {
	a := agent.New("shirts")
	ask, sell := a.State("ask", agent.Initial), a.State("sell")
	sell.Body(func(ctx context.Context, s *agent.Session) error {
		var order struct {
			Size  string `json:"size" enum:"small,large"`
			Count int    `json:"count" description:"number of shirts"`
		}
		if err := s.AskInto(ctx, "Which shirts does this order? "+s.Message(), &order); err != nil {
			return err
		}
		return s.Reply(ctx, fmt.Sprintf("%d %s shirts.", order.Count, order.Size))
	})
	ask.OnMessage().GoTo(sell)
	converseWith(os.Stdout, scripted(llmtest.Say(`{"size":"huge","count":2}`), llmtest.Say(`{"size":"large","count":2}`)), a, "Two large ones!")
	// Output: 2 large shirts.
}

func Example_intents() {
	a := agent.New("weather")
	city := a.Entity(intent.Listed("city", intent.Value{Value: "Paris", Synonyms: []string{"city of light"}}, intent.Value{Value: "Rome"}))
	day := a.Entity(intent.DateTime())
	weather := a.Intent("weather", "what is the weather in CITY", "will it rain in CITY on DAY").
		Describe("asks for the weather").
		Parameter("city", "CITY", city).
		Parameter("day", "DAY", day)

	wait, tell := a.State("wait", agent.Initial), a.State("tell")
	wait.OnIntent(weather).GoTo(tell)
	wait.Fallback(func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, "Ask me about the weather.")
	})
	tell.Body(func(ctx context.Context, s *agent.Session) error {
		prediction := s.Prediction()
		city, ok := prediction.Parameter("city")
		if !ok {
			city = "your city"
		}
		return s.Reply(ctx, "It is sunny in "+city+".")
	})
	tell.GoTo(wait)
	talk(a, "what's the weather like in the City of Light?", "do you like cheese?")
	// Output:
	// It is sunny in Paris.
	// Ask me about the weather.
}

func Example_reasoning() {
	model := scripted(call("stock", `{"part":"valve"}`), llmtest.Say("There are 12 valves."))
	type question struct {
		Part  string `json:"part" description:"what to look for"`
		Depot string `json:"depot,omitempty" enum:"north,south"`
	}
	stock, err := tool.New("stock", "Tells how many of a part there are.",
		func(_ context.Context, q question) (any, error) {
			if q.Part != "valve" {
				return nil, &tool.Error{Text: "there is no part " + q.Part + "; there are valves"}
			}
			return map[string]int{"count": 12}, nil
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	reason, err := reason.New(model, reason.Options{Tools: []tool.Tool{stock}, MaxSteps: 5, Greeting: "What do you need?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	a := agent.New("depot")
	think := a.State("think", agent.Initial)
	think.Body(reason)
	think.OnMessage().GoTo(think)
	talk(a, "How many valves are there?")
	// Output:
	// What do you need?
	// - reasoning started
	// - calling 1 tool(s): stock
	// - stock returned (12 chars)
	// There are 12 valves.
	// - reasoning finished
}

// equipped is in the guide. It adds tools to reasoning.
func equipped(
	ctx context.Context, model llm.Model, manuals tool.KnowledgeConfig, films, instructions string,
) (agent.Body, *tool.Workspaces, error) {
	workspaces, err := tool.OpenWorkspaces(tool.Workspace{Name: "films", Path: films, Description: "what films are about"})
	if err != nil {
		return nil, nil, err
	}
	all, err := tool.LoadSkills(os.DirFS(instructions))
	if err != nil {
		return nil, workspaces, err
	}
	skills, err := tool.NewSkills(ctx, tool.SkillsConfig{Skills: all})
	if err != nil {
		return nil, workspaces, err
	}
	reason, err := reason.New(model, reason.Options{
		Knowledge:  &manuals,   // search_knowledge, read_document, list_documents, query_tables
		Workspaces: workspaces, // list_directory, read_file
		Skills:     skills,     // those that fit the message
	})
	return reason, workspaces, err
}

func Example_equipped() {
	films, skills := folder("inception.md", "Inception is a film."), folder("films.md", "# Films\n\nName the director.")
	defer os.RemoveAll(films)
	defer os.RemoveAll(skills)
	model := scripted(call("read_file", `{"relative_path":"inception.md"}`), llmtest.Say("A film."))
	manuals := tool.KnowledgeConfig{Searcher: nothing{}, Library: nothing{}}
	reason, workspaces, err := equipped(context.Background(), model, manuals, films, skills)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer workspaces.Close()
	a := agent.New("films")
	think := a.State("think", agent.Initial)
	think.Body(reason)
	think.OnMessage().GoTo(think)
	talk(a, "What is Inception?")
	// Output:
	// - reasoning started
	// - calling 1 tool(s): read_file
	// - read_file returned (20 chars)
	// A film.
	// - reasoning finished
}

// nothing is a library without documents.
type nothing struct {
	pipeline.Searcher
	corpus.Library
}

func Example_processors() {
	a := agent.New("polite")
	a.ProcessUser(func(_ context.Context, _ *agent.Session, text string) (string, error) { // before transitions see it
		return text + ", please", nil
	})
	a.ProcessAgent(func(_ context.Context, _ *agent.Session, text string) (string, error) { // before it is stored and sent
		return text + " Thank you.", nil
	})
	echo := a.State("echo", agent.Initial)
	echo.Fallback(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "You said: "+s.Message()+".") })
	echo.OnJSON().GoTo(echo)
	talk(a, "a pump")
	// Output: You said: a pump, please. Thank you.
}

func Example_memory() {
	a := agent.New("keeper")
	keep := a.State("keep", agent.Initial)
	keep.Fallback(func(ctx context.Context, s *agent.Session) error {
		if err := agent.MemoryOf(s).Remember(ctx, "city", "Porto", 90*24*time.Hour); err != nil { // 0 keeps it
			return err
		}
		city := ""
		if _, err := agent.MemoryOf(s).Recall(ctx, "city", &city); err != nil {
			return err
		}
		near, err := agent.MemoryOf(s).Search(ctx, "Where does the user live?", 3) // by meaning
		if err != nil {
			return err
		}
		return s.Reply(ctx, fmt.Sprintf("%s, %d fact", city, len(near)))
	})
	keep.OnJSON().GoTo(keep)
	talk(a, "I live in Porto.")
	// Output: Porto, 1 fact
}

func Example_guards() {
	a := agent.New("careful")
	a.GuardUser(agent.Guard{Name: "length", Refuses: agent.RefuseLonger(2000), Reply: "Please write less."})
	a.GuardUser(agent.Guard{Name: "medicine", Refuses: agent.RefuseIf("Does it ask for medical advice?", yes)})
	a.GuardAgent(agent.Guard{Name: "cards", Refuses: agent.RefuseMatches(regexp.MustCompile(`\b\d{16}\b`))})
	echo := a.State("echo", agent.Initial)
	echo.Fallback(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "You said: "+s.Message()+".") })
	echo.OnJSON().GoTo(echo)
	talk(a, "Which pill?")
	// Output:
	// - guard medicine refused a text of the user: pills
	// I cannot answer this message.
}

// yes is a model that says yes.
var yes = llmtest.NewModel(func(int, llmtest.Request) llmtest.Reply { return llmtest.Say(`{"yes": true, "reason": "pills"}`) })

func Example_definition() {
	ctx := context.Background()
	dir := folder("hello.yaml", "name: hello\ngreeting: Hello!\nstates: {hello: {initial: true}}\n")
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "hello.yaml")
	d, err := definition.Load(ctx, file, definition.Environment{}) // with models, documents, a connector to MCP servers
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close() // after the runtime's end
	talk(d.Agent)
	// Output: Hello!
}

func Example_context() {
	a := agent.New("harbor")
	greet := a.State("greet", agent.Initial)
	a.ModelContext("You serve the harbor of Bilbao.")
	greet.Body(func(ctx context.Context, s *agent.Session) error {
		return agent.SetModelContext(s, "user", "The user is "+s.Username()+".")
	})
	greet.OnMessage().GoTo(greet)
	fmt.Println(a.Validate())
	// Output: <nil>
}

func Example_approval() {
	pay := func(context.Context, json.RawMessage) error { return nil }
	a := agent.New("refunds")
	idle, refund := a.State("idle", agent.Initial), a.State("refund")
	idle.OnText().GoTo(refund)
	refund.GoTo(idle)
	refund.Body(func(ctx context.Context, s *agent.Session) error {
		approvals := agent.ApprovalsOf(s)
		asked, verdict := approvals.Answer()
		if asked == nil && !approvals.Always("refund") {
			return approvals.Ask(ctx, agent.Approval{
				Tool: "refund", Arguments: json.RawMessage(`{"euros": 20}`), Question: "Shall I pay 20 euros back?",
			})
		}
		if asked != nil && !verdict.Allowed { // refused, other words, or too late
			return s.Reply(ctx, "I have not paid.")
		}
		euros := json.RawMessage(`{"euros": 20}`)
		if verdict.Arguments != nil { // the user changed them
			euros = verdict.Arguments
		}
		if err := pay(ctx, euros); err != nil {
			return err
		}
		return s.Reply(ctx, "Paid "+string(euros)+".")
	})
	talk(a, "my money back", `Allow {"euros": 5}`, "my money back", "No")
	// Output:
	// Shall I pay 20 euros back?
	// {"0": "Allow", "1": "Refuse", "2": "Always allow in this conversation"}
	// Paid {"euros": 5}.
	// Shall I pay 20 euros back?
	// {"0": "Allow", "1": "Refuse", "2": "Always allow in this conversation"}
	// I have not paid.
}
