package pipeline

import (
	"context"
	"errors"
	"strings"
	"testing"

	"docent/llm/llmtest"
	"docent/rag"
)

// wishing returns a pipeline whose users all have the same wishes.
func wishing(t *testing.T, w rag.Wishes, err error, replies ...llmtest.Reply) (*Pipeline, *llmtest.Model) {
	t.Helper()
	r, model := newRAG(t, memoryShelf(), replies...)
	r.cfg.Wishes = func(context.Context) (rag.Wishes, error) { return w, err }
	return r, model
}

// TestWishes: a model gets the wishes, and docent's own words have the wanted language.
func TestWishes(t *testing.T) {
	t.Parallel()
	r, model := wishing(t, rag.Wishes{Language: "de", Instructions: "Use short words."}, nil,
		llmtest.Reply{Text: []string{"Der Wert ist 4MB [1]."}, Finish: "length"})
	answer, err := r.Run(t.Context(), rag.Request{Question: "What is the default of work_mem?"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(answer.Text, "Die Antwort ist abgeschnitten") {
		t.Errorf("the note is not German: %s", answer.Text)
	}
	if got := model.Requests()[0].Messages[0].Content; !strings.Contains(got, "Use short words.") || !strings.Contains(got, "Write the answer in German") {
		t.Errorf("the model was asked\n%s", got)
	}
	for wanted, want := range map[string]string{"de": "Hallo", "en": "Hello", "fr": "Hello", "": "Hello"} {
		r, _ := wishing(t, rag.Wishes{Language: wanted}, nil)
		answer, err := r.Run(t.Context(), rag.Request{Question: "hello", Model: rag.Extractive})
		if err != nil || !strings.HasPrefix(answer.Text, want) {
			t.Errorf("%q: the greeting is %q, %v", wanted, answer.Text, err)
		}
	}
}

// TestWishesFail: an answer does not need the wishes.
func TestWishesFail(t *testing.T) {
	t.Parallel()
	r, _ := wishing(t, rag.Wishes{}, errors.New("no database"), llmtest.Say("It is 4MB [1]."))
	if answer, err := r.Run(t.Context(), rag.Request{Question: "What is the default of work_mem?"}); err != nil || answer.Abstained() {
		t.Errorf("the answer is %q, %v", answer.Text, err)
	}
}
