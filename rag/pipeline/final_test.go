package pipeline

import (
	"math/rand/v2"
	"strings"
	"testing"

	"docent/llm/llmtest"
	"docent/rag"
)

// streamed runs a request on a model that writes pieces. It returns the final text, the
// answer, and the number of pieces before the first final text.
func streamed(t *testing.T, pieces []string) (final string, answer rag.Answer, first int) {
	t.Helper()
	r, _ := newRAG(t, memoryShelf(), llmtest.Say(pieces...))
	deltas := 0
	for part, err := range r.Stream(t.Context(), rag.Request{Question: "What is the default of work_mem?"}) {
		switch {
		case err != nil:
			t.Fatalf("%q: %v", pieces, err)
		case part.Delta != "":
			deltas++
		case part.Final != "":
			if final == "" {
				first = deltas
			}
			final += part.Final
		case part.Answer != nil:
			answer = *part.Answer
		}
	}
	return final, answer, first
}

// TestFinalText: sentences become final while the model writes, tidied like the answer.
func TestFinalText(t *testing.T) {
	t.Parallel()
	text := "The default value is four megabytes [1, 9]. It is the base for each sort operation [passage 1]. " +
		"Complex queries may run several of them at once.\n\n- Raise it with care.\n- Then measure the memory again."
	pieces := strings.SplitAfter(text, " ")
	final, answer, first := streamed(t, pieces)
	const want = "The default value is four megabytes [1]. It is the base for each sort operation [1]."
	if !strings.HasPrefix(final, want) || !strings.HasPrefix(answer.Text, final) || answer.Text == final {
		t.Errorf("%q is final in %q", final, answer.Text)
	}
	if whole := Cite(testStatic, Written{Text: text, Results: memoryShelf().results}); whole.Text != answer.Text {
		t.Errorf("the answer is %q, want %q", answer.Text, whole.Text)
	}
	if first == 0 || first > len(pieces)/2 {
		t.Errorf("the first of %d pieces became final after %d", len(pieces), first)
	}
}

// TestAnswerBeginsWithFinalText: the answer begins with the final text, whatever the
// model writes.
func TestAnswerBeginsWithFinalText(t *testing.T) {
	t.Parallel()
	words := []string{
		"The default ", "is 4MB", ". ", ".\n", "\n\n", "- ", "Yes. ", "Yes. ", "[1]", "[9]", " and ", "[1, 2", "]", "(", ")", "`", "```\n", "<|im_end|>", "<passage id=1>",
		"\nQuestion: ", "Answer: ", "![x](http://y)", "\u200b", "| a | b |\n", "ä", "。", "The default is 4MB. ", "Set it in the file. ", "1. ", "\t", "# Title\n", "## ", "[2](", "http://z)",
	}
	random := rand.New(rand.NewPCG(1, 2))
	early := 0
	for range 400 {
		pieces := []string{"It "}
		for range 5 + random.IntN(60) {
			pieces = append(pieces, words[random.IntN(len(words))])
		}
		pieces = append(pieces, "end")
		final, answer, _ := streamed(t, pieces)
		if !strings.HasPrefix(answer.Text, final) {
			t.Fatalf("%q had the final text %q, and the answer is %q", pieces, final, answer.Text)
		}
		if final != "" {
			early++
		}
	}
	if early < 130 {
		t.Errorf("%d texts were early", early)
	}
}

// FuzzFinalText checks that the answer begins with the final text for any text of a model.
func FuzzFinalText(f *testing.F) {
	f.Add("The default is 4MB [1]. Set `a. B[9]` in the file. Then restart the server.", uint8(3))
	f.Add(strings.Repeat("Yes. ", 60), uint8(5))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		s := FinalText{Passages: 2}
		given := ""
		for at := 0; at < len(text); at += int(size) + 1 {
			given += s.More(text[:min(len(text), at+int(size)+1)])
		}
		m := Cite(testStatic, Written{Text: text, Final: s.text, Results: memoryShelf().results[:2]})
		if given != s.text || !strings.HasPrefix(m.Text, given) {
			t.Fatalf("%q had the final text %q, and the answer is %q", text, given, m.Text)
		}
	})
}

func BenchmarkFinalText(b *testing.B) {
	const text = "The default value is four megabytes [1]. Complex queries may run several sorts at once [2]. "
	var whole strings.Builder
	for i := range 35 {
		whole.WriteString(strings.Replace(text, "four", strings.Repeat("x", i+1), 1))
	}
	written := whole.String()
	for b.Loop() {
		s := FinalText{Passages: 2}
		for at := range len(written) / 5 {
			s.More(written[:at*5])
		}
	}
	b.ReportMetric(float64(len(written)), "bytes")
}
