package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"

	"docent/payload"
	"docent/rag/text"
)

const (
	// maxUnsupported limits the listed sentences.
	maxUnsupported = 10
	// maxSentence limits a listed sentence, in characters.
	maxSentence = 100
)

// printUnsupported lists the sentences of an answer that no source supports.
func printUnsupported(w io.Writer, msg payload.RAGMessage) {
	sentences := unsupported(msg)
	if len(sentences) == 0 {
		return
	}
	fmt.Fprintf(w, "\nNote: no source supports %s of this answer:\n", plural(len(sentences), "sentence"))
	for i, s := range sentences {
		if i == maxUnsupported {
			fmt.Fprintf(w, "  - and %d more\n", len(sentences)-i)
			return
		}
		fmt.Fprintf(w, "  - %s\n", text.Shorten(s, maxSentence))
	}
}

// unsupported returns the sentences that no source supports. As on the page, code, headings, the heads of tables, and
// introductions state nothing.
func unsupported(msg payload.RAGMessage) (sentences []string) {
	if msg.Abstained {
		return nil
	}
	for _, s := range msg.Sentences {
		if s.Support != payload.SupportNone || s.Start < 0 || s.Start > s.End || s.End > len(msg.Answer) {
			continue
		}
		if statement := stated(msg.Answer[s.Start:s.End], msg.Answer[s.End:]); statement != "" {
			sentences = append(sentences, statement)
		}
	}
	return sentences
}

var (
	// blockMark matches the mark of a list or a quote.
	blockMark = regexp.MustCompile(`^(?:[-*+•>]|\d{1,3}[.)])\s+`)
	// ruled matches text that begins with the line below the head of a table.
	ruled = regexp.MustCompile(`^\s*\|[-:| \t]+(?:\n|$)`)
)

// stated returns a sentence without the marks of its block, in one line. It returns "" for code, headings, and the head of
// a table. after is the text that follows the sentence.
func stated(sentence, after string) string {
	sentence = strings.Join(strings.Fields(sentence), " ")
	switch {
	case strings.HasPrefix(sentence, "```"), strings.HasPrefix(sentence, "~~~"), strings.HasPrefix(sentence, "#"),
		strings.HasSuffix(sentence, ":"), !strings.ContainsFunc(sentence, unicode.IsLetter):
		return ""
	case strings.HasPrefix(sentence, "|"):
		if ruled.MatchString(after) {
			return ""
		}
		return strings.Trim(strings.ReplaceAll(sentence, "|", "–"), "– ")
	}
	for mark := blockMark.FindString(sentence); mark != ""; mark = blockMark.FindString(sentence) {
		sentence = sentence[len(mark):]
	}
	return sentence
}
