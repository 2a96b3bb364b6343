package rag

import (
	"slices"
	"testing"

	"docent/payload"
)

func TestCite(t *testing.T) {
	t.Parallel()
	results := memoryShelf().results[:2]
	m := Cite(testStatic, Written{
		Model: "m", Question: "q?", Results: results, StopReason: "length",
		Text: "The default of work_mem is 4MB [1, 9]. Elephants forget nothing [2]. They are ![grey](http://evil.example/)\u200b.",
	})
	const answer = "The default of work_mem is 4MB [1]. Elephants forget nothing [2]. They are grey."
	if want := answer + "\n\n" + noteLength; m.Answer != want {
		t.Errorf("answer is %q, want %q", m.Answer, want)
	}
	if m.LLMName != "m" || m.Question != "q?" || m.Abstained || len(m.Docs) != 2 || m.Docs[1].Metadata.ChunkID != 2 {
		t.Errorf("message is %+v", m)
	}
	want := []payload.RAGSentence{{Docs: []int{1}, Support: payload.SupportStrong}, {Docs: []int{2}, Support: payload.SupportNone}, {Docs: []int{}, Support: payload.SupportNone}}
	if len(m.Sentences) != len(want) {
		t.Fatalf("sentences are %+v", m.Sentences)
	}
	for i, s := range m.Sentences {
		if s.Support != want[i].Support || !slices.Equal(s.Docs, want[i].Docs) || s.Start >= s.End || s.End > len(answer) {
			t.Errorf("sentence %d is %+v, want %+v", i, s, want[i])
		}
	}
}

func TestCiteAbstains(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"I don't know: the documents say nothing of it.": true,
		"I don't know [1].":       false,
		"It is 4MB.":              false,
		"Sorry, I can't find it.": true,
	} {
		if m := Cite(testStatic, Written{Text: text, Results: memoryShelf().results}); m.Abstained != want {
			t.Errorf("%q: abstained is %v", text, m.Abstained)
		}
	}
	if m := Cite(testStatic, Written{Text: " [7] "}); m.Answer != "" || len(m.Sentences) != 0 || m.Docs == nil || m.Sentences == nil {
		t.Errorf("of nothing came %+v", m)
	}
}

func TestAnswersWithoutMarkers(t *testing.T) {
	t.Parallel()
	if got := Unmarked("Ten [1][2]. `a[1]`"); got != "Ten. `a[1]`" {
		t.Errorf("got %q", got)
	}
}
