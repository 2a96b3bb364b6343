package rag

import (
	"strings"
	"testing"

	"docent/llm/llmtest"
)

func TestSmallTalk(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		"hello": true, "Hi there!": true, "Thank you very much.": true, "ok, thanks": true, "Hello, how are you?": true, "what can you do?": true,
		"hello world program": false, "thanks to which setting is it fast?": false, "help tables": false, "okay and the default?": false,
		"can you help me?": true, "are you a human?": true, "Tschüss!": true, "what time is it?": true, "Great answer, thanks!": true,
		"help me vacuum a table": false, "thanks and": true, "and thanks": false, "stop the server": false, "what is the time zone?": false,
		"how are you able to vacuum?": false, "history": false, "": false,
	} {
		if got := smallTalk(message) != nil; got != want {
			t.Errorf("%q: %v", message, got)
		}
	}
}

func TestSmallTalkKind(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, kind := range Talks() {
		for _, phrase := range kind.Phrases {
			if got := smallTalk(phrase); got == nil || got.Name != kind.Name || seen[strings.ToLower(phrase)] {
				t.Errorf("%q is %v, want %s, once", phrase, got, kind.Name)
			}
			seen[strings.ToLower(phrase)] = true
		}
	}
	for message, want := range map[string]string{"Hello, how are you?": "mood", "ok, thank you very much!": "thanks", "hi, can you help me?": "help", "Great. Bye!": "bye"} {
		if got := smallTalk(message); got == nil || got.Name != want {
			t.Errorf("%q is %v, want %s", message, got, want)
		}
	}
}

func TestSmallTalkIsAnswered(t *testing.T) {
	t.Parallel()
	r, _ := newRAG(t, memoryShelf())
	got, err := r.Run(t.Context(), Request{Question: "Hello!"})
	if err != nil || got.Answer != talks[0].Reply.Message || !got.Abstained || got.Docs == nil || len(got.Docs) != 0 {
		t.Errorf("without a model: %+v %v", got, err)
	}
	r, model := newRAG(t, memoryShelf(), llmtest.Say("Hello to you."))
	got, err = r.Run(t.Context(), Request{Question: "Hello!"})
	if err != nil || got.Answer != "Hello to you." || got.Abstained || len(model.Requests()) != 1 {
		t.Errorf("with a model: %+v %v", got, err)
	}
}
