package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"docent/embed"
	"docent/internal/fault"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/evidence"
	"docent/rag/retrieve"
	"docent/rag/talk"
	"docent/rag/text"
)

// shelf is a retriever with fixed passages and their collections. It records its queries.
type shelf struct {
	results  []retrieve.Result
	evidence float64
	err      error
	queries  []retrieve.Query
	infos    []corpus.CollectionInfo
	terms    []text.Term
	signs    evidence.Signs
	subjects []string

	fallbacks []int64
}

func (s *shelf) Retrieve(ctx context.Context, q retrieve.Query) (retrieve.Retrieval, error) {
	s.queries = append(s.queries, q)
	if s.err != nil {
		return retrieve.Retrieval{}, s.err
	}
	return retrieve.Retrieval{
		Question: talk.SearchText(q.Question, q.Turns),
		Results:  s.results[:min(q.K, len(s.results))],
		Evidence: s.evidence,
		Terms:    s.terms,
		Signs:    s.signs,
		Coverage: evidence.Coverage{Subjects: s.subjects},

		Fallbacks: s.fallbacks,
	}, ctx.Err()
}

func (s *shelf) Collections(context.Context) ([]corpus.CollectionInfo, error) { return s.infos, nil }

// passage returns a result with a text.
func passage(rank int, title, heading, text string) retrieve.Result {
	p := corpus.Passage{
		Chunk: corpus.Chunk{
			ID: int64(rank), DocumentID: 10 + int64(rank), Kind: corpus.Prose,
			Text: text, Headings: []string{heading}, Start: 5, End: 5 + len(text),
		},
		Document: corpus.Document{Title: title, Source: "/docs/" + title + ".html"},
	}
	return retrieve.Result{Rank: rank, Score: 1 / float64(rank), Passage: p}
}

func memoryShelf() *shelf {
	return &shelf{evidence: .9, results: []retrieve.Result{
		passage(1, "Resources", "work_mem (integer)", "Sets the base maximum amount of memory to be used by a query operation before writing to temporary disk files. The default value is four megabytes (4MB)."),
		passage(2, "Resources", "shared_buffers (integer)", "Sets the amount of memory the database server uses for shared memory buffers. The default is typically 128 megabytes (128MB)."),
		passage(3, "Notes", "Release", "Improve the performance of sorting."),
	}}
}

var testStatic = func() *embed.Static {
	s, err := embed.NewStatic()
	if err != nil {
		panic(err)
	}
	return s
}()

// newRAG makes a Pipeline over a shelf, with a scripted model if there are replies.
func newRAG(t *testing.T, s *shelf, replies ...llmtest.Reply) (*Pipeline, *llmtest.Model) {
	t.Helper()
	cfg := Config{Retriever: s, Shelf: s, Static: testStatic}
	model := llmtest.NewModel(llmtest.Script(replies...))
	if len(replies) > 0 {
		cfg.Models, cfg.DefaultModel = map[string]llm.Model{"scripted": model}, "scripted"
	}
	r, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r, model
}

func TestRunExtractive(t *testing.T) {
	t.Parallel()
	r, _ := newRAG(t, memoryShelf())
	got, err := r.Run(t.Context(), rag.Request{Question: "What is the default of work_mem?"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got.Text, "The default value is four megabytes (4MB). [1]") || !strings.Contains(got.Text, "work_mem (integer)") {
		t.Errorf("the answer is %q", got.Text)
	}
	if got.Model != rag.Extractive || got.Abstained() || len(got.Passages) != 3 || got.Question != "What is the default of work_mem?" {
		t.Errorf("the message is %+v", got)
	}
	for _, s := range got.Sentences {
		body := text.ResolveMarkers(got.Text[s.Start:s.End], 0)
		if len(s.Passages) != 1 || !strings.Contains(got.Passages[s.Passages[0]-1].Passage.Text, body) {
			t.Errorf("sentence %q is not in passage %v", body, s.Passages)
		}
		if s.Support != rag.Strong {
			t.Errorf("sentence %q has support %s", body, s.Support)
		}
	}
	if got.Search == nil || got.Search.Text != got.Question || got.Search.K != retrieve.AnswerK ||
		got.Timings.Answer <= 0 || got.Timings.Search <= 0 {
		t.Errorf("search %+v, timings %+v", got.Search, got.Timings)
	}
}

func TestStreamOrder(t *testing.T) {
	t.Parallel()
	r, _ := newRAG(t, memoryShelf(), llmtest.Reply{Text: []string{"It is ", "4MB [1", ", 9]."}, Usage: &llmtest.Usage{Prompt: 7, Completion: 3}})
	var order []string
	var text string
	var last rag.Part
	for p, err := range r.Stream(t.Context(), rag.Request{Question: "default of work_mem?"}) {
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case p.Phase != "":
			order = append(order, string(p.Phase))
		case p.Delta != "":
			order = append(order, "delta")
			text += p.Delta
		default:
			order = append(order, "message")
		}
		last = p
	}
	if got := strings.Join(order, " "); got != "searching answering delta delta delta message" {
		t.Errorf("the parts came as %s", got)
	}
	if text != "It is 4MB [1, 9]." || last.Answer.Text != "It is 4MB [1]." {
		t.Errorf("deltas %q, message %q", text, last.Answer.Text)
	}
	if last.Answer.Usage == nil || *last.Answer.Usage != (rag.Usage{Prompt: 7, Completion: 3}) {
		t.Errorf("usage is %v", last.Answer.Usage)
	}
	if s := last.Answer.Sentences; len(s) != 1 || s[0].Support != rag.Strong || s[0].Passages[0] != 1 {
		t.Errorf("sentences are %+v", s)
	}
}

func TestRunRefuses(t *testing.T) {
	t.Parallel()
	r, _ := newRAG(t, memoryShelf())
	for name, c := range map[string]struct {
		req  rag.Request
		says string
	}{
		"empty":    {rag.Request{Question: " \n"}, "empty"},
		"long":     {rag.Request{Question: strings.Repeat("x", rag.MaxQuestionBytes+1)}, "16384"},
		"prompt":   {rag.Request{Question: "q", Prompt: strings.Repeat("x", rag.MaxPromptBytes+1)}, "prompt"},
		"k":        {rag.Request{Question: "q", K: retrieve.MaxK + 1}, "1 and 50"},
		"negative": {rag.Request{Question: "q", K: -1}, "1 and 50"},
		"history":  {rag.Request{Question: "q", History: -1}, "history"},
		"model":    {rag.Request{Question: "q", Model: "gpt-9"}, "there are: extractive"},
	} {
		_, err := r.Run(t.Context(), c.req)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Message(err), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	ok := Config{Retriever: memoryShelf(), Static: testStatic}
	for name, change := range map[string]func(c *Config){
		"retriever": func(c *Config) { c.Retriever = nil },
		"static":    func(c *Config) { c.Static = nil },
		"default":   func(c *Config) { c.DefaultModel = "x" },
		"k":         func(c *Config) { c.K = retrieve.MaxK + 1 },
		"name":      func(c *Config) { c.Models = map[string]llm.Model{rag.Extractive: llmtest.NewModel(nil)} },
	} {
		cfg := ok
		change(&cfg)
		if _, err := New(cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestRunAbstains(t *testing.T) {
	t.Parallel()
	infos := []corpus.CollectionInfo{{Name: "default", Documents: 3}, {Name: "notes", Documents: 1}, {Name: "empty"}}
	zero := 0.0
	for name, c := range map[string]struct {
		shelf *shelf
		req   rag.Request
		want  string
		docs  int
	}{
		"weak":       {&shelf{results: memoryShelf().results, evidence: .00001, infos: infos}, rag.Request{}, "I don't know. I searched 4 documents in the collections `default`, `notes` and found nothing that answers this. The nearest passages are listed, but they do not answer it.", 3},
		"date":       {&shelf{results: memoryShelf().results, evidence: .00001, signs: evidence.Signs{Without: evidence.Date}}, rag.Request{}, "I don't know: there are no documents yet. " + rag.DefaultIngestHint + " The nearest passages give no date for it.", 3},
		"collection": {&shelf{results: memoryShelf().results, evidence: .00001, infos: infos}, rag.Request{Collections: []string{"notes"}}, "I don't know. I searched 1 document in the collection `notes` and found nothing that answers this. The nearest passages are listed, but they do not answer it.", 3},
		"nothing":    {&shelf{infos: infos[2:]}, rag.Request{}, "I don't know: there are no documents yet. " + rag.DefaultIngestHint, 0},
		"empty":      {&shelf{infos: infos}, rag.Request{Collections: []string{"empty", "x"}}, "I don't know: there are no documents in the collection `empty`. " + rag.DefaultIngestHint, 0},
		"no such":    {&shelf{infos: infos}, rag.Request{Collections: []string{"x"}}, "I don't know: the collections of this agent have no documents that you may read.", 0},
		"answers":    {&shelf{results: memoryShelf().results, evidence: .1, infos: infos}, rag.Request{MinEvidence: &zero}, "", 3},
	} {
		r, _ := newRAG(t, c.shelf)
		c.req.Question = "default of work_mem?"
		got, err := r.Run(t.Context(), c.req)
		if err != nil {
			t.Fatal(err)
		}
		if got.Abstained() != (c.want != "") || c.want != "" && got.Text != c.want || len(got.Passages) != c.docs {
			t.Errorf("%s: %v with %d docs: %s", name, got.Abstained(), len(got.Passages), got.Text)
		}
		for _, s := range got.Sentences {
			if got.Abstained() && (len(s.Passages) != 0 || s.Support != rag.None) {
				t.Errorf("%s: a sentence claims support: %+v", name, s)
			}
		}
	}
}

// A model is asked whenever there is a passage, and says itself that the passages do not answer.
func TestModelIsAskedWithAnyEvidence(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]rag.Outcome{
		"The default value of work_mem is 4MB [1].": rag.Answered, "It is 7.": rag.Unsure, "I don't know.": rag.NotFound,
	} {
		s := memoryShelf()
		s.evidence = 0
		r, model := newRAG(t, s, llmtest.Say(said))
		got, err := r.Run(t.Context(), rag.Request{Question: "default of work_mem?"})
		if err != nil || got.Outcome != want || got.Model != "scripted" || len(model.Requests()) != 1 {
			t.Errorf("%s: %+v %v after %d calls", said, got, err, len(model.Requests()))
		}
	}
}

// Passages that lack the named subject of a question are not shown if little else speaks for them.
func TestMissingSubject(t *testing.T) {
	t.Parallel()
	for evidence, want := range map[float64]rag.Outcome{minNamed / 2: rag.NotFound, minNamed: rag.Unsure} {
		s := memoryShelf()
		s.evidence, s.subjects = evidence, []string{"Paraguay"}
		r, _ := newRAG(t, s)
		got, err := r.Run(t.Context(), rag.Request{Question: "default of work_mem in Paraguay?"})
		if err != nil || got.Outcome != want || want == rag.Unsure && !strings.Contains(got.Text[:got.Lead], "`Paraguay`") {
			t.Errorf("evidence %v: %+v %v", evidence, got, err)
		}
	}
}

// Without a model, the evidence decides between the outcomes.
func TestOutcomesOfQuotes(t *testing.T) {
	t.Parallel()
	for evidence, want := range map[float64]rag.Outcome{
		0: rag.NotFound, DefaultMinShown: rag.Unsure, DefaultMinEvidence - .01: rag.Unsure, DefaultMinEvidence: rag.Answered,
	} {
		s := memoryShelf()
		s.evidence = evidence
		r, _ := newRAG(t, s)
		got, err := r.Run(t.Context(), rag.Request{Question: "default of work_mem?"})
		if err != nil || got.Outcome != want || got.Abstained() != (want == rag.NotFound) {
			t.Fatalf("evidence %v: %+v %v", evidence, got, err)
		}
		line, quotes := got.Text[:got.Lead], got.Text[got.Lead:]
		if (line != "") != (want == rag.Unsure) || line != "" && got.Named.ID != "unsure" {
			t.Errorf("evidence %v begins with %q (%v)", evidence, line, got.Named)
		}
		for _, s := range got.Sentences {
			if want != rag.NotFound && (!strings.Contains(quotes, got.Text[s.Start:s.End]) || s.Support != rag.Strong) {
				t.Errorf("evidence %v: a sentence is %q", evidence, got.Text[s.Start:s.End])
			}
		}
	}
}

func TestModelAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply     llmtest.Reply
		answer    string
		abstained bool
		supports  string
	}{
		"cited":     {llmtest.Say("The default value of work_mem is 4MB [1]. Elephants fly [2]."), "The default value of work_mem is 4MB [1]. Elephants fly [2].", false, "strong none"},
		"number":    {llmtest.Say("The default value of work_mem is 9MB [1]."), "The default value of work_mem is 9MB [1].", false, "none"},
		"invented":  {llmtest.Say("It is 4MB [7]."), "It is 4MB.", false, "none"},
		"uncited":   {llmtest.Say("The default is 4MB."), "The default is 4MB.", false, "none"},
		"knows not": {llmtest.Say("I don't know."), "I don't know.", true, "none"},
		"sorry":     {llmtest.Say("Sorry, but the provided passages do not say."), "Sorry, but the provided passages do not say.", true, "none"},
		"both":      {llmtest.Say("I don't know the minimum, but the default value is four megabytes [1]."), "I don't know the minimum, but the default value is four megabytes [1].", false, "strong"},
		"length":    {llmtest.Reply{Text: []string{"The default is"}, Finish: "length"}, "The default is\n\n" + noteLength, false, "none"},
		"filter":    {llmtest.Reply{Text: []string{"The default"}, Finish: "content_filter"}, "The default\n\n" + noteFilter, false, "none"},
		"image":     {llmtest.Say("![4MB](http://evil/?q=1) is it\u202e [1]."), "4MB is it [1].", false, "strong"},
	} {
		r, _ := newRAG(t, memoryShelf(), c.reply)
		var got rag.Answer
		var deltas string
		for p, err := range r.Stream(t.Context(), rag.Request{Question: "default of work_mem?"}) {
			if err != nil {
				t.Fatal(name, err)
			}
			deltas += p.Delta
			if p.Answer != nil {
				got = *p.Answer
			}
		}
		if want := strings.Join(c.reply.Text, ""); deltas != want {
			t.Errorf("%s: the deltas are %q, want %q", name, deltas, want)
		}
		var supports []string
		for _, s := range got.Sentences {
			supports = append(supports, string(s.Support))
		}
		if got.Text != c.answer || got.Abstained() != c.abstained || strings.Join(supports, " ") != c.supports {
			t.Errorf("%s: %q, abstained %v, support %v", name, got.Text, got.Abstained(), supports)
		}
	}
}

func TestModelFails(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		reply llmtest.Reply
		kind  fault.Kind
	}{
		"at once":    {llmtest.Reply{Err: fault.Wrap(fault.Unavailable, boom, "test_sentence", "down")}, fault.Unavailable},
		"mid-stream": {llmtest.Reply{Text: []string{"It is"}, Err: boom}, fault.Internal},
		"empty":      {llmtest.Say(" \n"), fault.Unavailable},
		"markers":    {llmtest.Say("[9]"), fault.Unavailable},
	} {
		r, _ := newRAG(t, memoryShelf(), c.reply)
		var last error
		for p, err := range r.Stream(t.Context(), rag.Request{Question: "default of work_mem?"}) {
			if last != nil || p.Answer != nil {
				t.Errorf("%s: something came after the error, or a message", name)
			}
			last = err
		}
		if last == nil || fault.KindOf(last) != c.kind {
			t.Errorf("%s: %v", name, last)
		}
	}
	r, _ := newRAG(t, &shelf{err: boom})
	if _, err := r.Run(t.Context(), rag.Request{Question: "q"}); !errors.Is(err, boom) {
		t.Errorf("a failing retriever gave %v", err)
	}
}

// endless is a model that writes until its caller leaves the loop.
type endless struct {
	llm.Model
	left bool
}

func (m *endless) Chat(context.Context, llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		for yield(llm.Delta{Text: "x"}, nil) {
		}
		m.left = true
	}
}

func TestBreakLeavesTheModel(t *testing.T) {
	t.Parallel()
	s, model := memoryShelf(), &endless{}
	r, err := New(Config{Retriever: s, Static: testStatic, Models: map[string]llm.Model{"m": model}, DefaultModel: "m"})
	if err != nil {
		t.Fatal(err)
	}
	for p, err := range r.Stream(t.Context(), rag.Request{Question: "default of work_mem?"}) {
		if err != nil {
			t.Fatal(err)
		}
		if p.Delta != "" {
			break
		}
	}
	if !model.left {
		t.Error("the model was not left before the loop ended")
	}
	// Reading stops at the length limit of an answer.
	model.left = false
	if got, err := r.Run(t.Context(), rag.Request{Question: "default of work_mem?"}); err != nil || !model.left || len(got.Text) > maxAnswerBytes+len(noteLength)+2 {
		t.Errorf("%d bytes, left %v, %v", len(got.Text), model.left, err)
	}
}

func TestCanceledContext(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	ctx, cancel := context.WithCancel(t.Context())
	r, _ := newRAG(t, memoryShelf(), llmtest.Reply{Text: []string{"one", "two"}, Wait: func(ctx context.Context, piece int) error {
		if piece == 1 {
			cancel()
			<-ctx.Done()
		}
		return ctx.Err()
	}})
	_, err := r.Run(ctx, rag.Request{Question: "default of work_mem?"})
	if fault.KindOf(err) != fault.Canceled {
		t.Errorf("the error is %v", err)
	}
}

func TestEndlessModelIsCut(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	pieces := make([]string, 2*maxAnswerBytes/1024)
	for i := range pieces {
		for word := range 128 {
			pieces[i] += fmt.Sprintf("w%06d ", i*128+word)
		}
	}
	r, _ := newRAG(t, memoryShelf(), llmtest.Say(pieces...))
	got, err := r.Run(t.Context(), rag.Request{Question: "default of work_mem?"})
	if err != nil || len(got.Text) > maxAnswerBytes+len(noteLength)+2 || !strings.HasSuffix(got.Text, noteLength) {
		t.Errorf("%d bytes, %v", len(got.Text), err)
	}
}

func TestSmallTalkIsAnswered(t *testing.T) {
	t.Parallel()
	r, _ := newRAG(t, memoryShelf())
	got, err := r.Run(t.Context(), rag.Request{Question: "Hello!"})
	if err != nil || got.Text != talk.Talks()[0].Reply.Message || !got.Abstained() || len(got.Passages) != 0 {
		t.Errorf("without a model: %+v %v", got, err)
	}
	r, model := newRAG(t, memoryShelf(), llmtest.Say("I read it wrong: it is 8."))
	got, err = r.Run(t.Context(), rag.Request{Question: "Hello!"})
	if err != nil || got.Outcome != rag.Replied || len(model.Requests()) != 0 {
		t.Errorf("with a model: %+v %v", got, err)
	}
	// A model answers a complaint about its answer.
	turns := []talk.Turn{{Role: talk.User, Text: "What is the default?"}, {Role: talk.Assistant, Text: "It is 7."}}
	got, err = r.Run(t.Context(), rag.Request{Question: "that is wrong", History: 9, Turns: turns})
	if err != nil || got.Outcome == rag.Replied || len(model.Requests()) == 0 {
		t.Errorf("a complaint: %+v %v", got, err)
	}
}

// TestMessageWithoutSubject: a first message without a subject is asked for it, unless chosen documents are its subject.
func TestMessageWithoutSubject(t *testing.T) {
	t.Parallel()
	c := newCatalog()
	r, _ := newCatalogRAG(t, c)
	for _, message := range []string{"it doesn't work", "how do i", "your answer is rubbish"} {
		got, err := r.Run(t.Context(), rag.Request{Question: message})
		if err != nil || got.Text != talk.Unclear.Message || len(c.queries) > 0 {
			t.Errorf("%s: %+v %v", message, got, err)
		}
	}
	if got, err := r.Run(t.Context(), rag.Request{Question: "explain it", Documents: []int64{3}}); err != nil || got.Text == talk.Unclear.Message {
		t.Errorf("with a chosen document: %+v %v", got, err)
	}
	turns := []talk.Turn{{Role: talk.User, Text: "When do I get paid?"}, {Role: talk.Assistant, Text: "On the last day. [1]"}}
	if got, err := r.Run(t.Context(), rag.Request{Question: "that is wrong", History: 9, Turns: turns}); err != nil || got.Text == talk.Unclear.Message {
		t.Errorf("behind an answer: %+v %v", got, err)
	}
}
