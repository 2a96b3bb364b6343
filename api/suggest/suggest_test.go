package suggest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/rag"
	"docent/rag/corpus"
)

// shelf is a library in memory.
type shelf struct {
	Library

	collections []corpus.CollectionInfo
	docs        []corpus.Document
	chunks      map[int64][]corpus.Chunk
	asked       []rag.Request
	fails       error
}

func (s *shelf) Collections(context.Context) ([]corpus.CollectionInfo, error) {
	return s.collections, nil
}

func (s *shelf) Documents(_ context.Context, f corpus.DocumentFilter) ([]corpus.Document, error) {
	var out []corpus.Document
	for _, d := range s.docs {
		if d.Collection == f.Collection {
			out = append(out, d)
		}
	}
	return out, nil
}

func (s *shelf) Metadata(_ context.Context, id int64) (corpus.Document, error) {
	return s.docs[slices.IndexFunc(s.docs, func(d corpus.Document) bool { return d.ID == id })], nil
}

func (s *shelf) DocumentChunks(_ context.Context, id int64, after, _ int) ([]corpus.Chunk, error) {
	return s.chunks[id][after+1:], nil
}

// Run answers all questions that do not contain "lost".
func (s *shelf) Run(_ context.Context, req rag.Request) (rag.Answer, error) {
	s.asked = append(s.asked, req)
	outcome := rag.Answered
	if strings.Contains(req.Question, "lost") {
		outcome = rag.NotFound
	}
	return rag.Answer{Outcome: outcome}, s.fails
}

func newShelf() *shelf {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return &shelf{
		collections: []corpus.CollectionInfo{
			{Name: "old", Documents: 1, Chunks: 1, ChangedAt: at},
			{Name: "new", Documents: 1, Chunks: 2, ChangedAt: at.AddDate(0, 0, 1)},
			{Name: "empty"},
		},
		docs: []corpus.Document{
			{ID: 1, Collection: "old", Title: "House rules"},
			{ID: 2, Collection: "new", Title: "Feed pump manual"},
		},
		chunks: map[int64][]corpus.Chunk{
			1: {{Text: "Quiet."}},
			2: {
				{Kind: corpus.Prose, Headings: []string{"Cleaning the filter"}, Text: "Close both valves before you open the filter.", Start: 3, End: 40},
				{Ordinal: 1, Headings: []string{"Finding lost parts"}},
			},
		},
	}
}

func get(t *testing.T, s routes, in suggestionsInput) []string {
	t.Helper()
	out, err := s.suggestions(t.Context(), &in)
	if err != nil {
		t.Fatal(err)
	}
	return out.Body.Questions
}

func TestSuggestions(t *testing.T) {
	l := newShelf()
	s := newRoutes(Config{Library: l, Answers: l})
	want := []string{"What is “Feed pump manual” about?", "What is “House rules” about?", "What does “Feed pump manual” say about cleaning the filter?"}
	all := suggestionsInput{Language: "en", Limit: 4}
	if got := get(t, s, all); !slices.Equal(got, want) {
		t.Errorf("suggestions are %q, want %q", got, want)
	}
	for _, req := range l.asked {
		if req.Model != rag.Extractive || len(req.Collections) != 1 {
			t.Errorf("%q was tried with the model %q in %q", req.Question, req.Model, req.Collections)
		}
	}
	asked := len(l.asked)
	get(t, s, all)
	if len(l.asked) != asked {
		t.Errorf("the second call tried %d questions", len(l.asked)-asked)
	}
	// A change of one collection leaves the questions of the others.
	l.collections[0].Chunks++
	get(t, s, all)
	if got := len(l.asked) - asked; got != 1 {
		t.Errorf("after a change of a collection with one question, %d were tried", got)
	}
	if got := get(t, s, suggestionsInput{Language: "de", Limit: 1, Collection: []string{"old"}}); !slices.Equal(got, []string{"Was steht in „House rules“?"}) {
		t.Errorf("German suggestions from one collection are %q", got)
	}
}

func TestErrorsAreNotKept(t *testing.T) {
	l := newShelf()
	s := newRoutes(Config{Library: l, Answers: l})
	l.fails = errors.New("no index")
	if _, err := s.suggestions(t.Context(), &suggestionsInput{Language: "en", Limit: 4}); !errors.Is(err, l.fails) {
		t.Errorf("suggestions fail with %v, want %v", err, l.fails)
	}
	l.fails = nil
	if got := get(t, s, suggestionsInput{Language: "en", Limit: 4}); len(got) != 3 {
		t.Errorf("after the failure, suggestions are %q", got)
	}
}

func TestRead(t *testing.T) {
	l := newShelf()
	s := newRoutes(Config{Library: l, Answers: l})
	o, err := s.read(t.Context(), l.docs[1])
	if err != nil {
		t.Fatal(err)
	}
	if len(o.headings) != 2 || o.headings[0] != (Heading{Text: "Cleaning the filter", Level: 1, Start: 3, End: 40}) || !o.complete {
		t.Errorf("headings are %+v", o.headings)
	}
	if want := []string{"Close both valves before you open the filter."}; !slices.Equal(o.summary, want) {
		t.Errorf("summary is %q, want %q", o.summary, want)
	}
	questions, err := s.askDocument(t.Context(), l.docs[1], "en")
	if want := []string{"What does the document say about “Cleaning the filter”?"}; err != nil || !slices.Equal(questions, want) {
		t.Errorf("questions are %q, want %q; %v", questions, want, err)
	}
	if !slices.Equal(l.asked[0].Documents, []int64{2}) {
		t.Errorf("the question was tried in the documents %v", l.asked[0].Documents)
	}
}

func TestHeadings(t *testing.T) {
	path := func(names ...string) corpus.Chunk { return corpus.Chunk{Headings: names} }
	var got []string
	for _, h := range headingsOf(corpus.Document{}, []corpus.Chunk{path(), path("A", "B"), path("A", "B"), path("A", "C"), path("D"), path("A")}) {
		got = append(got, strings.Repeat(" ", h.Level-1)+h.Text)
	}
	if want := []string{"A", " B", " C", "D", "A"}; !slices.Equal(got, want) {
		t.Errorf("headings are %q, want %q", got, want)
	}
}

func TestSummary(t *testing.T) {
	prose := func(heading, text string) corpus.Chunk {
		return corpus.Chunk{Kind: corpus.Prose, Headings: []string{heading}, Text: text}
	}
	tests := []struct {
		name   string
		chunks []corpus.Chunk
		want   []string
	}{
		{
			"few sections",
			[]corpus.Chunk{prose("A", "The **pump** moves [water](https://x.org) to the boiler. It stops at night without a person.")},
			[]string{"The pump moves water to the boiler.", "It stops at night without a person."},
		},
		{"one sentence of each section", []corpus.Chunk{
			prose("A", "The pump does this work in winter:\n\nThe pump moves water to the boiler. It stops at night without a person."),
			prose("B", "The filter needs care in every spring."), prose("C", "- an item\n- of a list"), prose("D", "The valve opens only after the pump."),
		}, []string{"The pump moves water to the boiler.", "The filter needs care in every spring.", "The valve opens only after the pump."}},
		{"no sentences", []corpus.Chunk{prose("A", "Short."), {Kind: corpus.Table, Text: "a | b"}}, []string{}},
	}
	for _, test := range tests {
		if got := summary(test.chunks); !slices.Equal(got, test.want) {
			t.Errorf("%s: summary is %q, want %q", test.name, got, test.want)
		}
	}
}

func TestQuestions(t *testing.T) {
	tests := []struct{ title, heading, language, want string }{
		{"grep", "", "en", "What is grep?"},
		{"PostgreSQL", "", "de", "Was ist PostgreSQL?"},
		{"Concepts", "", "en", "What is “Concepts” about?"},
		{"Can I return it", "", "en", "Can I return it?"},
		{"Introduction", "", "en", ""},
		{"manual.pdf", "", "en", ""},
		{"分布式系统原理", "", "en", ""},
		{"Concepts", "3.1 Backup and restore", "en", "What does “Concepts” say about backup and restore?"},
		{"Concepts", "WAL archiving", "en", "What does “Concepts” say about WAL archiving?"},
		{"Concepts", "Backup", "en", ""},
		{"Concepts", "Backup und Rückweg", "de", "Was steht in „Concepts“ zum Thema „Backup und Rückweg“?"},
		{"Concepts", "Sauvegarde et restauration", "fr", "Que dit «\u00a0Concepts\u00a0» au sujet de «\u00a0Sauvegarde et restauration\u00a0»\u00a0?"},
		{"Conceptos", "", "es", "¿De qué trata «Conceptos»?"},
		{"Concepts", "", "fi", "What is “Concepts” about?"},
	}
	for _, test := range tests {
		got := aboutDocument(test.title, test.language)
		if test.heading != "" {
			got = aboutSection(test.title, test.heading, test.language)
		}
		if got != test.want {
			t.Errorf("question from %q and %q is %q, want %q", test.title, test.heading, got, test.want)
		}
	}
	if got := inDocument("Concepts", "Backup", "en"); got != "What does the document say about “Backup”?" {
		t.Errorf("question about a document is %q", got)
	}
	if got := inDocument("Backup", "Backup", "en"); got != "" {
		t.Errorf("question from the title of the document is %q", got)
	}
}

// TestHeadingsInside finds headings within passages that several small sections share.
func TestHeadingsInside(t *testing.T) {
	const markdown = "Guide\n=====\n\nIntroduction.\n\n## First **step** ##\nDo it.\n```sh\n# no heading\n```\n### Deeper\n\nText.\n\nSecond\n---\n\n- item\n---\n\nText.\n"
	const prose = "Opening hours\n\nWe open at nine.\n\nParking\n\nThere is a lot.\n\n- Item\n\nIt ends.\n\nlower case\n\nText.\n\nAnn Smith\n"
	tests := []struct {
		name, media, text string
		chunks            int
		path, want        []string
	}{
		{"Markdown", "text/markdown", markdown, 2, nil, []string{"First step", " Deeper", "Second"}},
		{"a section", "text/markdown", "## A\n\nx\n\n## B\n\ny", 2, []string{"Part"}, []string{"Part", " A", " B"}},
		{"prose", "application/pdf", prose, 1, nil, []string{"Opening hours", "Parking"}},
		{"prose of several passages", "application/pdf", prose, 2, nil, nil},
	}
	for _, test := range tests {
		doc := corpus.Document{Title: "Guide", MediaType: test.media, Chunks: test.chunks}
		c := corpus.Chunk{Kind: corpus.Prose, Headings: test.path, Text: test.text, Start: 7, End: 7 + len(test.text)}
		var got []string
		for _, h := range headingsOf(doc, []corpus.Chunk{c}) {
			got = append(got, strings.Repeat(" ", h.Level-1)+h.Text)
			if at := test.text[h.Start-7 : h.End-7]; !strings.Contains(strings.ReplaceAll(at, "**", ""), h.Text) && len(test.path) == 0 {
				t.Errorf("%s: %q is at %q", test.name, h.Text, at)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: headings are %q, want %q", test.name, got, test.want)
		}
	}
}

// TestCacheTogether: the work on one key holds up nobody who asks for another one, and is done once for all who ask for it.
func TestCacheTogether(t *testing.T) {
	c := newCache[int](2)
	began, release := make(chan struct{}), make(chan struct{})
	slow := func(context.Context) (int, error) { close(began); <-release; return 1, nil }
	results := make(chan int, 2)
	ask := func(fill func(context.Context) (int, error)) {
		v, err := c.get(t.Context(), "slow", fill)
		if err != nil {
			t.Error(err)
		}
		results <- v
	}
	go ask(slow)
	<-began
	if v, err := c.get(t.Context(), "quick", func(context.Context) (int, error) { return 2, nil }); v != 2 || err != nil {
		t.Errorf("another key: %d, %v", v, err)
	}
	gone, leave := context.WithCancelCause(t.Context())
	leave(errors.New("left"))
	if _, err := c.get(gone, "slow", slow); err == nil || err.Error() != "left" {
		t.Errorf("a reader who leaves gets %v", err)
	}
	go ask(func(context.Context) (int, error) { return 3, nil })
	close(release)
	if first, second := <-results, <-results; first != 1 || second != 1 {
		t.Errorf("got %d and %d, want 1 for both", first, second)
	}
}

func TestCacheBound(t *testing.T) {
	c := newCache[int](0)
	made := 0
	for i := range maxKept + 2 {
		for range 2 {
			if _, err := c.get(t.Context(), string(rune(i)), func(context.Context) (int, error) { made++; return i, nil }); err != nil {
				t.Fatal(err)
			}
		}
	}
	if made != maxKept+2 || len(c.kept) != maxKept || len(c.order) != maxKept {
		t.Errorf("%d values were made and %d kept, want %d and %d", made, len(c.kept), maxKept+2, maxKept)
	}
}
