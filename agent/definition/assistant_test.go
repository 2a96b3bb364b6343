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

	"docent/agent"
	"docent/agent/assistant"
	"docent/agent/definition"
	"docent/agent/session"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/payload"
)

// scripted is a model that alternates between a search and an answer.
func scripted() llm.Model {
	return llmtest.NewModel(func(n int, _ llmtest.Request) llmtest.Reply {
		if n%2 == 0 {
			return llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: fmt.Sprint("call", n), Name: "search_knowledge", Arguments: `{"query":"service"}`}}}
		}
		return llmtest.Say("The pump every year [1], the valve every two [2].")
	})
}

// assistants are the built-in assistant in Go and in YAML.
func assistants(t *testing.T, model llm.Model) map[string]*agent.Agent {
	t.Helper()
	env := definition.Environment{Knowledge: knowledge(), K: 4, History: 4}
	if model != nil {
		env.Models, env.Model = map[string]llm.Model{"scripted": model}, "scripted"
	}
	d, err := definition.Parse(t.Context(), "assistant.yaml", definition.Assistant(), env)
	if err != nil {
		t.Fatal(err)
	}
	if d.History != 4 || d.Location != nil {
		t.Errorf("history %d, location %v", d.History, d.Location)
	}
	a, err := assistant.New(assistant.Config{K: 4, History: 4, Knowledge: knowledge(), Model: model})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*agent.Agent{"Go": a, "YAML": d.Agent}
}

// TestAssistants checks that the Go and the YAML assistant behave the same.
func TestAssistants(t *testing.T) {
	t.Parallel()
	for _, capable := range []bool{false, true} {
		var first []string
		for _, name := range []string{"Go", "YAML"} {
			var model llm.Model
			if capable {
				model = scripted()
			}
			k, said := begin(t, assistants(t, model)[name], session.RuntimeConfig{History: 4}, 1)
			for _, message := range []string{
				"hello", "How often is the pump serviced?", "  ", "what do you know about?", "What do you know about the pump?",
				"compare the pump and the valve", "How often is the pump serviced? And how often the valve?", "and what is that?",
				`{"message": "compare A and B"}`, "list your documents",
				"tschüss", "who are you?", "can you help me?", "how are you?", "great answer", "that is wrong", "ok", "never mind", "what time is it?",
			} {
				said = append(said, k.say(message)...)
			}
			if err := k.sub.SendEvent(t.Context(), agent.EventUI, json.RawMessage(`{"clicked":true}`), false); err != nil {
				t.Fatal(err)
			}
			if got := k.heard(); len(got) != 0 || len(k.store.Pending("s")) != 0 {
				t.Errorf("%s: what is done in a user interface is answered %q, and %d events wait", name, got, len(k.store.Pending("s")))
			}
			said = append(said, k.say("thanks")...)
			said = append(said, k.give(payload.NewFile("a.txt", "text/plain", []byte("A secret.")))...)
			said = append(said, k.say("compare the pump and the valve")...) // the tools do not search the file
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
		for state, want := range map[string]int{"research": 3, "answer": 18, "silent": 1, "read": 1} {
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
	k, greeting := begin(t, assistants(t, nil)["YAML"], session.RuntimeConfig{}, 1)
	if want := reply(assistant.DefaultGreeting); len(greeting) != 1 || greeting[0] != want {
		t.Errorf("greeting %q, want %q", greeting, want)
	}
	if got, want := k.give(payload.NewFile("a.txt", "text/plain", []byte("A secret."))), reply("I have read a.txt. Only this conversation can see it. Ask me about it."); len(got) != 1 || got[0] != want {
		t.Errorf("file: %q, want %q", got, want)
	}
}

// questions reads the questions of a question set.
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

// router returns the state of the assistant that a message leads to.
func router(t *testing.T) func(text string) string {
	t.Helper()
	k, _ := begin(t, assistants(t, scripted())["Go"], session.RuntimeConfig{}, 1)
	return func(text string) string {
		k.say(text)
		states := k.states()
		return states[len(states)-1]
	}
}

// TestRouting checks that questions about documents are never treated as anything
// else.
func TestRouting(t *testing.T) {
	t.Parallel()
	route := router(t)
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
	if all < 300 || away > 0 {
		t.Errorf("%d of %d questions are routed away, none may be", away, all)
	}
}

// TestRoutingAway checks that most messages that are not about the documents are
// recognized, and that similar questions about documents are not.
func TestRoutingAway(t *testing.T) {
	t.Parallel()
	route := router(t)
	for state, texts := range map[string][]string{
		"research": {
			"Compare the maintenance plan of pump A with that of pump B", "summarise across all manuals what is said about safety",
			"Summarize all documents about pumps", "go through all manuals and list every service interval",
			"Please compare hash and GIN indexes step by step", "write a report about the safety rules", "How do I start it? And how do I stop it again?",
			"could you summarise the second chapter", "how do I set up replication step by step", "look through all documents and collect every warning",
		},
		"answer": {
			"what do you know about vacuum?", "What do you know about the pump", "What is the difference between VACUUM and ANALYZE?",
			"which documents mention vacuum?", "how many documents mention the pump", "which document has the service plan", "how do I compare two rows?",
			"what documents do I need to apply?", "how many documents do I need", "what is in your library path?", "which documents do I need for a visa?",
			"what documents must I bring to the interview?", "which files do I have to delete?", "how many files can be open at once?",
			"how many collections can I create?", "what files does the installer write?", "where are the log files?",
			"which files are in the data directory?", "what is in the configuration file?", "how do I list all tables?",
			"how do I show all files in a folder?", "list all commands", "what sources of error are there?", "what are the sources of noise?",
			"which sources can be monitored?", "do you have instructions for the valve?", "what documents are required for a refund?",
			"which topics does the broker publish?", "who wrote the documents?", "when were the documents signed?", "how do I add a document?",
			"how do I delete a document?", "what is a document class?", "which library do I link against?", "what libraries are needed?",
			"what collections of functions exist?", "how do I list my collections?", "which books must I read for the exam?",
			"what is in the library directory?", "what can I ask the doctor about?", "tell me what the manual says about oil",
			"what documents do employees get?", "how many pages does the manual have?", "which subjects are taught in the first year?",
			"what do I need to know about backups?", "what has been changed in version 15?", "how many documents does a customer have to sign?",
			"which files do you need to restore a backup?", "do I have to keep the documents?", "show me the wiring of the pump", "how do I stop the server?",
			"hello world program", "help tables", "thanks to which setting is it fast?", "who are you allowed to call?", "what is the name of the pump?",
			"what time does the backup start?", "is the operator a human?", "what is the weather limit for flights?", "how do I cancel a query?",
			"how do I exit psql?", "stop a running query", "good night mode of the lamp", "what is a greeting message?",
			"how can I help a customer with a refund?", "what is a bot?", "are you allowed to smoke in the office?", "who is the owner of the file?",
			"how old is the company?", "where is the company based?", "who made the pump?", "ok button does nothing", "what does never mind mean in the log?",
			"quit command in psql", "exit codes of the tool", "who do I contact for help?", "where do I get help?", "what is the date of the contract?",
			"what day is the rent due?", "how is the turbine cooled?",
			// small talk and questions about the documents
			"hello", "Hi there!", "Good morning", "Hallo!", "hello docent", "thanks!", "Thank you very much.", "danke", "thanks for the quick answer!", "bye", "see you later!", "Tschüss", "who are you?", "are you a human?",
			"what is your name?", "wer bist du?", "are you a real human being?", "help", "can you help me?", "I need help", "what can you do", "what can you do?", "how are you?", "How are you doing today?", "great answer", "Great answer!", "very good", "that is wrong", "wrong answer!", "ok", "Okay.", "I see", "stop", "never mind", "stop!", "no thanks", "what time is it?", "tell me a joke", "what's the weather like today?",
			"what do you know", "What documents do you know?", "What's in your library?", "which collections do you have", "Tell me what you know!",
			"What topics do you cover", "how many documents are there?", "show me all documents", "what can I ask you", "which documents do you have",
			"which manuals do you have?", "how many documents do you have in pg?", "what's in here?", "what manuals are there?",
			"could you list your documents?", "please list all documents", "what files do you know?", "which books are in your library?",
			"how many files are there?", "do you have documents?", "what are you able to tell me about?", "what sources do you use?", "what are your sources",
			"show me your files", "which documents have you read", "what have you read so far?", "what documents are available?",
			"which documents can you search?", "what do you have in your library?", "what documents are in the collection manuals?",
			"list the documents in pg", "which documents are in manuals?", "how many documents does manuals have?", "give me a list of your documents",
			"what's in your knowledge base", "which topics do you know?", "what has been uploaded so far?", "what did I upload",
			"how many collections do you have?", "show me the collections", "what information do you have?", "tell me which documents you have",
			"welche Dokumente hast du?", "which pdfs do you have?",
		},
	} {
		missed := 0
		for _, text := range texts {
			if to := route(text); to != state {
				missed++
				t.Logf("to %s, not %s: %s", to, state, text)
			}
		}
		t.Logf("%d of %d messages for %s are routed elsewhere", missed, len(texts), state)
		if limit := len(texts) / 10; missed > limit {
			t.Errorf("%d of %d messages for %s are routed elsewhere, at most %d may be", missed, len(texts), state, limit)
		}
	}
}
