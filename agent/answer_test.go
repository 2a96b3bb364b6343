package agent

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
)

// written is an answer with one passage.
func written() rag.Answer {
	page := 3
	const quoted = "The default value is four megabytes (4MB)."
	return rag.Answer{
		Model: "m", Prompts: "1", Question: "default of work_mem?", Text: quoted + " [1]",
		Passages: []rag.Passage{{Score: 1, Passage: corpus.Passage{
			Chunk:    corpus.Chunk{ID: 1, DocumentID: 11, Text: quoted, Headings: []string{"work_mem (integer)"}, Start: 5, End: 5 + len(quoted), Page: &page, PageLabel: "iv"},
			Document: corpus.Document{Title: "Resources", Source: "/docs/Resources.html"},
		}}},
		Sentences: []rag.Sentence{{End: len(quoted) + 4, Passages: []int{1}, Support: rag.Strong}},
		Search: &rag.Search{
			Text: "default of work_mem", Wordings: []string{"memory of a sort"}, K: 4, Collections: []string{"manual"}, Evidence: .9,
		},
	}
}

func TestAnswerMessage(t *testing.T) {
	t.Parallel()
	a := written()
	m := AnswerMessage(a)
	if m.LLMName != "m" || m.Question != a.Question || m.Answer != a.Text || m.Abstained || m.Stopped || m.Evidence == nil || *m.Evidence != .9 ||
		m.K != 4 || len(m.Collections) != 1 || m.Searched != a.Search.Text || m.Prompts != "1" ||
		len(m.Wordings) != 1 {
		t.Errorf("the message is %+v", m)
	}
	if d := m.Docs[0].Metadata; d.Source != "/docs/Resources.html" || *d.Page != 3 || *d.PageLabel != "iv" || d.Heading != "work_mem (integer)" ||
		d.Title != "Resources" || d.Start != 5 || d.DocumentID != 11 || d.ChunkID != 1 || d.Score != 1 {
		t.Errorf("the passage is %+v", d)
	}
	back := passageOf(m.Docs[0])
	if again := doc(back); !reflect.DeepEqual(again, m.Docs[0]) {
		t.Errorf("the passage of %+v is %+v", m.Docs[0], back)
	}
	if s := m.Sentences[0]; s.End != len(a.Text) || s.Docs[0] != 1 || s.Support != payload.SupportStrong || s.Found {
		t.Errorf("the sentence is %+v", s)
	}
	a.Search.Text = a.Question
	if m = AnswerMessage(a); m.Searched != "" {
		t.Errorf("searched is %q", m.Searched)
	}
	if m = AnswerMessage(rag.Answer{}); m.Evidence != nil || m.K != 0 || m.Docs == nil || m.Sentences == nil {
		t.Errorf("the empty message is %+v", m)
	}
}

// The message on the wire has all keys of BAF's golden frame, with values of
// the same types.
func TestMessageIsLikeBAFs(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/agent_reply_rag.json")
	if err != nil {
		t.Fatal(err)
	}
	var frame struct{ Message map[string]any }
	if err := json.Unmarshal(raw, &frame); err != nil {
		t.Fatal(err)
	}
	for _, answer := range []rag.Answer{written(), {Text: "I don't know.", Outcome: rag.NotFound, Passages: written().Passages, Search: written().Search}} {
		data, err := json.Marshal(AnswerMessage(answer))
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		sameShape(t, "message", frame.Message, got)
		if bytes.Contains(data, []byte(`"sentences":null`)) || bytes.Contains(data, []byte(`"docs":null`)) {
			t.Errorf("a list is null: %s", data)
		}
	}
}

// sameShape reports the keys of want that are missing in got or have another
// type.
func sameShape(t *testing.T, at string, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s is no object", at)
			return
		}
		for k, v := range want {
			if _, ok := got[k]; !ok {
				t.Errorf("%s has no %s", at, k)
				continue
			}
			sameShape(t, at+"."+k, v, got[k])
		}
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) == 0 {
			t.Errorf("%s is no list, or empty", at)
			return
		}
		sameShape(t, at+"[0]", want[0], got[0])
	case string:
		if _, ok := got.(string); !ok {
			t.Errorf("%s is no string", at)
		}
	case float64:
		if _, ok := got.(float64); !ok {
			t.Errorf("%s is no number", at)
		}
	}
}

// TestLastAnswer checks that a reply to "source?" is not the last answer.
func TestLastAnswer(t *testing.T) {
	t.Parallel()
	message := func(question string, passages int) ChatMessage {
		a := written()
		a.Question, a.Passages = question, a.Passages[:passages]
		content, err := json.Marshal(AnswerMessage(a))
		if err != nil {
			t.Fatal(err)
		}
		return ChatMessage{Type: payload.TypeRAG, Content: content}
	}
	if got := withPassages(message("default of work_mem?", 1)); got == nil || got.Text != written().Text || got.Passages[0].DocumentID != 11 {
		t.Errorf("the last answer is %+v", got)
	}
	for what, m := range map[string]ChatMessage{
		"about an answer":  message("source?", 1),
		"without passages": message("default of work_mem?", 0),
		"of the user":      {Type: payload.TypeRAG, IsUser: true, Content: message("x", 1).Content},
		"too large":        {Type: payload.TypeRAG},
	} {
		if got := withPassages(m); got != nil {
			t.Errorf("a message %s is an answer: %+v", what, got)
		}
	}
}
