package pipeline

import (
	"context"
	"slices"
	"strings"
	"testing"

	"docent/llm/llmtest"
	"docent/rag"
	"docent/rag/text"
)

// The English notes after an incomplete answer.
var (
	noteLength = strings.TrimSpace(CutNote("", "length"))
	noteFilter = strings.TrimSpace(CutNote("", "content_filter"))
	noteLoop   = strings.TrimSpace(CutNote("", stopLoop))
)

// TestGermanNotes checks that notes follow the language of the question.
func TestGermanNotes(t *testing.T) {
	t.Parallel()
	const question = "Wie lange gilt die Garantie?"
	german := NoteLanguage(rag.Wishes{}, question)
	for got, want := range map[string]string{
		CutNote(german, "length"): "*Die Antwort ist abgeschnitten: Das Modell hat seine Höchstlänge erreicht.*",
		UncheckedNote(german):     "*Nicht geprüft: Das Modell hat für diese Antwort nicht in den Dokumenten gesucht.*",
		UncheckedNote(NoteLanguage(rag.Wishes{Language: "en"}, question)): "*Not checked: the model did not search the documents for this answer.*",
	} {
		if got != "\n\n"+want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestCite(t *testing.T) {
	t.Parallel()
	results := memoryShelf().results[:2]
	m := Cite(testStatic, Written{
		Model: "m", Question: "q?", Results: results, StopReason: "length",
		Text: "The default of work_mem is 4MB [1, 9]. Elephants forget nothing [2]. They are ![grey](http://evil.example/)\u200b.",
	})
	const answer = "The default of work_mem is 4MB [1]. Elephants forget nothing [2]. They are grey."
	if want := answer + "\n\n" + noteLength; m.Text != want {
		t.Errorf("answer is %q, want %q", m.Text, want)
	}
	if m.Model != "m" || m.Question != "q?" || m.Abstained() || len(m.Passages) != 2 || m.Passages[1].Passage.ID != 2 {
		t.Errorf("message is %+v", m)
	}
	want := []rag.Sentence{
		{Passages: []int{1}, Support: rag.Strong}, {Passages: []int{2}, Support: rag.None}, {Passages: []int{}, Support: rag.None},
	}
	if len(m.Sentences) != len(want) {
		t.Fatalf("sentences are %+v", m.Sentences)
	}
	for i, s := range m.Sentences {
		if s.Support != want[i].Support || !slices.Equal(s.Passages, want[i].Passages) || s.Start >= s.End || s.End > len(answer) {
			t.Errorf("sentence %d is %+v, want %+v", i, s, want[i])
		}
	}
}

// TestCiteFindsWhatIsNotCited: an uncited sentence is supported by the passage
// that states it. That passage is reported as found but not cited.
func TestCiteFindsWhatIsNotCited(t *testing.T) {
	t.Parallel()
	results := memoryShelf().results[:2]
	for text, want := range map[string]rag.Sentence{
		"Sets the amount of memory the database server uses for shared memory buffers.":     {Passages: []int{2}, Support: rag.Strong, Found: true},
		"The default value is four megabytes.":                                              {Passages: []int{1}, Support: rag.Strong, Found: true},
		"The default value is four megabytes [Source: Resources].":                          {Passages: []int{1}, Support: rag.Strong, Found: true},
		"The default value is five megabytes (5MB).":                                        {Support: rag.None},
		"The default value is not four megabytes.":                                          {Support: rag.None},
		"The default is 4MB [2].":                                                           {Passages: []int{2}, Support: rag.None},
		"Yes, it does.":                                                                     {Support: rag.None},
		"Is the default value four megabytes?":                                              {Support: rag.None},
		"The default value that a query operation writes to disk is typically an elephant.": {Support: rag.None},
	} {
		m := Cite(testStatic, Written{Text: text, Results: results})
		if len(m.Sentences) != 1 || m.Sentences[0].Support != want.Support || !slices.Equal(m.Sentences[0].Passages, want.Passages) ||
			m.Sentences[0].Found != want.Found {
			t.Errorf("%q: %+v", text, m.Sentences)
		}
	}
	// The number stands behind the sentence, unless readers already have the text.
	const two = "The default value is four megabytes. It is an elephant."
	for final, want := range map[string]string{"": "The default value is four megabytes. [1] It is an elephant.", two: two} {
		m := Cite(testStatic, Written{Text: two, Final: final, Results: results})
		if m.Text != want || len(m.Sentences) != 2 || m.Text[m.Sentences[1].Start:m.Sentences[1].End] != "It is an elephant." {
			t.Errorf("%q: %+v", m.Text, m.Sentences)
		}
	}
	// An admission is not supported only because a passage contains its words or half of
	// it.
	const admits = "I don't know the default value, four megabytes."
	if m := Cite(testStatic, Written{Text: admits, Results: results}); !m.Abstained() {
		t.Errorf("%+v", m)
	}
	if m := CiteBegun(testStatic, Written{Text: "The default value is four megabytes", Results: results}); len(m.Sentences) != 0 {
		t.Errorf("%+v", m.Sentences)
	}
}

func TestCiteAbstains(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"I don't know: the documents say nothing of it.": true,
		"I don't know [1].":       false,
		"It is 4MB.":              false,
		"Sorry, I can't find it.": true,
		"The answer to the question is: I don't know.": true,
		"The answer is:\n1. I don't know.":             true,
		"I'm not sure.":                                true,
		"I'm not sure.\n</passage>":                    true,
		"I'm not sure. It is 4MB.":                     false,
		"The answer is 4MB.":                           false,
	} {
		if m := Cite(testStatic, Written{Text: text, Results: memoryShelf().results}); m.Abstained() != want {
			t.Errorf("%q: abstained is %v", text, m.Abstained())
		}
	}
	if m := Cite(testStatic, Written{Text: " [7] "}); m.Text != "" || len(m.Sentences) != 0 {
		t.Errorf("of nothing came %+v", m)
	}
}

func TestAnswersWithoutMarkers(t *testing.T) {
	t.Parallel()
	if got := text.Unmarked("Ten [1][2]. `a[1]`"); got != "Ten. `a[1]`" {
		t.Errorf("got %q", got)
	}
}

// TestCiteTidies: the text of a weak model is repaired before the check.
func TestCiteTidies(t *testing.T) {
	t.Parallel()
	results := memoryShelf().results[:2]
	for in, want := range map[string]string{
		"The default value is 4MB [1]. The default value is 4MB [2].<|im_end|>\n<|im_start|>user": "The default value is 4MB [1].",
		"Set it:\n\n```\nwork_mem = 4MB": "Set it:\n\n```\nwork_mem = 4MB\n```",
	} {
		if m := Cite(testStatic, Written{Text: in, Results: results}); m.Text != want {
			t.Errorf("%q became %q, want %q", in, m.Text, want)
		}
	}
}

// TestLoopIsStopped: docent stops a model that repeats itself, and says so.
func TestLoopIsStopped(t *testing.T) {
	t.Parallel()
	const unit = "The default value of work_mem is 4MB, and "
	pieces := 0
	loop := llmtest.Reply{Text: slices.Repeat([]string{unit}, 1000), Wait: func(context.Context, int) error {
		pieces++
		return nil
	}}
	r, _ := newRAG(t, memoryShelf(), loop)
	got, err := r.Run(t.Context(), rag.Request{Question: "What is the default of work_mem?"})
	if want := strings.TrimSpace(unit) + "\n\n" + noteLoop; err != nil || got.Text != want {
		t.Errorf("%v, %q, want %q", err, got.Text, want)
	}
	if most := 2*loopCheckBytes/len(unit) + 2; pieces > most {
		t.Errorf("%d pieces were read, want at most %d", pieces, most)
	}
}
