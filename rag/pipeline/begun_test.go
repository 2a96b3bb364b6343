package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"docent/llm/llmtest"
	"docent/rag"
	"docent/rag/corpus"
)

// marks returns the sentences of a message with their citations and support.
func marks(m rag.Answer) string {
	var out []string
	for _, s := range m.Sentences {
		out = append(out, fmt.Sprint(m.Text[s.Start:s.End], s.Passages, " ", s.Support))
	}
	return strings.Join(out, "|")
}

// TestCiteBegun: the sentences of a stopped answer are checked. The unfinished
// last sentence is checked only if it has a citation. An incomplete marker is
// not shown.
func TestCiteBegun(t *testing.T) {
	t.Parallel()
	const whole = "The default of work_mem is 4MB [1]."
	for text, want := range map[string]struct{ answer, marks string }{
		whole + " Elephants forget noth":          {whole + " Elephants forget noth", whole + "[1] strong"},
		whole + " Elephants forget nothing.":      {whole + " Elephants forget nothing.", whole + "[1] strong"},
		"Elephants forget. " + whole:              {"Elephants forget. " + whole, "Elephants forget.[] none|" + whole + "[1] strong"},
		"The default of work_mem is 4MB [1] and":  {"The default of work_mem is 4MB [1] and", "The default of work_mem is 4MB [1] and[1] strong"},
		"The default of work_mem is 4MB [1":       {"The default of work_mem is 4MB", ""},
		"The default of work_mem is 4MB [1, ":     {"The default of work_mem is 4MB", ""},
		"The default of work_mem is 4MB [passage": {"The default of work_mem is 4MB", ""},
		"The default of work_mem is 4MB 【1†sou":   {"The default of work_mem is 4MB", ""},
		"The default of work_mem is 4MB [1][":     {"The default of work_mem is 4MB [1]", "The default of work_mem is 4MB [1][1] strong"},
		"Run `f(a)` or\n\n```\nx = a[1":           {"Run `f(a)` or\n\n```\nx = a[1\n```", "Run `f(a)` or[] none"},
		"Half a character: \xc3":                  {"Half a character:", ""},
		" [9":                                     {"", ""},
		"I don't know what":                       {"I don't know what", ""},
	} {
		m := CiteBegun(testStatic, Written{Model: "m", Question: "q?", Text: text, Results: memoryShelf().results[:2]})
		if m.Text != want.answer || marks(m) != want.marks {
			t.Errorf("%q: %q, marked %s", text, m.Text, marks(m))
		}
		if !m.Stopped || m.Abstained() || len(m.Passages) != 2 || m.Question != "q?" || m.Model != "m" {
			t.Errorf("%q: %+v", text, m)
		}
	}
	m := CiteBegun(testStatic, Written{Text: "I don't know. The passages only te", Results: memoryShelf().results[:2]})
	if !m.Abstained() || len(m.Sentences) != 1 {
		t.Errorf("an admission: %+v", m)
	}
}

// An answer names its search options, even if it was stopped. Small talk has
// none.
func TestAnswerSaysWhatItWasMadeWith(t *testing.T) {
	t.Parallel()
	made := func(m rag.Answer) string {
		if m.Search == nil {
			return fmt.Sprint("nothing ", m.Stopped)
		}
		return fmt.Sprint(m.Search.Evidence, " ", m.Search.K, m.Search.Collections, m.Stopped)
	}
	listed := memoryShelf()
	listed.infos = []corpus.CollectionInfo{{Name: "manual", Documents: 2}}
	r, _ := newRAG(t, listed, llmtest.Say("It is 4MB [1]. It is"))
	req := rag.Request{Question: "What is the default of work_mem?", K: 2, Collections: []string{"manual", "hidden"}}
	for part, err := range r.Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		if part.Begun != nil {
			if m := part.Begun("It is 4MB [1]. It"); made(m) != "0.9 2 [manual] true" || marks(m) != "It is 4MB [1].[1] strong" || part.Phase != rag.Answering {
				t.Errorf("stopped, it is made with %s: %+v", made(m), m)
			}
		}
		if m := part.Answer; m != nil && made(*m) != "0.9 2 [manual] false" {
			t.Errorf("the whole is made with %s", made(*m))
		}
	}
	quotes, _ := newRAG(t, memoryShelf())
	for question, want := range map[string]string{
		"What is the default of work_mem?": "0.9 4 [] false", "hello": "nothing false",
	} {
		if m, err := quotes.Run(t.Context(), rag.Request{Question: question}); err != nil || made(m) != want {
			t.Errorf("%s: %v, made with %s", question, err, made(m))
		}
	}
	empty, _ := newRAG(t, &shelf{})
	if m, err := empty.Run(t.Context(), req); err != nil || !m.Abstained() || made(m) != "0 2 [] false" {
		t.Errorf("of nothing: %v, %+v", err, m)
	}
}
