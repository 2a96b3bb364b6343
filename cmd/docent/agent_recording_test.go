package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"docent/agent/agenttest"
	"docent/agent/definition"
	"docent/agent/session"
	"docent/config"
	"docent/llm/llmtest"
	"docent/store/sqlite"
)

// TestRecordings plays the recordings of BAF's agents and of the desks, as docent agent test does.
func TestRecordings(t *testing.T) {
	t.Parallel()
	agents, err := filepath.Glob("../../examples/baf/*.yaml")
	if err != nil || len(agents) != 20 {
		t.Fatalf("%d agents, %v", len(agents), err)
	}
	for _, name := range []string{"helpdesk", "orderdesk", "researchdesk"} {
		agents = append(agents, filepath.Join("../../examples/desks", name+".yaml"))
	}
	cfg, err := config.Load(config.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	r := &rehearsal{std: stdio{out: io.Discard, err: t.Output()}, cfg: cfg}
	defer func() {
		if err := r.close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	for _, file := range agents {
		files, err := recordingsOf(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			rec, err := readRecording(name)
			if err != nil {
				t.Fatal(err)
			}
			r.file = file
			differences, err := r.play(t.Context(), rec)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			for _, d := range differences {
				t.Errorf("%s", d)
			}
		}
	}
}

// TestEval measures two versions of an agent with tasks.
func TestEval(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const agent = `name: shop
intents: {order: {examples: [a shirt please]}}
states:
  idle: {initial: true, on: [{intent: order, to: order}, {no_intent: true, to: ask}]}
  order: {needs: model, body: [llm], on: [{message: any, to: ask}]}
  ask: {body: [{reply: "What is it?"}], on: [{intent: order, to: order}, {no_intent: true, to: ask}]}
`
	for name, text := range map[string]string{
		"new.yaml": agent, "old.yaml": strings.ReplaceAll(agent, "What is it?", "Sorry?"),
		"order.txt": "user: a shirt please\nintent: order\nmodel: A Shirt costs 12 euros.\nstate: order\ngoal: shirt\ngoal: 14 euros\n",
		"ask.txt":   "user: xyz\nintent: none\nstate: ask\ngoal: what is\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	var out strings.Builder
	cmd := newAgentEval(stdio{out: &out, err: t.Output()})
	cmd.SetArgs([]string{in("new.yaml"), in("order.txt"), in("ask.txt"), "--against", in("old.yaml")})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(out.String(), dir+string(filepath.Separator), "")
	got = regexp.MustCompile(` +`).ReplaceAllString(got, " ") // the columns of the table
	for _, want := range []string{
		"intents 2 of 2 2 of 2 1.00 0.34 to 1.00\n", "goals 2 of 3 1 of 2 0.50", "solved 1 of 2 0.50",
		"not solved: order.txt\n", "only new.yaml solves 1, only old.yaml solves 0 (p = 1.000)\n", "gained: ask.txt\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the report has no %q:\n%s", want, got)
		}
	}
}

// TestEvalWithModels asks the configured model, also if the tasks have lines model and prompt. Tools answer from the tasks.
func TestEvalWithModels(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(func(_ int, r llmtest.Request) llmtest.Reply {
		if r.Messages[len(r.Messages)-1].Role == "user" {
			return llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: "a", Name: "price", Arguments: `{"of":"shirt"}`}}}
		}
		return llmtest.Say("It costs 14 euros.")
	})
	t.Cleanup(model.Close)
	dir := t.TempDir()
	write(t, dir, "shop.yaml", `name: shop
tools: {functions: [price]}
states:
  idle: {initial: true, on: [{message: any, to: tell}]}
  tell: {needs: model, body: [{reason: {planning: false, steps: false}}], on: [{message: any, to: tell}]}
`, "price.txt", "user: How much is a shirt?\nmodel: A shirt costs 99 euros.\ntool: price 14\nprompt: never asked\n"+
		"call: price {\"of\":\"shirt\"}\ngoal: 14 euros\n")
	env := []string{"DOCENT_DATA=" + dataFolder(t), "DOCENT_LLM_URL=" + model.URL, "DOCENT_MODEL=test"}
	args := []string{"agent", "eval", filepath.Join(dir, "shop.yaml"), filepath.Join(dir, "price.txt")}
	solved := regexp.MustCompile(`solved +1 of 1`)
	if got := docent(t, env, 0, append(args, "--models")...); !solved.MatchString(got) || len(model.Requests()) == 0 {
		t.Errorf("the configured model was asked %d times, and the report is\n%s", len(model.Requests()), got)
	}
	asked := len(model.Requests())
	if got := docent(t, env, 0, args...); solved.MatchString(got) || len(model.Requests()) != asked {
		t.Errorf("without --models, the report is\n%s", got)
	}
	p := start(t, env[:1], append(args, "--models")...)
	p.wait()
	if !strings.Contains(p.log.String(), "no chat model is configured") {
		t.Errorf("without a model, it says\n%s", p.log)
	}
}

// TestReplay records a stored conversation and plays it with a changed agent.
func TestReplay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const first = `
name: shop
states:
  idle: {initial: true, body: [{reply: Hi!}], on: [{matches: ^order, to: order}], fallback: [{reply: "What is {{.message}}?"}]}
  order: {body: [{reply: "You get it.\nSoon."}], then: idle}
`
	write(t, dir, "changed.yaml", strings.Replace(first, "What is", "I do not know", 1))
	store, err := sqlite.Open(t.Context(), sqlite.Config{Path: config.Config{Data: dir}.SQLitePath()})
	if err != nil {
		t.Fatal(err)
	}
	d, err := definition.Parse(t.Context(), "first.yaml", []byte(first), definition.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	rt := agenttest.Start(t, session.RuntimeConfig{Agent: d.Agent, Store: store})
	sub, _, _ := agenttest.OpenSession(t, rt, "S")
	for _, said := range []string{"tea", "order tea"} {
		agenttest.Send(t, sub, "", said)
		if err := rt.AwaitIdle(t.Context(), "S"); err != nil { // of two waiting messages, a matching one is first
			t.Fatal(err)
		}
	}
	sub.Close()
	agenttest.Stop(t, rt)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	env := []string{"DOCENT_DATA=" + dir}
	const want = "agent: Hi!\nuser: tea\nagent: What is tea?\nuser: order tea\nagent: You get it.\n  Soon.\nagent: Hi!\n"
	if got := docent(t, env, 0, "agent", "record", "S"); got != want {
		t.Errorf("recorded\n%s\nwant\n%s", got, want)
	}
	const changed = "FAIL  S\nS: user: tea\n  - agent: What is tea?\n  + agent: I do not know tea?\n"
	if got := docent(t, env, 1, "agent", "replay", "S", "--agent", filepath.Join(dir, "changed.yaml")); got != changed {
		t.Errorf("replayed\n%s\nwant\n%s", got, changed)
	}
	docent(t, env, 1, "agent", "record", "T") // there is none
}
