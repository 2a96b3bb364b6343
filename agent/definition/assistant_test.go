package definition_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/llms"

	"docent/agent"
	"docent/agent/definition"
	"docent/llm/llmtest"
	"docent/payload"
)

// scripted is a model that searches, then answers, again and again.
func scripted() llms.Model {
	return llmtest.NewModel(func(n int, _ llmtest.Request) llmtest.Reply {
		if n%2 == 0 {
			return llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: fmt.Sprint("call", n), Name: "search_knowledge", Arguments: `{"query":"service"}`}}}
		}
		return llmtest.Say("The pump every year [1], the valve every two [2].")
	})
}

// assistants are the built-in assistant in Go and in YAML.
func assistants(t *testing.T, model llms.Model) map[string]*agent.Agent {
	t.Helper()
	env := definition.Environment{Knowledge: knowledge(), K: 4, History: 4}
	if model != nil {
		env.Models, env.Model = map[string]llms.Model{"scripted": model}, "scripted"
	}
	d, err := definition.Parse(t.Context(), "assistant.yaml", definition.Assistant(), env)
	if err != nil {
		t.Fatal(err)
	}
	if d.History != 4 || d.Location != nil {
		t.Errorf("history %d, location %v", d.History, d.Location)
	}
	a, err := agent.NewAssistant(agent.AssistantConfig{K: 4, History: 4, Knowledge: knowledge(), Model: model})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*agent.Agent{"Go": a, "YAML": d.Agent}
}

// TestAssistants: the assistant in Go and that in YAML say the same.
func TestAssistants(t *testing.T) {
	t.Parallel()
	for _, capable := range []bool{false, true} {
		var first []string
		for _, name := range []string{"Go", "YAML"} {
			var model llms.Model
			if capable {
				model = scripted()
			}
			k, said := begin(t, assistants(t, model)[name], agent.RuntimeConfig{History: 4}, 1)
			for _, message := range []string{
				"hello", "How often is the pump serviced?", "  ", "what do you know about?", "What do you know about the pump?",
				"compare the pump and the valve", "How often is the pump serviced? And how often the valve?", "and what is that?",
				`{"message": "compare A and B"}`, "list your documents",
			} {
				said = append(said, k.say(message)...)
			}
			said = append(said, k.give(payload.File{Name: "notes.pdf", Type: "application/pdf", Base64: "AAAA"})...)
			said = append(said, k.say("thanks")...)
			said = append(said, k.states()...)
			if first == nil {
				first = said
				continue
			}
			if !slices.Equal(said, first) {
				t.Errorf("with a model %v: Go\n  %s\n%s\n  %s", capable, strings.Join(first, "\n  "), name, strings.Join(said, "\n  "))
			}
			for _, q := range k.rag.Requests() {
				if q.K != 4 || q.History != 4 {
					t.Errorf("asked with %+v", q)
				}
			}
		}
		for state, want := range map[string]int{"about": 2, "research": map[bool]int{true: 2}[capable], "file": 1, "answer": map[bool]int{true: 7, false: 9}[capable]} {
			n := 0
			for _, s := range first {
				if s == state {
					n++
				}
			}
			if n != want {
				t.Errorf("with a model %v: %d moves to %s, want %d of\n  %s", capable, n, state, want, strings.Join(first, "\n  "))
			}
		}
	}
}

func TestAssistantSays(t *testing.T) {
	t.Parallel()
	k, greeting := begin(t, assistants(t, nil)["YAML"], agent.RuntimeConfig{}, 1)
	if want := reply(agent.DefaultGreeting); len(greeting) != 1 || greeting[0] != want {
		t.Errorf("greeting %q, want %q", greeting, want)
	}
	want := reply("I know 3 documents in 2 collections:\n- manuals (2 documents): Pump, Valve\n- letters (1 document): To Ada\n" +
		"Ask me about anything that is written in them.")
	if got := k.say("what do you know about?"); len(got) != 1 || got[0] != want {
		t.Errorf("about: %q, want %q", got, want)
	}
	want = reply("I do not read files that are sent here. To have me answer from a.txt, add it to the documents: " +
		"upload it on the page, or run: docent ingest FILE")
	if got := k.give(payload.File{Name: "a.txt", Type: "text/plain", Base64: "AAAA"}); len(got) != 1 || got[0] != want {
		t.Errorf("file: %q, want %q", got, want)
	}
}

// questions reads those of a question set.
func questions(t *testing.T, set string) []string {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "eval", "sets", set, "questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []string
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var q struct{ Question string }
		if err := json.Unmarshal(sc.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		out = append(out, q.Question)
	}
	return out
}

// TestRouting: next to no question about documents is taken for anything else,
// and what asks for something else mostly is.
func TestRouting(t *testing.T) {
	t.Parallel()
	k, _ := begin(t, assistants(t, scripted())["Go"], agent.RuntimeConfig{}, 1)
	route := func(text string) string {
		k.say(text)
		states := k.states()
		return states[len(states)-1]
	}
	away, all := 0, 0
	for _, set := range []string{"pgdocs", "pgxcode"} {
		for _, q := range questions(t, set) {
			all++
			if to := route(q); to != "answer" {
				away++
				t.Logf("to %s: %s", to, q)
			}
		}
	}
	t.Logf("%d of %d questions are not answered by RAG", away, all)
	if all < 300 || away*100 > all {
		t.Errorf("%d of %d questions are routed away, at most 1%% may be", away, all)
	}
	missed, wanted := 0, 0
	for state, texts := range map[string][]string{
		"about": {
			"what do you know", "What documents do you know?", "What's in your library?", "which collections do you have", "Tell me what you know!",
			"What topics do you cover", "how many documents are there?", "show me all documents", "what can I ask you", "which documents do you have",
		},
		"research": {
			"Compare the maintenance plan of pump A with that of pump B", "summarise across all manuals what is said about safety",
			"Summarize all documents about pumps", "go through all manuals and list every service interval", "Please compare hash and GIN indexes step by step",
			"write a report about the safety rules", "How do I start it? And how do I stop it again?", "could you summarise the second chapter",
			"how do I set up replication step by step", "look through all documents and collect every warning",
		},
		"answer": {
			"what do you know about vacuum?", "What do you know about the pump", "What is the difference between VACUUM and ANALYZE?", "which documents mention vacuum?",
			"how many documents mention the pump", "which document has the service plan", "hello", "thanks!", "what can you do", "how do I compare two rows?",
		},
	} {
		for _, text := range texts {
			wanted++
			if to := route(text); to != state {
				missed++
				t.Logf("to %s, not %s: %s", to, state, text)
			}
		}
	}
	t.Logf("%d of %d messages are routed elsewhere than they want", missed, wanted)
	if missed*10 > wanted {
		t.Errorf("%d of %d messages are routed elsewhere than they want, at most a tenth may be", missed, wanted)
	}
}
