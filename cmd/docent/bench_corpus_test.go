package main

import (
	"fmt"
	"html"
	"math/rand/v2"
	"strings"
	"testing"

	"docent/embed"
	"docent/ingest"
	"docent/ingest/intake"
	"docent/rag/corpus"
)

// The vocabulary of benchmark documents, the most frequent first: function
// words, topics, forms of the topics, and names.
const (
	glue = "the of to a is and in for be that it by this are or on with as not an can if from will which when at has " +
		"then may must each only one all no but use more than any other was so its does between after before their"
	subjects = "table index query value row column file server user type name function key default order transaction " +
		"lock page cache buffer client session connection process memory disk block record field list set group rule " +
		"filter signal thread queue stream packet message token schema role view trigger cursor plan cost estimate sample " +
		"partition replica backup archive log checkpoint snapshot version vacuum tuple heap branch leaf node tree graph " +
		"path loop timer clock window frame border panel button menu template variable constant parameter argument " +
		"operator expression pattern string number integer float range array object class method event handler listener " +
		"socket port address host domain route gateway proxy header body request response cookie certificate signature " +
		"password account owner member tenant project release package module import export license patch review merge " +
		"commit conflict test suite fixture report metric alert budget quota limit threshold retry timeout " +
		"failure recovery upgrade migration rollback cluster region zone shard leader follower election vote term"
	// forms are appended to subjects; the words need not exist.
	forms = "s ed ing er able less ment ness"
	// names is how many names of two subjects there are.
	names = 20_000
)

// writer makes up documents that look like a manual's. Words follow Zipf's law,
// each page has a topic of its own, and every run gives the same text.
type writer struct {
	random *rand.Rand
	zipf   *rand.Zipf
	words  []string
	topic  []string
}

func newWriter(seed uint64) *writer {
	random := rand.New(rand.NewPCG(seed, 0))
	about := strings.Fields(subjects)
	random.Shuffle(len(about), func(i, j int) { about[i], about[j] = about[j], about[i] })
	words := append(strings.Fields(glue), about...)
	for _, form := range strings.Fields(forms) {
		for _, w := range about {
			words = append(words, w+form)
		}
	}
	for range names {
		words = append(words, about[random.IntN(len(about))]+"_"+about[random.IntN(len(about))])
	}
	return &writer{random: random, words: words, zipf: rand.NewZipf(random, 1.2, 4, uint64(len(words)-1))}
}

// between returns a number from low to high.
func (w *writer) between(low, high int) int { return low + w.random.IntN(high-low+1) }

// word returns a random word, and sometimes a word of the topic.
func (w *writer) word() string {
	if w.random.IntN(8) == 0 {
		return w.topic[w.random.IntN(len(w.topic))]
	}
	return w.words[w.zipf.Uint64()]
}

func (w *writer) phrase(low, high int) string {
	out := make([]string, w.between(low, high))
	for i := range out {
		out[i] = w.word()
	}
	return strings.Join(out, " ")
}

func (w *writer) sentence() string {
	s := w.phrase(6, 24)
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

func (w *writer) paragraph() string {
	out := make([]string, w.between(2, 7))
	for i := range out {
		out[i] = w.sentence()
	}
	return strings.Join(out, " ")
}

// part is a piece of a page.
type part struct {
	heading string     // if it is one
	level   int        // the heading's
	text    string     // of a paragraph
	code    []string   // lines
	rows    [][]string // of a table, the head first
}

// page makes up a page of a title and sections.
func (w *writer) page(sections int) []part {
	w.topic = w.topic[:0]
	for range 12 {
		w.topic = append(w.topic, w.words[len(strings.Fields(glue))+w.random.IntN(len(w.words)/2)])
	}
	parts := []part{{heading: w.phrase(2, 5), level: 1}, {text: w.paragraph()}}
	for range sections {
		parts = append(parts, part{heading: w.phrase(2, 5), level: w.between(2, 3)})
		for range w.between(1, 4) {
			parts = append(parts, part{text: w.paragraph()})
		}
		switch w.random.IntN(4) {
		case 0:
			var code []string
			for range w.between(3, 12) {
				code = append(code, fmt.Sprintf("%s(%s, %q) <= %d", w.word(), w.word(), w.word(), w.random.IntN(1000)))
			}
			parts = append(parts, part{code: code})
		case 1:
			rows := make([][]string, w.between(4, 12))
			for i := range rows {
				rows[i] = []string{w.word(), w.word(), w.phrase(3, 12)}
			}
			parts = append(parts, part{rows: rows})
		}
	}
	return parts
}

// markdown writes a page as Markdown.
func markdown(parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		switch {
		case p.heading != "":
			fmt.Fprintf(&b, "%s %s\n\n", strings.Repeat("#", p.level), p.heading)
		case p.code != nil:
			fmt.Fprintf(&b, "```\n%s\n```\n\n", strings.Join(p.code, "\n"))
		case p.rows != nil:
			for i, row := range p.rows {
				fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
				if i == 0 {
					b.WriteString("|---|---|---|\n")
				}
			}
			b.WriteString("\n")
		default:
			b.WriteString(p.text + "\n\n")
		}
	}
	return b.String()
}

// webPage writes a page as HTML with a site's frame around it.
func webPage(parts []part) string {
	var b strings.Builder
	title := html.EscapeString(parts[0].heading)
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title><link rel=\"stylesheet\" href=\"style.css\"></head>\n<body>", title)
	b.WriteString("<nav><ul><li><a href=\"prev.html\">Prev</a></li><li><a href=\"index.html\">Home</a></li><li><a href=\"next.html\">Next</a></li></ul></nav>\n<main>\n")
	for _, p := range parts {
		switch {
		case p.heading != "":
			fmt.Fprintf(&b, "<h%d id=\"%s\">%s</h%d>\n", p.level, html.EscapeString(strings.ReplaceAll(p.heading, " ", "-")), html.EscapeString(p.heading), p.level)
		case p.code != nil:
			fmt.Fprintf(&b, "<pre class=\"code\"><code>%s</code></pre>\n", html.EscapeString(strings.Join(p.code, "\n")))
		case p.rows != nil:
			b.WriteString("<table border=\"1\">\n")
			for i, row := range p.rows {
				cell := "td"
				if i == 0 {
					cell = "th"
				}
				b.WriteString("<tr>")
				for _, text := range row {
					fmt.Fprintf(&b, "<%s>%s</%s>", cell, html.EscapeString(text), cell)
				}
				b.WriteString("</tr>\n")
			}
			b.WriteString("</table>\n")
		default:
			words := strings.SplitN(html.EscapeString(p.text), " ", 3)
			fmt.Fprintf(&b, "<p>%s <a href=\"page.html\"><code>%s</code></a> %s</p>\n", words[0], words[1], words[2])
		}
	}
	b.WriteString("</main><footer>Copyright. <a href=\"legal.html\">Legal notices</a></footer></body></html>\n")
	return b.String()
}

// question returns a question about the topic of the last page.
func (w *writer) question() string {
	return fmt.Sprintf("How does the %s of %s change %s for a %s?", w.topic[0], w.topic[1], w.topic[2], w.topic[3])
}

// fill stores a number of made-up chunks without files and extraction, and returns
// questions about them. On average the chunks are as long as those of a manual.
func fill(b *testing.B, store ingest.Store, static *embed.Static, chunks int) (questions []string) {
	b.Helper()
	const sections, perCall, every = 10, 64, 16
	w := newWriter(1)
	for at := 0; at < chunks; {
		var puts []intake.Put
		for len(puts) < perCall && at < chunks {
			put := w.put(fmt.Sprintf("/manual/page-%d.md", at), min(sections, chunks-at))
			var texts []string
			for _, c := range put.Chunks {
				texts = append(texts, corpus.IndexText(put.Document.Title, c))
			}
			vectors, err := static.EmbedDocuments(b.Context(), texts)
			if err != nil {
				b.Fatal(err)
			}
			put.Embedder, put.Vectors = static.Name(), vectors
			at += len(put.Chunks)
			puts = append(puts, put)
			if len(puts)%every == 0 {
				questions = append(questions, w.question())
			}
		}
		if _, err := store.PutDocuments(b.Context(), puts); err != nil {
			b.Fatal(err)
		}
	}
	return questions
}

// put makes a document of so many chunks.
func (w *writer) put(source string, chunks int) intake.Put {
	w.page(0) // chooses the topic
	p := intake.Put{Document: corpus.Document{
		Collection: corpus.DefaultCollection, Source: source, Title: w.phrase(2, 5), MediaType: "text/markdown", Language: "en",
		SHA256: fmt.Sprintf("%064x", w.random.Uint64()), Status: corpus.Ready, Pipeline: ingest.Pipeline, Chunks: chunks,
	}}
	var text strings.Builder
	for i := range chunks {
		start := text.Len()
		text.WriteString(w.paragraph() + "\n\n" + w.paragraph())
		p.Chunks = append(p.Chunks, corpus.Chunk{
			Ordinal: i, Kind: corpus.Prose, Text: text.String()[start:], Headings: []string{w.phrase(2, 5)},
			Start: start, End: text.Len(), Tokens: 200,
		})
		text.WriteString("\n\n")
	}
	p.Document.Text, p.Document.Size = text.String(), int64(text.Len())
	return p
}
