// Package describe lets a chat model describe a document: a summary, and questions that the document answers. Each content is
// described once.
package describe

import (
	"context"
	"crypto/sha256"
	_ "embed" // for the prompt
	"encoding/hex"
	"fmt"
	"strings"
	"text/template"

	"docent/rag/corpus"
	"docent/rag/text"
)

const (
	// MaxTokens limits the length of a model's answer. Models that reason need more than the lines.
	MaxTokens = 1500
	// MaxSentences is the number of sentences of a summary, and MaxQuestions the number of questions.
	MaxSentences, MaxQuestions = 3, 6
	// maxText bounds the text of the document in a prompt, and maxHeadings its headings, in characters.
	maxText, maxHeadings = 12_000, 2_000
	// maxLine bounds a line in bytes. Longer lines are left out.
	maxLine = 500
)

//go:embed prompts/document.tmpl
var promptFile string

var prompt = template.Must(template.New("document").Parse(promptFile))

// Description is the text of a model about a document. It has no sentences if the model wrote nothing usable.
type Description struct {
	// Key names the content, the model, and the prompt; see Key.
	Key string
	// Model is the name of the model.
	Model string
	// Summary has the sentences of the summary.
	Summary []string
	// Questions are questions that the document answers.
	Questions []string
}

// Store keeps descriptions, one for each document. It is safe for concurrent use. A description disappears with its document.
type Store interface {
	// Description returns the description of a document; the zero value without one.
	Description(ctx context.Context, document int64) (Description, error)
	// PutDescription stores the description of a document, or replaces it. It ignores a deleted document.
	PutDescription(ctx context.Context, document int64, d Description) error
}

// Key names the content of a document, a model, and the prompt. A description with another key is outdated.
func Key(doc corpus.Document, model string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{promptFile, model, doc.Title, doc.SHA256, doc.Pipeline}, "\x00")))
	return hex.EncodeToString(sum[:])
}

// Prompt asks a model to describe a document with these headings and first chunks.
func Prompt(doc corpus.Document, headings []string, chunks []corpus.Chunk) (string, error) {
	var b strings.Builder
	err := prompt.Execute(&b, struct {
		Questions             int
		Title, Headings, Text string
	}{MaxQuestions, text.Attribute(doc.Title), text.Enclosed(joined(headings, " | ", maxHeadings)), text.Enclosed(source(chunks))})
	if err != nil {
		return "", fmt.Errorf("prompt for a description: %w", err)
	}
	return b.String(), nil
}

// source returns the text of chunks for a prompt.
func source(chunks []corpus.Chunk) string {
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = c.Text
	}
	return joined(texts, "\n\n", maxText)
}

// joined joins the first texts, up to a number of characters.
func joined(texts []string, gap string, limit int) string {
	var b strings.Builder
	for _, t := range texts {
		if b.Len() > 0 {
			b.WriteString(gap)
		}
		b.WriteString(t)
		if b.Len() > limit {
			break
		}
	}
	return text.Shorten(b.String(), limit)
}

// Read returns the usable lines of a model's answer about a document with these headings and first chunks. A summary whose words are
// mostly not in the document is not usable: weak models write about something else, or copy the prompt.
func Read(answer string, doc corpus.Document, headings []string, chunks []corpus.Chunk) (summary, questions []string) {
	there := text.Stems(doc.Title + "\n" + joined(headings, "\n", maxHeadings) + "\n" + source(chunks))
	seen := map[string]bool{}
	for line := range strings.Lines(text.Clean(answer)) {
		line = strings.Join(strings.Fields(line), " ")
		line = strings.Trim(line[text.ItemMark(line):], ` "“”*#`)
		if line == "" || len(line) > maxLine || seen[line] || strings.HasPrefix(line, "<") || !within(line, there) {
			continue
		}
		seen[line] = true
		switch asks := strings.HasSuffix(line, "?") || strings.HasSuffix(line, "？"); {
		case asks && len(questions) < MaxQuestions:
			questions = append(questions, line)
		case !asks && len(questions) == 0:
			for _, s := range text.Sentences(line, false) {
				if len(summary) < MaxSentences {
					summary = append(summary, line[s.Start:s.End])
				}
			}
		}
	}
	return summary, questions
}

// within reports whether at least half of the words of a line are in the document.
func within(line string, there map[string]bool) bool {
	all, known := 0, 0
	for _, w := range text.Words(line) {
		if w.Part || text.IsStop(w.Stem) {
			continue
		}
		all++
		if there[w.Stem] {
			known++
		}
	}
	return all > 0 && 2*known >= all
}
