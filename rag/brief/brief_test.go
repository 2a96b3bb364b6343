package brief_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"docent/payload"
	"docent/rag"
	"docent/rag/brief"
	"docent/rag/corpus"
)

// section returns an answer that cites the second of two passages.
func section(text string, first, second int64, outcome payload.AnswerOutcome) payload.RAGMessage {
	doc := func(id int64) payload.RAGDoc {
		return payload.RAGDoc{Metadata: payload.RAGMetadata{ChunkID: id, DocumentID: 1}}
	}
	return payload.RAGMessage{
		LLMName: "m", Answer: text, Outcome: outcome, Abstained: outcome == payload.AnswerNotFound, Docs: []payload.RAGDoc{doc(first), doc(second)},
		Sentences: []payload.RAGSentence{{Start: 0, End: len(text), Docs: []int{2}, Support: payload.SupportStrong}},
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	r := brief.NewReport("task")
	shown := r.Add("A [x]", section("One [2].", 10, 11, payload.Answered))
	shown += r.Add("B", section("I don't know.", 10, 12, payload.AnswerNotFound))
	shown += r.Add("C", section("Three [2].", 12, 14, payload.AnswerUnsure))
	shown += r.Add("E", section("Three [2].", 12, 14, payload.AnswerUnsure)) // nothing new
	shown += r.Add("D", section("Four [2].\n", 12, 13, payload.Answered))
	got := r.Message("de")
	want := "## A \\[x\\]\n\nOne [1].\n\n## C\n\nThree [2].\n\n## D\n\nFour [3]."
	if shown != want || got.Answer != want+"\n\n## Nicht gefunden\n\n- B\n- E" {
		t.Errorf("shown %q, answer %q", shown, got.Answer)
	}
	if got.Outcome != payload.Answered || got.Abstained || got.LLMName != "m" || got.Question != "task" {
		t.Errorf("%+v", got)
	}
	var ids []int64
	for _, d := range got.Docs {
		ids = append(ids, d.Metadata.ChunkID)
	}
	if !slices.Equal(ids, []int64{11, 14, 13}) {
		t.Errorf("passages %v", ids)
	}
	var sentences []string
	for _, s := range got.Sentences {
		sentences = append(sentences, strings.TrimSpace(got.Answer[s.Start:s.End]))
	}
	if !slices.Equal(sentences, []string{"One [1].", "Three [2].", "Four [3]."}) {
		t.Errorf("sentences %q", sentences)
	}
	if s := got.Sentences[2]; !slices.Equal(s.Docs, []int{3}) || s.Support != payload.SupportStrong {
		t.Errorf("sentence %+v", s)
	}
	if got := r.Message("en", "F", "G*").Answer; got != want+"\n\n## Not found\n\n- B\n- E\n\n## Not written\n\n- F\n- G\\*" {
		t.Errorf("stopped: %q", got)
	}
	none := brief.NewReport("task")
	none.Add("B", section("I don't know.", 10, 12, payload.AnswerNotFound))
	if got := none.Message("xx"); got.Answer != "## Not found\n\n- B" || got.Outcome != payload.AnswerNotFound || !got.Abstained {
		t.Errorf("%+v", got)
	}
}

func TestSection(t *testing.T) {
	t.Parallel()
	req := rag.Request{Prompt: "Be kind.", Model: "m", K: 3, History: 5, Collections: []string{"c"}}
	got, err := brief.Section(req, "Write a short report about returns", []string{"A", "B", "C"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got.Question != "B: returns" || got.History != 0 || !got.WholeOnly || got.Model != "m" || got.K != 3 || got.Collections[0] != "c" {
		t.Errorf("%+v", got)
	}
	for _, part := range []string{"Write a short report about returns", `"B"`, "A; C", "Be kind."} {
		if !strings.Contains(got.Prompt, part) {
			t.Errorf("prompt without %s: %s", part, got.Prompt)
		}
	}
	got, err = brief.Section(req, "returns", []string{"Who pays?"}, 0)
	if err != nil || got.Question != "Who pays?" {
		t.Errorf("%+v %v", got, err)
	}
}

// scripted answers with a fixed answer.
type scripted struct {
	answer rag.Answer
	err    error
}

func (s scripted) Run(context.Context, rag.Request) (rag.Answer, error) { return s.answer, s.err }

func passage(document int64, title string, headings ...string) rag.Passage {
	return rag.Passage{Passage: corpus.Passage{
		Chunk: corpus.Chunk{DocumentID: document, Headings: headings}, Document: corpus.Document{ID: document, Title: title},
	}}
}

func TestOutline(t *testing.T) {
	t.Parallel()
	found := []rag.Passage{
		passage(1, "Germany", "Shop", "Returns"), passage(2, "France", "Returns"), passage(2, "France", "Returns"),
		passage(3, "Spain"), passage(1, "Germany", "Deadlines"),
	}
	ofLibrary := "Germany: Returns|France: Returns|Spain|Deadlines"
	for text, want := range map[string]string{
		"Germany [1]\nFrance":                             "Germany|France",
		"1. **Germany:**\n2) France\n\n## Spain\n- spain": "Germany|France|Spain",
		"a\nb\nc\nd\ne\nf\ng\nh\ni":                       "a|b|c|d|e|f|g|h",
		"":                                                ofLibrary,
		"I am sorry, but the passages do not contain anything about it.": ofLibrary,
	} {
		answer := rag.Answer{Model: "m", Outcome: rag.Unsure, Text: text, Passages: found}
		got, byModel, err := brief.Outline(t.Context(), scripted{answer: answer}, rag.Request{Question: "task"})
		if strings.Join(got, "|") != want || byModel != (want != ofLibrary) || err != nil {
			t.Errorf("%q: %q, %v %v, want %s", text, got, byModel, err, want)
		}
	}
	for name, answer := range map[string]rag.Answer{
		ofLibrary: {Model: rag.Extractive, Text: "x", Passages: found}, "the task": {Model: rag.Extractive, Outcome: rag.NotFound},
	} {
		got, byModel, err := brief.Outline(t.Context(), scripted{answer: answer}, rag.Request{Question: "the  task"})
		if strings.Join(got, "|") != name || byModel || err != nil {
			t.Errorf("%q %v %v, want %s", got, byModel, err, name)
		}
	}
	broken := errors.New("broken")
	if _, _, err := brief.Outline(t.Context(), scripted{err: broken}, rag.Request{Question: "task"}); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}
