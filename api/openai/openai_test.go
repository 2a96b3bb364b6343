package openai

import (
	"context"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/talk"
)

type noCollections struct{}

func (noCollections) Collections(context.Context) ([]corpus.CollectionInfo, error) { return nil, nil }

// FuzzRequests checks that any request is refused as invalid or unknown, or becomes
// a question with known roles.
func FuzzRequests(f *testing.F) {
	f.Add([]byte(`{"model":"a","messages":[{"role":"user","content":"x"}],"stop":["y"],"n":1,"metadata":{"session_id":1}}`))
	f.Add([]byte(`{"model":"a","messages":[{"role":"assistant","content":null},{"role":"user","content":[{"type":"text","text":"x"}]}]}`))
	f.Add([]byte(`{"model":"a","input":[{"type":"reasoning"},{"role":"user","content":[{"type":"input_text","text":"x"}]}],"text":{"format":{}}}`))
	f.Add([]byte(`{"model":"a","input":["x","y"],"encoding_format":"base64","tool_choice":"none","top_logprobs":0}`))
	s := server{Config: Config{Collections: noCollections{}, Agents: []string{"a"}}}
	f.Fuzz(func(t *testing.T, data []byte) {
		var c ChatRequest
		if json.Unmarshal(data, &c) == nil {
			_ = c.usage()
			q, err := s.chatQuestion(t.Context(), Caller{}, c)
			wantQuestion(t, q, err)
		}
		var r ResponseRequest
		if json.Unmarshal(data, &r) == nil {
			q, err := s.responseQuestion(t.Context(), Caller{}, r)
			wantQuestion(t, q, err)
		}
		var e EmbeddingRequest
		if json.Unmarshal(data, &e) == nil {
			if texts, err := e.texts(); err == nil && (len(texts) == 0 || len(texts) > maxTexts) {
				t.Fatalf("%q", texts)
			}
		}
	})
}

func wantQuestion(t *testing.T, q question, err error) {
	t.Helper()
	if err != nil {
		if kind := fault.KindOf(err); kind != fault.Invalid && kind != fault.NotFound {
			t.Fatal(err)
		}
		return
	}
	if q.Question == "" || len(q.Turns) > rag.MaxHistory || len(q.stops) > maxStops {
		t.Fatalf("%+v", q)
	}
	for _, turn := range q.Turns {
		if turn.Role != talk.User && turn.Role != talk.Assistant {
			t.Fatalf("%+v", turn)
		}
	}
}

// FuzzAnswer checks that the citations of any answer are inside its text.
func FuzzAnswer(f *testing.F) {
	f.Add("See [1]. And [2].", "And", 0, 8)
	f.Fuzz(func(t *testing.T, text, stop string, start, end int) {
		var a answer
		for range 2 {
			a.add(payload.RAGMessage{
				Answer: text, Sentences: []payload.RAGSentence{{Start: start, End: end, Docs: []int{1}}}, Docs: make([]payload.RAGDoc, 1),
			}, "http://a")
		}
		if stop != "" {
			a.cut([]string{stop})
		}
		for _, u := range a.urls() {
			if u.StartIndex < 0 || u.EndIndex <= u.StartIndex || u.EndIndex > utf8.RuneCountInString(a.text) {
				t.Fatalf("%+v in %q", u, a.text)
			}
		}
	})
}

// TestFrames checks the answer of an agent whose replies have several kinds.
func TestFrames(t *testing.T) {
	t.Parallel()
	frame := func(action payload.Action, message any) payload.Frame {
		m, err := payload.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		return payload.Frame{Action: action, Message: m}
	}
	page := 2
	cited := payload.RAGMessage{
		Answer: "Größe [1].", Sentences: []payload.RAGSentence{{End: len("Größe [1]."), Docs: []int{1}}},
		Docs: []payload.RAGDoc{{Metadata: payload.RAGMetadata{Title: "A", DocumentID: 7, Page: &page, Source: "/a.pdf"}}},
	}
	a, err := ofFrames([]payload.Frame{
		frame(payload.ReplyStr, "Über"), frame(payload.ReplyReasoningStep, map[string]any{}), frame(payload.ReplyRAG, cited),
		frame(payload.ReplyOptions, payload.Options{"yes", "no"}),
		frame(payload.TurnFinishedAction, payload.TurnFinished{
			Outcome: payload.Stopped, Usage: &payload.Usage{PromptTokens: 5, CompletionTokens: 2},
		}),
	}, question{Caller: Caller{origin: "https://docs"}})
	if err != nil || a.text != "Über\n\nGröße [1].\n\n- yes\n- no" || a.usage != (Usage{5, 2, 7}) ||
		!a.stopped || a.message.Answer != cited.Answer {
		t.Errorf("%+v, %v", a, err)
	}
	if got := a.urls(); len(got) != 1 || got[0] != (URLCitation{12, 15, "A", "https://docs/api/documents/7/file#page=3"}) {
		t.Errorf("the citations are %+v", got)
	}
}
