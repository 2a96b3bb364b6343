package enrich

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"docent/rag/corpus"
	"docent/rag/text"
)

// errUnusable is the error for an answer without enough questions.
var errUnusable = errors.New("the model wrote no context with questions")

// label matches the label that some models write before a line.
var label = regexp.MustCompile(`(?i)^(?:line|question|q|context) ?\d*\*{0,2}[:.)]\*{0,2} *`)

// parse returns the usable lines of an answer about a passage: the first sentence,
// and the questions. Some models also copy the passage or answer the questions.
// parse leaves out lines without words of their own: repeated lines, and parts of the
// prompt.
func parse(answer string, p corpus.Passage) (about string, questions []string) {
	passage := text.Stems(corpus.IndexText(p.Document.Title, p.Chunk))
	seen := map[string]bool{}
	for line := range strings.Lines(strings.ToValidUTF8(answer, "")) {
		line = strings.Join(strings.Fields(line), " ")
		line = strings.Trim(line[text.ItemMark(line):], ` "“”*`)
		line = strings.TrimLeft(label.ReplaceAllString(line, ""), ` "“*`)
		if len(line) > maxLine || strings.HasPrefix(line, "<") || strings.HasPrefix(line, "```") {
			continue
		}
		words := stems(line)
		key := strings.Join(words, " ")
		if len(words) == 0 || seen[key] || fromPrompt(words, passage) {
			continue
		}
		seen[key] = true
		switch {
		case isQuestion(line):
			questions = append(questions, line)
		case about == "":
			about = line
		}
	}
	return about, questions
}

func isQuestion(line string) bool {
	return slices.ContainsFunc([]string{"?", "？", "؟"}, func(mark string) bool { return strings.HasSuffix(line, mark) })
}

// usable joins the lines of an answer. It fails if there are too few questions.
func usable(about string, questions []string) (string, error) {
	if len(questions) < minQuestions {
		return "", errUnusable
	}
	questions = questions[:min(len(questions), maxQuestions)]
	return strings.TrimSpace(about + "\n" + strings.Join(questions, "\n")), nil
}

// stems returns the stems of the words of a line, without stop words.
func stems(line string) []string {
	var out []string
	for _, w := range text.Words(line) {
		if !w.Part && !text.IsStop(w.Stem) {
			out = append(out, w.Stem)
		}
	}
	return out
}

var promptStems = text.Stems(promptFile)

// fromPrompt reports whether all words of a line are in the prompt and most of them
// are not in the passage. Weak models repeat their instructions.
func fromPrompt(words []string, passage map[string]bool) bool {
	own := 0
	for _, w := range words {
		if !promptStems[w] {
			return false
		}
		if passage[w] {
			own++
		}
	}
	return own*2 < len(words)
}
