package order

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"docent/payload"
	"docent/rag/text"
)

// lettered are passages with the contents A, B, C, …
func lettered(n int) []payload.RAGDoc {
	docs := []payload.RAGDoc{}
	for i := range n {
		docs = append(docs, payload.RAGDoc{Content: string(rune('A' + i))})
	}
	return docs
}

func contents(docs []payload.RAGDoc) string {
	var b strings.Builder
	for _, d := range docs {
		b.WriteString(d.Content)
	}
	return b.String()
}

func TestByCitation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer    string
		docs      int
		want      string
		wantOrder string
		numbered  string // without the number of passages, if it differs
	}{
		{"Only this [2].", 3, "Only this [1].", "BAC", ""},
		{"One [3]. Two [1][3]. Three [2].", 4, "One [1]. Two [2][1]. Three [3].", "CABD", ""},
		{"As it is [1]. And [2].", 3, "As it is [1]. And [2].", "ABC", ""},
		{"It cites nothing.", 2, "It cites nothing.", "AB", ""},
		{"Not there [7], but [2].", 2, "Not there [7], but [1].", "BA", "Not there [1], but [2]."},
		{"Code `a[2]` and\n```\nb[3]\n```\nis none [3].", 3, "Code `a[2]` and\n```\nb[3]\n```\nis none [1].", "CAB", ""},
		{"Ö [12]. Then [11]. And [1].", 12, "Ö [1]. Then [2]. And [3].", "LKABCDEFGHIJ", ""},
	} {
		m := payload.RAGMessage{Answer: c.answer, Docs: lettered(c.docs), Sentences: []payload.RAGSentence{}}
		for _, s := range text.Sentences(c.answer, false) {
			m.Sentences = append(m.Sentences, payload.RAGSentence{Start: s.Start, End: s.End, Docs: text.Marked(c.answer[s.Start:s.End], c.docs)})
		}
		before := fmt.Sprint(m)
		got := ByCitation(m)
		if c.numbered != "" && Numbered(c.answer) != c.numbered || c.numbered == "" && Numbered(c.answer) != c.want {
			t.Errorf("%q is numbered %q", c.answer, Numbered(c.answer))
		}
		if got.Answer != c.want || contents(got.Docs) != c.wantOrder {
			t.Errorf("%q: %q, %s", c.answer, got.Answer, contents(got.Docs))
		}
		for i, s := range got.Sentences {
			body, old := got.Answer[s.Start:s.End], m.Sentences[i]
			if docs := text.Marked(body, c.docs); fmt.Sprint(docs) != fmt.Sprint(s.Docs) {
				t.Errorf("%q: sentence %q cites %v", c.answer, body, s.Docs)
			}
			for k, n := range s.Docs {
				if got.Docs[n-1].Content != m.Docs[old.Docs[k]-1].Content {
					t.Errorf("%q: sentence %q cites another passage", c.answer, body)
				}
			}
			if text.ResolveMarkers(body, 0) != text.ResolveMarkers(c.answer[old.Start:old.End], 0) {
				t.Errorf("%q: sentence %q", c.answer, body)
			}
		}
		if after := fmt.Sprint(m); after != before {
			t.Errorf("%q: it was changed: %s", c.answer, after)
		}
		if again := ByCitation(got); !reflect.DeepEqual(again, got) {
			t.Errorf("%q: a second time %+v", c.answer, again)
		}
	}
	none := payload.RAGMessage{Answer: "I don't know, not even from [2].", Abstained: true, Docs: lettered(2)}
	if got := ByCitation(none); contents(got.Docs) != "AB" || got.Answer != none.Answer {
		t.Errorf("%+v", got)
	}
}
