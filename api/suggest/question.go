package suggest

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/internal/lazyregexp"
)

const (
	// shortest and longest bound the letters of a title in a question.
	shortest, longest = 3, 60
)

var (
	// hollow are titles without a topic, and titles that address the reader.
	hollow = lazyregexp.New(`(?i)^(?:the rest|introduction|overview|contents|table of contents|see also|notes?|index|summary|examples?|misc\w*|` +
		`einleitung|einführung|überblick|inhalt|inhaltsverzeichnis|siehe auch|anmerkungen?|beispiele?|zusammenfassung|` +
		`sommaire|table des matières|aperçu|voir aussi|remarques?|exemples?|résumé|` +
		`introducción|índice|contenido|resumen|véase también|notas?|ejemplos?)$|\b(?:your|my|our)\b`)
	numbered  = lazyregexp.New(`^(?:[A-Z]\.)?[\d.]+\s+`)
	spaces    = lazyregexp.New(`[\s_]+`)
	fileName  = lazyregexp.New(`(?i)\.[a-z0-9]{1,5}$`)
	yesOrNo   = lazyregexp.New(`(?i)^(?:can|does|do|is|are)\b`)
	latinName = lazyregexp.New(`^(?:\p{Ll}\S*|\p{Lu}\S*[\p{Lu}\d]\S*)$`)
	ownName   = lazyregexp.New(`\p{Lu}.*\p{Lu}|\d`)
)

// forms are questions in a language: for a name, for a document, for a section of a document, and for a section of the only
// document that is asked.
type forms struct{ is, in, about, document string }

var (
	english = forms{"What is %s?", "What is “%s” about?", "What does “%s” say about %s?", "What does the document say about “%s”?"}
	foreign = map[string]forms{
		"de": {"Was ist %s?", "Was steht in „%s“?", "Was steht in „%s“ zum Thema „%s“?", "Was steht im Dokument zum Thema „%s“?"},
		"es": {"¿Qué es %s?", "¿De qué trata «%s»?", "¿Qué dice «%s» sobre «%s»?", "¿Qué dice el documento sobre «%s»?"},
		"fr": {
			"Qu’est-ce que %s\u00a0?", "De quoi parle «\u00a0%s\u00a0»\u00a0?",
			"Que dit «\u00a0%s\u00a0» au sujet de «\u00a0%s\u00a0»\u00a0?", "Que dit le document au sujet de «\u00a0%s\u00a0»\u00a0?",
		},
	}
)

// formsIn returns the questions in a language, or in English.
func formsIn(language string) forms {
	if f, ok := foreign[language]; ok {
		return f
	}
	return english
}

// aboutDocument makes a question from the title of a document; "" if none sounds natural.
func aboutDocument(title, language string) string {
	t := tidy(title)
	switch {
	case t == "" || asks(t):
		return asked(t)
	case latinName.MatchString(t): // a single word in the spelling of a name
		return fmt.Sprintf(formsIn(language).is, t)
	}
	return fmt.Sprintf(formsIn(language).in, t)
}

// aboutSection makes a question from a heading, among other documents; "" if none sounds natural.
func aboutSection(title, heading, language string) string {
	of, t := tidy(title), tidy(heading)
	switch {
	case t == "" || asks(t):
		return asked(t)
	case of == "" || strings.EqualFold(of, t) || !strings.Contains(t, " "): // a single word does not describe a section
		return ""
	}
	if forms := formsIn(language); forms != english {
		return fmt.Sprintf(forms.about, of, t)
	}
	return fmt.Sprintf(english.about, of, lowered(t))
}

// inDocument makes a question from a heading of the only document that is asked. It returns "" if none sounds natural.
func inDocument(title, heading, language string) string {
	t := tidy(heading)
	switch {
	case t == "" || asks(t):
		return asked(t)
	case strings.EqualFold(tidy(title), t):
		return ""
	}
	return fmt.Sprintf(formsIn(language).document, t)
}

// asks reports whether a title is a question.
func asks(t string) bool { return strings.HasSuffix(t, "?") || yesOrNo.MatchString(t) }

// asked returns such a title with its question mark.
func asked(t string) string {
	if t == "" || strings.HasSuffix(t, "?") {
		return t
	}
	return t + "?"
}

// tidy returns a title without decoration; "" if it has no topic.
func tidy(title string) string {
	t := spaces.ReplaceAllString(title, " ")
	t = strings.TrimRight(numbered.ReplaceAllString(t, ""), ":. ")
	t = strings.TrimSpace(t)
	n := utf8.RuneCountInString(t)
	if n < shortest || n > longest || strings.ContainsAny(t, `<>{}|\/`) || fileName.MatchString(t) || hollow.MatchString(t) {
		return ""
	}
	// A title in another script does not fit into the sentence.
	latin := 0
	for _, r := range t {
		if unicode.Is(unicode.Latin, r) {
			latin++
		}
	}
	if latin*2 < n {
		return ""
	}
	return t
}

// lowered lowers the first letter of a title, but not of a name or an acronym.
func lowered(t string) string {
	first, rest, _ := strings.Cut(t, " ")
	if ownName.MatchString(first) {
		return t
	}
	for _, word := range strings.Fields(rest) {
		if r, _ := utf8.DecodeRuneInString(word); unicode.IsUpper(r) {
			return t
		}
	}
	r, size := utf8.DecodeRuneInString(t)
	return string(unicode.ToLower(r)) + t[size:]
}

// distinct returns the first of equal texts, in any letter case.
func distinct(list []string) []string {
	out, seen := []string{}, map[string]bool{}
	for _, s := range list {
		if key := strings.ToLower(s); !seen[key] {
			seen[key] = true
			out = append(out, s)
		}
	}
	return out
}

// interleaved returns the first element of each list, then the second of each, and so on.
func interleaved(lists [][]string) []string {
	var out []string
	for i, more := 0, true; more; i++ {
		more = false
		for _, list := range lists {
			if i < len(list) {
				out, more = append(out, list[i]), true
			}
		}
	}
	return out
}
