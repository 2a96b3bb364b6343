package pipeline

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docent/llm"
	"docent/llm/llmtest"
	"docent/rag"
	"docent/rag/retrieve"
	"docent/rag/talk"
	"docent/rag/text"
)

func TestFollowUpIsRewrittenOnce(t *testing.T) {
	t.Parallel()
	turns := []talk.Turn{{Role: talk.User, Text: "dropped"}, {Role: talk.User, Text: "what is work_mem?"}, {Role: talk.Assistant, Text: "Memory [1]."}}
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
		"not whole":  {"and its default?", 2, []llmtest.Reply{{Text: []string{"What is"}, Finish: "length"}, llmtest.Say("4MB [1].")}, "and its default?", 2, 2},
	} {
		s := memoryShelf()
		r, model := newRAG(t, s, c.replies...)
		got, err := r.Run(t.Context(), rag.Request{Question: c.question, History: c.history, Turns: turns})
		if err != nil {
			t.Fatal(name, err)
		}
		q := s.queries[0]
		if want := talk.SearchText(q.Question, q.Turns); got.Search.Text != want {
			t.Errorf("%s: the answer says that it searched for %q, want %q", name, got.Search.Text, want)
		}
		if q.Question != c.searched || len(q.Turns) != c.turns || len(model.Requests()) != c.calls || got.Question != c.question || got.Text != "4MB [1]." {
			t.Errorf("%s: searched %q with %d turns, %d calls, message %+v", name, q.Question, len(q.Turns), len(model.Requests()), got)
		}
		if last := model.Requests()[c.calls-1]; strings.Contains(last.Messages[0].Content+last.Messages[len(last.Messages)-2].Content, "dropped") {
			t.Errorf("%s: a turn beyond the history was sent", name)
		}
	}
}

// A question is rewritten only after an earlier question. Greetings and small
// talk are not questions.
func TestFirstQuestionIsNotRewritten(t *testing.T) {
	t.Parallel()
	for name, turns := range map[string][]talk.Turn{
		"greeting":   {{Role: talk.Assistant, Text: "Hi! Ask me about your documents."}},
		"small talk": {{Role: talk.Assistant, Text: "Hi!"}, {Role: talk.User, Text: "hello"}, {Role: talk.Assistant, Text: "Hello."}},
		"a file":     {{Role: talk.Assistant, Text: "Hi!"}, {Role: talk.User, Text: " "}, {Role: talk.Assistant, Text: "I do not read files."}},
	} {
		s := memoryShelf()
		r, model := newRAG(t, s, llmtest.Say("4MB [1]."))
		got, err := r.Run(t.Context(), rag.Request{Question: "what is the default?", History: 9, Turns: turns})
		if err != nil || got.Text != "4MB [1]." || len(model.Requests()) != 1 || s.queries[0].Question != "what is the default?" {
			t.Errorf("%s: %v, %+v, %d calls", name, err, got, len(model.Requests()))
		}
		// The model is not asked without documents either.
		empty, model := newRAG(t, &shelf{}, llmtest.Say("4MB."))
		if got, err = empty.Run(t.Context(), rag.Request{Question: "what is the default?", History: 9, Turns: turns}); err != nil || !got.Abstained() || len(model.Requests()) != 0 {
			t.Errorf("%s, without documents: %v, %+v", name, err, got)
		}
	}
}

// Reading stops at the maximum length of a question.
func TestRewritingRambles(t *testing.T) {
	t.Parallel()
	pieces := 0
	ramble := llmtest.Reply{Text: slices.Repeat([]string{"and so on "}, 2000), Wait: func(context.Context, int) error {
		pieces++
		return nil
	}}
	s := memoryShelf()
	r, _ := newRAG(t, s, ramble, llmtest.Say("4MB [1]."))
	got, err := r.Run(t.Context(), rag.Request{Question: "and its default?", History: 2, Turns: []talk.Turn{{Role: talk.User, Text: "what is work_mem?"}}})
	if err != nil || got.Text != "4MB [1]." || s.queries[0].Question != "and its default?" || len(s.queries[0].Turns) != 1 {
		t.Errorf("%v, %+v after %+v", err, got, s.queries)
	}
	if most := maxRewriteBytes/len("and so on ") + 1; pieces != most {
		t.Errorf("%d pieces were read, want %d", pieces, most)
	}
}

// bounded records the token limit of each call of a model.
type bounded struct {
	llm.Model
	most []int
}

func (b *bounded) Chat(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	b.most = append(b.most, req.MaxTokens)
	return b.Model.Chat(ctx, req)
}

// Only the call for rewriting has a token limit.
func TestRewritingAsksForFewTokens(t *testing.T) {
	t.Parallel()
	model := &bounded{Model: llmtest.NewModel(llmtest.Script(llmtest.Say("What is its default?"), llmtest.Say("4MB [1].")))}
	r, err := New(Config{Retriever: memoryShelf(), Static: testStatic, Models: map[string]llm.Model{"m": model}, DefaultModel: "m"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Run(t.Context(), rag.Request{Question: "and its default?", History: 2, Turns: []talk.Turn{{Role: talk.User, Text: "what is work_mem?"}}})
	if err != nil || !slices.Equal(model.most, []int{maxRewriteTokens, 0}) {
		t.Errorf("%v, bounds %v", err, model.most)
	}
}

// docent does not wait longer than the timeout for a slow rewriting.
func TestRewritingTakesTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := llmtest.Reply{Text: []string{"What is"}, Wait: func(ctx context.Context, _ int) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		s := memoryShelf()
		r, model := newRAG(t, s, hang, llmtest.Say("4MB [1]."))
		began := time.Now()
		got, err := r.Run(t.Context(), rag.Request{Question: "and its default?", History: 2, Turns: []talk.Turn{{Role: talk.User, Text: "what is work_mem?"}}})
		if err != nil || got.Text != "4MB [1]." || s.queries[0].Question != "and its default?" || len(model.Requests()) != 2 {
			t.Errorf("%v, %+v after %+v", err, got, s.queries)
		}
		if took := time.Since(began); took != rewriteTimeout {
			t.Errorf("it took %v", took)
		}
	})
}

func TestFollowUpWithoutModel(t *testing.T) {
	t.Parallel()
	s := memoryShelf()
	r, _ := newRAG(t, s)
	turns := []talk.Turn{{Role: talk.User, Text: "what is work_mem?"}, {Role: talk.Assistant, Text: "Memory [1]."}}
	got, err := r.Run(t.Context(), rag.Request{Question: "and its default?", History: 2, Turns: turns})
	if err != nil || len(s.queries) > 4 || !strings.Contains(got.Text, "four megabytes") {
		t.Errorf("%v, %+v after %+v", err, got, s.queries)
	}
	if got.Search.Text != "and work_mem's default?" {
		t.Errorf("it says that %q was searched for", got.Search.Text)
	}
}

// The model answers a question about the conversation even if no document
// contains the answer.
func TestConversationNeedsNoEvidence(t *testing.T) {
	t.Parallel()
	r, _ := newRAG(t, &shelf{}, llmtest.Say("What did I ask before?"), llmtest.Say("You asked what work_mem is."))
	got, err := r.Run(t.Context(), rag.Request{Question: "what was that again?", History: 2, Turns: []talk.Turn{{Role: talk.User, Text: "what is work_mem?"}, {Role: talk.Assistant, Text: "Memory."}}})
	if err != nil || got.Abstained() || got.Text != "You asked what work_mem is." {
		t.Errorf("%v, %+v", err, got)
	}
}

// A follow-up that only names another subject asks for steps like the question before.
func TestContrastAsksTheSame(t *testing.T) {
	t.Parallel()
	s := &shelf{evidence: .9, results: []retrieve.Result{
		passage(1, "Install", "On Debian", "1. Add the archive to your sources.\n2. Install the package docent on Debian.\n3. Wait a minute.\n4. Look at the log."),
	}}
	r, _ := newRAG(t, s)
	got, err := r.Run(t.Context(), rag.Request{
		Question: "and on Debian?", History: 2, Turns: []talk.Turn{{Role: talk.User, Text: "How do I install docent on Windows?"}},
	})
	want := "1. Add the archive to your sources. [1]\n2. Install the package docent on Debian. [1]\n3. Wait a minute. [1]\n4. Look at the log. [1]"
	if err != nil || !strings.Contains(got.Text, want) {
		t.Errorf("%v, got\n%s", err, got.Text)
	}
}

// The words of a follow-up count more than those of the question before, so the answer does not only repeat.
func TestFollowUpIsAnsweredWithItsOwnWords(t *testing.T) {
	t.Parallel()
	s := &shelf{evidence: .9, results: []retrieve.Result{
		passage(1, "Disks", "Start", "To start a long self-test of the disk, use the option -t long."),
		passage(2, "Disks", "Stop", "The option -X aborts what the disk does at the moment."),
	}}
	for _, word := range text.Words("start long self test abort") {
		s.terms = append(s.terms, text.Term{Text: word.Stem, IDF: 3})
	}
	r, _ := newRAG(t, s)
	got, err := r.Run(t.Context(), rag.Request{Question: "And how do I abort it?", History: 2, Turns: []talk.Turn{
		{Role: talk.User, Text: "How do I start a long self-test?"},
		{Role: talk.Assistant, Text: "To start a long self-test of the disk, use the option -t long."},
	}})
	if err != nil || !strings.Contains(got.Text, "The option -X aborts") {
		t.Errorf("%v, got\n%s", err, got.Text)
	}
}
