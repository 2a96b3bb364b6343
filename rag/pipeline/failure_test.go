package pipeline

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"docent/internal/fault"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/rag"
	"docent/rag/talk"
)

// failing returns a pipeline that answers with quotes if its model fails.
func failing(t *testing.T, shelf *shelf, respond func(int, llmtest.Request) llmtest.Reply) (*Pipeline, *llmtest.Model) {
	t.Helper()
	model := llmtest.NewModel(respond)
	r, err := New(Config{
		Retriever: shelf, Static: testStatic, Models: map[string]llm.Model{"m": model}, DefaultModel: "m", QuotesOnFailure: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r, model
}

func TestQuotesIfTheModelFails(t *testing.T) {
	t.Parallel()
	down := fault.New(fault.Unavailable, "test_sentence", "down")
	for name, c := range map[string]struct {
		reply llmtest.Reply
		says  string
	}{
		"at once":        {llmtest.Reply{Err: down}, "does not answer right now"},
		"only reasoning": {llmtest.Reply{Reasoning: []string{"hm"}, Err: down}, "does not answer right now"},
		"too long":       {llmtest.Reply{Err: llm.ErrTooLong}, "does not fit"},
		"filtered":       {llmtest.Reply{Err: llm.ErrFiltered}, "content filter"},
		"limit":          {llmtest.Reply{Reasoning: []string{"hm"}, Finish: "length"}, "--max-tokens"},
		"reasoned":       {llmtest.Reply{Reasoning: []string{"hm"}}, "ended its reasoning"},
		"called": {
			llmtest.Reply{Text: []string{"I look it up."}, ToolCalls: []llmtest.ToolCall{{ID: "a", Name: "search", Arguments: "{}"}}}, "asked for a tool",
		},
		"empty":         {llmtest.Say("[9]"), "does not answer right now"},
		"in the middle": {llmtest.Reply{Text: []string{"It is 4"}, Err: down}, "does not answer right now"},
	} {
		r, _ := failing(t, memoryShelf(), llmtest.Script(c.reply))
		a, err := r.Run(t.Context(), rag.Request{Question: "default of work_mem?"})
		if err != nil {
			t.Fatal(name, err)
		}
		lead, quotes := a.Text[:a.Lead], a.Text[a.Lead:]
		if !strings.Contains(lead, c.says) || strings.Contains(lead, "\n") || !strings.Contains(quotes, "4MB") || a.Model != rag.Extractive ||
			a.Outcome != rag.Answered || len(a.Sentences) == 0 || a.Sentences[0].Start < a.Lead || a.Search == nil {
			t.Errorf("%s: %+v", name, a)
		}
	}
	// The line also stands before other outcomes.
	for _, shelf := range []*shelf{{}, {evidence: .1, results: memoryShelf().results}} {
		r, _ := failing(t, shelf, llmtest.Script(llmtest.Reply{Err: down}))
		a, err := r.Run(t.Context(), rag.Request{Question: "default of work_mem?", History: 2, Turns: []talk.Turn{{Role: talk.User, Text: "q"}, {Role: talk.Assistant, Text: "a"}}})
		if err != nil || !strings.HasPrefix(a.Text, "The chat model does not answer right now") || a.Outcome == rag.Answered {
			t.Errorf("%+v, %v", a, err)
		}
	}
}

func TestFailuresThatStay(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	r, _ := failing(t, memoryShelf(), llmtest.Script(llmtest.Reply{Text: []string{"It is"}, Err: boom}))
	var last error
	for part, err := range r.Stream(t.Context(), rag.Request{Question: "default of work_mem?"}) {
		if last = err; part.Answer != nil {
			t.Errorf("after text in a stream: %+v", part.Answer)
		}
	}
	if !errors.Is(last, boom) {
		t.Errorf("after text in a stream: %v", last)
	}
	// Readers of whole answers get quotes in place of the begun text.
	r, _ = failing(t, memoryShelf(), llmtest.Script(llmtest.Reply{Text: []string{"It is 8MB [1]. It"}, Err: boom}))
	var told rag.Answer
	dropped := false
	for part, err := range r.Stream(t.Context(), rag.Request{Question: "default of work_mem?", WholeOnly: true}) {
		if dropped = dropped || part.Restart; err != nil {
			t.Fatal(err)
		}
		if part.Answer != nil {
			told = *part.Answer
		}
	}
	if !dropped || told.Model != rag.Extractive || strings.Contains(told.Text, "8MB") || !strings.Contains(told.Text, "4MB") {
		t.Errorf("a reader of whole answers gets %+v", told)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, _ = failing(t, memoryShelf(), func(int, llmtest.Request) llmtest.Reply { cancel(); return llmtest.Reply{Err: boom} })
	if a, err := r.Run(ctx, rag.Request{Question: "default of work_mem?"}); err == nil {
		t.Errorf("canceled: %+v", a)
	}
	// Without the setting, a failure before the request is an error, too.
	r, model := failing(t, memoryShelf(), llmtest.Script(llmtest.Say("It is 4MB [1].")))
	a, err := r.Run(t.Context(), rag.Request{Question: "default of work_mem?", Failed: boom})
	if err != nil || !strings.Contains(a.Text, "4MB") || len(model.Requests()) != 0 {
		t.Errorf("%+v, %v after %d calls", a, err, len(model.Requests()))
	}
	r.cfg.QuotesOnFailure = false
	if a, err = r.Run(t.Context(), rag.Request{Question: "default of work_mem?", Failed: boom}); !errors.Is(err, boom) {
		t.Errorf("%+v, %v", a, err)
	}
}

// If the request is too long, docent leaves out the worse passages and the older turns.
func TestSmallContext(t *testing.T) {
	t.Parallel()
	shelf := memoryShelf()
	shelf.results[1].Passage.Text += strings.Repeat(" More about buffers.", 300)
	room := func(r llmtest.Request) int {
		n := 0
		for _, m := range r.Messages {
			n += len(m.Content)
		}
		return n
	}
	r, model := failing(t, shelf, func(_ int, r llmtest.Request) llmtest.Reply {
		if room(r) > 4000 {
			return llmtest.Reply{Err: llm.ErrTooLong}
		}
		return llmtest.Say("It is 4MB [1]. Buffers are 128MB [2].")
	})
	turns := []talk.Turn{{Role: talk.User, Text: "first"}, {Role: talk.Assistant, Text: strings.Repeat("Long answer. ", 200)}}
	req := rag.Request{Question: "What is the default of the setting work_mem?", History: 2, Turns: turns}
	a, err := r.Run(t.Context(), req)
	if err != nil || !strings.HasPrefix(a.Text, "It is 4MB [1]. Buffers are 128MB.") || len(a.Passages) != 1 || !strings.Contains(a.Text, "best 1 of 3 passages") {
		t.Errorf("%+v, %v", a, err)
	}
	calls := len(model.Requests())
	if _, err = r.Run(t.Context(), req); err != nil || len(model.Requests()) != calls+1 {
		t.Errorf("%v after %d more calls, want one, because the limit is known", err, len(model.Requests())-calls)
	}
	// A single long passage is cut.
	shelf = memoryShelf()
	shelf.results = shelf.results[:1]
	shelf.results[0].Passage.Text += strings.Repeat(" More about memory.", 300)
	r, _ = failing(t, shelf, func(_ int, r llmtest.Request) llmtest.Reply {
		if room(r) > 4000 {
			return llmtest.Reply{Err: llm.ErrTooLong}
		}
		return llmtest.Say("It is 4MB [1].")
	})
	if a, err = r.Run(t.Context(), rag.Request{Question: "default of work_mem?"}); err != nil || !strings.Contains(a.Text, "4MB [1]") || !strings.Contains(a.Text, "only a part") {
		t.Errorf("%+v, %v", a, err)
	}
}

// Reasoning that was streamed as text is not part of the answer, nor of the final text.
func TestRestart(t *testing.T) {
	t.Parallel()
	const thought = "The passage says that the default value is four megabytes. So the answer is four megabytes. I write that down now."
	s := llmtest.NewServer(llmtest.Script(llmtest.Say(thought, "</think>", "It is 4MB [1].")))
	t.Cleanup(s.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	o, err := llm.NewOpenAI(llm.Config{BaseURL: s.URL, Model: "m", HTTPClient: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(Config{Retriever: memoryShelf(), Static: testStatic, Models: map[string]llm.Model{"m": o}, DefaultModel: "m"})
	if err != nil {
		t.Fatal(err)
	}
	var text string
	for p, err := range r.Stream(t.Context(), rag.Request{Question: "default of work_mem?"}) {
		if err != nil {
			t.Fatal(err)
		}
		if p.Restart {
			text = ""
		}
		text += p.Delta
		if p.Answer != nil && (p.Answer.Text != "It is 4MB [1]." || text != p.Answer.Text) {
			t.Errorf("the answer is %q, the deltas are %q", p.Answer.Text, text)
		}
	}
}
