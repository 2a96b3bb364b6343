package rag

import (
	"strings"
	"testing"

	"docent/llm/llmtest"
)

func TestLeans(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]bool{
		"and what is it by default?":   true,
		"does it survive a restart?":   true,
		"what about indexes?":          true,
		"why?":                         true,
		"how do I remove one?":         true,
		"can users insert through it?": true,
		"is that safe?":                true,
		"how long?":                    true,
		"since when?":                  true,
		"in which version?":            true,
		"what is the default?":         true,
		"give me an example":           true,
		"what time is it?":             false,
		"what time is it in Berlin?":   false,
		"great answer":                 false,
		"can you help me?":             false,
		"what is your name?":           false,
		"are you a human?":             false,
		"do you like music?":           false,
		"I need help":                  false,
		"hallo":                        false,
		"lol":                          false,
		"what is vacuum?":              false,
		"what is work_mem?":            false,
		"UNION or UNION ALL":           false,
		"How many columns can a table have at most?":                                                         false,
		"max number of columns in one index?":                                                                false,
		"which role lets someone read every table?":                                                          false,
		"how do I create a backup that is ready to start?":                                                   false,
		"now() and clock_timestamp() return other values":                                                    false,
		"cannot drop table because other objects depend on it, it says so in the long message of the server": false,
	} {
		if got := leans(question); got != want {
			t.Errorf("%q leans: %v", question, got)
		}
	}
}

func TestSearchText(t *testing.T) {
	t.Parallel()
	turns := []Turn{
		{User, "zero"},
		{User, "one"},
		{Assistant, "Older: NOT_THIS."},
		{User, "how can I stop long queries?"},
		{User, "three"},
		{Assistant, "Set statement_timeout [1] or use SET LOCAL in a transaction; statement_timeout counts."},
	}
	want := "one\nhow can I stop long queries?\nthree\nstatement_timeout SET LOCAL\nand what is it by default?"
	if got := searchText("and what is it by default?", turns); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := searchText("what is the default of work_mem?", turns); got != "what is the default of work_mem?" {
		t.Errorf("a question that stands alone became %q", got)
	}
	if got := searchText("why?", nil); got != "why?" {
		t.Errorf("without turns it became %q", got)
	}
}

func TestFollowUpIsRewrittenOnce(t *testing.T) {
	t.Parallel()
	turns := []Turn{{User, "dropped"}, {User, "what is work_mem?"}, {Assistant, "Memory [1]."}}
	for name, c := range map[string]struct {
		question string
		history  int
		replies  []llmtest.Reply
		searched string
		turns    int
		calls    int
	}{
		"leans":      {"and its default?", 2, []llmtest.Reply{llmtest.Say(" What is the default\nof work_mem? "), llmtest.Say("4MB [1].")}, "What is the default of work_mem?", 0, 2},
		"stands":     {"What is the default of work_mem?", 2, []llmtest.Reply{llmtest.Say("4MB [1].")}, "What is the default of work_mem?", 2, 1},
		"no history": {"and its default?", 0, []llmtest.Reply{llmtest.Say("4MB [1].")}, "and its default?", 0, 1},
		"babbles":    {"and its default?", 2, []llmtest.Reply{llmtest.Say(strings.Repeat("x", maxRewriteBytes+1)), llmtest.Say("4MB [1].")}, "and its default?", 2, 2},
	} {
		s := memoryShelf()
		r, model := newRAG(t, s, c.replies...)
		got, err := r.Run(t.Context(), Request{Question: c.question, History: c.history, Turns: turns})
		if err != nil {
			t.Fatal(name, err)
		}
		q := s.queries[0]
		if q.Question != c.searched || len(q.Turns) != c.turns || len(model.Requests()) != c.calls || got.Question != c.question || got.Answer != "4MB [1]." {
			t.Errorf("%s: searched %q with %d turns, %d calls, message %+v", name, q.Question, len(q.Turns), len(model.Requests()), got)
		}
		if last := model.Requests()[c.calls-1]; strings.Contains(last.Messages[0].Content+last.Messages[len(last.Messages)-2].Content, "dropped") {
			t.Errorf("%s: a turn beyond the history was sent", name)
		}
	}
}

func TestFollowUpWithoutModel(t *testing.T) {
	t.Parallel()
	s := memoryShelf()
	r, _ := newRAG(t, s)
	turns := []Turn{{User, "what is work_mem?"}, {Assistant, "Memory [1]."}}
	got, err := r.Run(t.Context(), Request{Question: "and its default?", History: 2, Turns: turns})
	if err != nil || len(s.queries[0].Turns) != 2 || !strings.Contains(got.Answer, "four megabytes") {
		t.Errorf("%v, %+v after %+v", err, got, s.queries)
	}
}

// A question about the conversation goes to the model even if no document says
// anything about it.
func TestConversationNeedsNoEvidence(t *testing.T) {
	t.Parallel()
	r, _ := newRAG(t, &shelf{}, llmtest.Say("What did I ask before?"), llmtest.Say("You asked what work_mem is."))
	got, err := r.Run(t.Context(), Request{Question: "what was that again?", History: 2, Turns: []Turn{{User, "what is work_mem?"}, {Assistant, "Memory."}}})
	if err != nil || got.Abstained || got.Answer != "You asked what work_mem is." || got.Docs == nil {
		t.Errorf("%v, %+v", err, got)
	}
}
