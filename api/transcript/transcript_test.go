package transcript_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"docent/agent"
	"docent/agent/session/journal"
	"docent/api/transcript"
	"docent/payload"
)

var at = time.Date(2026, 11, 20, 14, 3, 0, 0, time.UTC)

func marshal(t testing.TB, v any) json.RawMessage {
	t.Helper()
	raw, err := payload.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// write is the transcript of messages, read in pages of two.
func write(t testing.TB, name string, messages ...agent.ChatMessage) string {
	t.Helper()
	for i := range messages {
		messages[i].Seq, messages[i].Time = int64(i+1), at.Add(time.Duration(i)*time.Minute)
	}
	var b strings.Builder
	record := journal.SessionRecord{Key: journal.SessionKey{Agent: "docent", ID: "s"}, Name: name, CreatedAt: at, UpdatedAt: at.Add(time.Hour)}
	err := transcript.Write(&b, record, func(after int64) ([]agent.ChatMessage, error) {
		rest := messages[min(int(after), len(messages)):]
		return rest[:min(2, len(rest))], nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func user(t testing.TB, kind string, content any) agent.ChatMessage {
	return agent.ChatMessage{IsUser: true, Type: kind, Content: marshal(t, content)}
}

func reply(t testing.TB, kind string, content any) agent.ChatMessage {
	return agent.ChatMessage{Type: kind, Content: marshal(t, content)}
}

// TestWrite compares with a text that was read and found good.
func TestWrite(t *testing.T) {
	t.Parallel()
	page, label := 3, "iv"
	table, err := payload.NewDataFrameRows([]string{"part", "weight | kg"}, []any{"gear", 7.5}, []any{"*pump*", nil})
	if err != nil {
		t.Fatal(err)
	}
	var long []any
	for i := range 60 {
		long = append(long, i)
	}
	tall, err := payload.NewDataFrame(payload.Column{Name: "n", Values: long})
	if err != nil {
		t.Fatal(err)
	}
	again := user(t, payload.TypeStr, "And the gear?")
	again.Replaces = 2
	got := write(t, "Gears & *valves*",
		reply(t, payload.TypeStr, "Hi! Ask me.\n\nAbout 1_000 things."),
		user(t, payload.TypeStr, "How heavy is the gear?"),
		reply(t, payload.TypeRAG, payload.RAGMessage{
			Answer: "It weighs **7 kg** [2].\n\n```sh\nweigh <gear> # here\n```\n\nMore in `a<b>`.",
			Docs: []payload.RAGDoc{
				{Metadata: payload.RAGMetadata{Title: "Not cited", Source: "/n"}},
				{Metadata: payload.RAGMetadata{Title: "Manual", Heading: "Parts › Gear", Source: "/docs/manual.pdf", Page: &page, PageLabel: &label}},
			},
			Sentences: []payload.RAGSentence{{Docs: []int{2}}},
		}),
		user(t, payload.TypeJSON, map[string]any{"message": "Compare\nthem", "collections": []string{"manuals", "law"}, "model": "m_1", "k": 7}),
		reply(t, payload.TypeDataFrame, table),
		reply(t, payload.TypeDataFrame, tall),
		reply(t, payload.TypeOptions, payload.Options{"Yes", "No [1]"}),
		again,
		reply(t, payload.TypeFile, payload.NewFile("report.pdf", "application/pdf", make([]byte, 3000))),
		reply(t, payload.TypeImage, "aGk="),
		reply(t, payload.TypeLocation, payload.Location{Latitude: 52.5, Longitude: 13.4}),
		reply(t, payload.TypePlotly, `{"data":[],"layout":{"title":{"text":"Weights"}}}`),
		reply(t, payload.TypeHTML, "<b>bold</b>"),
		user(t, payload.TypeFile, payload.NewFile("scan.png", "image/png", make([]byte, 30))),
		user(t, payload.TypeJSON, map[string]any{"n": 1}),
		reply(t, payload.TypeRAG, payload.RAGMessage{Answer: "I don't know.", Abstained: true, Docs: []payload.RAGDoc{{}}}),
		user(t, payload.TypeStr, strings.Repeat("A long question ", 10)),
		reply(t, payload.TypeRAG, payload.RAGMessage{
			Answer: "It weighs", Stopped: true, Docs: []payload.RAGDoc{{Metadata: payload.RAGMetadata{Title: "Not cited yet"}}},
		}),
		reply(t, payload.TypeRAG, payload.RAGMessage{
			Answer: "It weighs 7 kg [1]. And it", Stopped: true,
			Docs: []payload.RAGDoc{{Metadata: payload.RAGMetadata{Title: "Manual"}}}, Sentences: []payload.RAGSentence{{Docs: []int{1}}},
		}),
	)
	const golden = "testdata/conversation.md"
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := write(t, ""); !strings.HasPrefix(got, "# Conversation of 20 November 2026\n") {
		t.Errorf("without a name and messages: %s", got)
	}
}

// TestDoubts: what the page marks as not carried by the passages is named below
// the answer, and what states nothing is not.
func TestDoubts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, answer string
		sentences    map[string]payload.Support
		abstained    bool
		want         []string // headings and items below the answer
	}{
		{"both", "It nests in the tower [1]. It was founded by *Napoleon*. It is **old** and `tall` [1].", map[string]payload.Support{
			"It nests in the tower [1].": payload.SupportStrong, "It was founded by *Napoleon*.": payload.SupportNone, "It is **old** and `tall` [1].": payload.SupportWeak,
		}, false, []string{"**Carried only in part by the passages**", `- It is old and tall \[1\].`, "**Not carried by the passages**", `- It was founded by \*Napoleon\*.`}},
		{"an answer that is none", "I don't know.", map[string]payload.Support{"I don't know.": payload.SupportNone}, true, nil},
		{"headings, code, heads of tables, introductions", "# The tower\n\nThis is so:\n\n```go\nf()\n```\n\n| Part | Height |\n|---|---|\n| Nave | low |\n\n- It leans.\n\n---\n", map[string]payload.Support{
			"# The tower": payload.SupportNone, "This is so:": payload.SupportNone, "f()": payload.SupportNone, "| Part | Height |\n|---|---|": payload.SupportNone, "- It leans.": payload.SupportNone, "---\n": payload.SupportNone,
		}, false, []string{"**Not carried by the passages**", "- It leans."}},
		{"over lines", "It is\nold.", map[string]payload.Support{"It is\nold.": payload.SupportNone}, false, []string{"**Not carried by the passages**", "- It is old."}},
		{"long", strings.Repeat("ä", 400) + ".", map[string]payload.Support{strings.Repeat("ä", 400) + ".": payload.SupportNone}, false, []string{"**Not carried by the passages**", "- " + strings.Repeat("ä", 300) + "…"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := payload.RAGMessage{Answer: c.answer, Abstained: c.abstained}
			for text, support := range c.sentences {
				start := strings.Index(c.answer, text)
				m.Sentences = append(m.Sentences, payload.RAGSentence{Start: start, End: start + len(text), Support: support})
			}
			m.Sentences = append(m.Sentences, payload.RAGSentence{Start: 1 << 20, End: 1 << 30, Support: payload.SupportNone}, payload.RAGSentence{Start: -5, End: -1, Support: payload.SupportNone})
			got := write(t, "x", reply(t, payload.TypeRAG, m))
			var below []string
			if c.want != nil {
				at := strings.Index(got, "\n"+c.want[0])
				if at < 0 {
					t.Fatalf("nothing is below the answer:\n%s", got)
				}
				for line := range strings.Lines(got[at:]) {
					if line = strings.TrimSpace(line); line != "" {
						below = append(below, line)
					}
				}
			} else if !strings.HasSuffix(strings.TrimSpace(got), c.answer) {
				t.Fatalf("something is below the answer:\n%s", got)
			}
			if diff := cmp.Diff(c.want, below); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestShortSource: a transcript does not tell where the server has its files.
func TestShortSource(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"/srv/secret/mat/kestrel.docx": "mat/kestrel.docx", "/kestrel.docx": "kestrel.docx", "/srv/secret/mat/all.jsonl#7": "mat/all.jsonl#7",
		`C:\Users\ann\mat\kestrel.docx`: "mat/kestrel.docx", "upload:mat/kestrel.docx": "mat/kestrel.docx", "stdin:notes": "notes", "https://example.org/a/b/c/d": "https://example.org/a/b/c/d",
	} {
		got := write(t, "x", reply(t, payload.TypeRAG, payload.RAGMessage{Answer: "It is so [1].", Docs: []payload.RAGDoc{{Metadata: payload.RAGMetadata{Title: "Kestrels", Source: source}}}}))
		if !strings.HasSuffix(strings.TrimSpace(got), "- [1] **Kestrels**, "+strings.ReplaceAll(want, "#", `\#`)) || strings.Contains(got, "secret") {
			t.Errorf("%s is\n%s", source, got)
		}
	}
}

// hostile is what breaks texts that contain it.
var hostile = []string{
	"```\nnever closed", "~~~~\nnever closed", "- ```\n  nor here", "1. x\n   ```html\n   <script>\n   ```", "   ```\nindented", "> ```\n<script>alert(1)</script>",
	"# Heading\n## Another", "Heading\n===", "Heading\n---", "> Heading\n> ---", "<script>alert(1)</script>", "<!-- never closed", "<textarea>", "<details open>", "</blockquote></div>",
	"a `b\n<script> `c`", "\\` <script> `", "\\<script>", "\\\\<script>", "`` ` <script>", "| a ` | <script> ` |\n|---|---|", "[1]: http://evil/", "[1\n]: http://evil/", "  [2]: <http://evil/> \"t\"",
	"![x](http://evil/t.png)", "\\![x](http://evil/t.png)", "\\\\![x](http://evil/t.png)", "![x][1]", "<img src=http://evil/>", "<?php", "<![CDATA[", "&lt;script&gt;", "a\r# b\r\n# c\x00\u2028# d",
	"````\n```\n<script>\n````\nout <script>", "```\n   ```\n<script>", "``` a`b\n<script>\n```", "\t```\n<script>", "* a\n\n      <script>", "`<script>`", "<a href=\"`\">` <script>",
	"***", "- - -\n# x", "| a |\n|---|\n| <b> |", strings.Repeat("> ", 50) + "```", strings.Repeat("`", 40), "[x](javascript:alert(1))", "~~~ `\n<script>\n~~~", "```\n~~~\n```\n<script>",
}

// outline is what a reader sees of the structure: headings of the two upper
// levels, and what no text may bring with it.
func outline(t testing.TB, source string) []string {
	t.Helper()
	src := []byte(source)
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(src))
	var out []string
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if _, top := n.Parent().(*ast.Document); top && n.Level <= 2 {
				out = append(out, fmt.Sprint("h", n.Level))
			}
		case *ast.HTMLBlock, *ast.RawHTML:
			out = append(out, "HTML")
		case *ast.Image:
			out = append(out, "image")
		case *ast.Text:
			if value := string(n.Segment.Value(src)); strings.Contains(value, "MARK") {
				_, inLink := n.Parent().(*ast.Link)
				out = append(out, fmt.Sprint("mark ", inLink))
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// surrounded is a transcript with a text in all places, between marks.
func surrounded(t testing.TB, said string) (string, []string) {
	mark := reply(t, payload.TypeMarkdown, "[MARK] [1]")
	return write(t, said,
		user(t, payload.TypeStr, "q "+said), mark, reply(t, payload.TypeMarkdown, said), mark, reply(t, payload.TypeStr, said), mark,
		reply(t, payload.TypeHTML, said), mark, reply(t, payload.TypeOptions, payload.Options{said}), mark,
		reply(t, payload.TypeRAG, payload.RAGMessage{Answer: said, Docs: []payload.RAGDoc{{Metadata: payload.RAGMetadata{Title: said, Heading: said, Source: said}}}}), mark,
		reply(t, payload.TypeRAG, payload.RAGMessage{Answer: said, Sentences: []payload.RAGSentence{{End: len(said), Support: payload.SupportNone}}}), mark,
	), []string{"h1", "h2", "mark false", "mark false", "mark false", "mark false", "mark false", "mark false", "mark false"}
}

// TestHostile: what was said does not change what is around it.
func TestHostile(t *testing.T) {
	t.Parallel()
	for _, said := range hostile {
		got, want := surrounded(t, said)
		if diff := cmp.Diff(want, outline(t, got)); diff != "" {
			t.Errorf("%q (-want +got):\n%s\n%s", said, diff, got)
		}
	}
}

func FuzzWrite(f *testing.F) {
	for _, said := range hostile {
		f.Add(said)
	}
	f.Fuzz(func(t *testing.T, said string) {
		if strings.Contains(said, "MARK") {
			return // it is what the text is found by
		}
		got, want := surrounded(t, said)
		if diff := cmp.Diff(want, outline(t, got)); diff != "" {
			t.Errorf("%q (-want +got):\n%s\n%s", said, diff, got)
		}
	})
}
