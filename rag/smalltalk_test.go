package rag

import (
	"testing"

	"docent/llm/llmtest"
)

func TestSmallTalk(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		"hello": true, "Hi there!": true, "Thank you very much.": true, "ok, thanks": true, "Hello, how are you?": true, "what can you do?": true,
		"hello world program": false, "thanks to which setting is it fast?": false, "help tables": false, "okay and the default?": false,
		"how are you able to vacuum?": false, "history": false, "": false,
	} {
		if got := smallTalk(message); got != want {
			t.Errorf("%q: %v", message, got)
		}
	}
}

func TestSmallTalkIsAnswered(t *testing.T) {
	t.Parallel()
	r, _ := newRAG(t, memoryShelf())
	got, err := r.Run(t.Context(), Request{Question: "Hello!"})
	if err != nil || got.Answer != smallTalkReply || !got.Abstained || got.Docs == nil || len(got.Docs) != 0 {
		t.Errorf("without a model: %+v %v", got, err)
	}
	r, model := newRAG(t, memoryShelf(), llmtest.Say("Hello to you."))
	got, err = r.Run(t.Context(), Request{Question: "Hello!"})
	if err != nil || got.Answer != "Hello to you." || got.Abstained || len(model.Requests()) != 1 {
		t.Errorf("with a model: %+v %v", got, err)
	}
}
