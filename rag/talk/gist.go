package talk

import (
	"strings"

	"docent/internal/lazyregexp"
	"docent/rag/text"
)

const (
	// minPasted is the length of a message in bytes from which on it may be a letter, and minLines the number of lines of a
	// log.
	minPasted, minLines = 280, 3
	// maxContext limits the sentences before a question that depends on them, in bytes.
	maxContext = 300
	// fewOwnWords is the number of own words up to which a question in a letter depends on the sentences before it.
	fewOwnWords = 2
	// maxErrors is the number of lines with an error that are searched.
	maxErrors = 2
)

var (
	// quotedLine matches the marks of a quoted line in a mail.
	quotedLine = lazyregexp.New(`(?m)^(?:[ \t]*>)+ ?`)
	// headerLine matches a line of a mail or letter that says nothing: a header, a greeting, or a close.
	headerLine = lazyregexp.New(`(?i)^\s*(?:(?:from|to|cc|date|sent|von|an|datum|gesendet)\s*:.*|(?:dear|hello|hi|hallo|guten tag|sehr geehrte|liebe[r]?)\b[^.?!]{0,60}[,!]?|` +
		`(?:(?:kind|best|warm|many) regards|regards|sincerely|yours .*|thanks|thank you|cheers|best|mit freundlichen grüßen|viele grüße|liebe grüße|freundliche grüße|gruß|grüße|mfg|lg|vg)\b[^.?!]{0,40})\s*$`)
	// errorLine matches a line of a log that reports an error.
	errorLine = lazyregexp.New(`\b(?:FATAL|PANIC|ALARM|ALERT|CRITICAL|ERROR|EXCEPTION|FEHLER|ERR)\b|(?i:\b(?:fatal|panic|error|exception|fehler|failed|failure|fehlgeschlagen)\b\s*[:=-]|\b\w+(?:Error|Exception)\b)`)
	// logPrefix matches the time and the program at the beginning of a line of a log.
	logPrefix = lazyregexp.New(`^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?\S*\]?\s+|(?:[A-Z][a-z]{2}\s+\d+\s+)?\d\d:\d\d:\d\d\S*\s+)?(?:[\w.-]+\[\d+\]:?\s+)?`)
)

// Gist returns the text to search for in a pasted log or a long letter: its questions with the sentences that they depend on, or
// its errors. It returns "" for other messages, and if it finds neither.
func Gist(message string) string {
	message = quotedLine.ReplaceAllString(strings.ReplaceAll(message, "\r\n", "\n"), "")
	lines := strings.Split(strings.TrimSpace(message), "\n")
	if len(message) < minPasted && len(lines) < minLines {
		return ""
	}
	var kept, failed []string
	for _, line := range lines {
		switch {
		case headerLine.MatchString(line):
			kept = append(kept, "")
		case errorLine.MatchString(line):
			failed = append(failed, strings.TrimSpace(logPrefix.ReplaceAllString(line, "")))
			kept = append(kept, "")
		case logPrefix.FindString(line) != "":
			kept = append(kept, "") // an event of a log
		default:
			kept = append(kept, line)
		}
	}
	asked := questionsIn(strings.Join(kept, "\n"), len(failed) > 0)
	if own := strings.Join(asked, "\n"); len(failed) > 0 && (len(asked) == 0 || Leans(own) || len(ownWords(own)) <= 1) {
		asked = append(failed[max(0, len(failed)-maxErrors):], asked...)
	}
	return strings.Join(asked, "\n")
}

// lastClause returns the direct question at the end of a sentence, if it stands on its own, as in "I do not know, how many fit?".
func lastClause(sentence string) string {
	at := strings.LastIndex(sentence, ", ")
	if at < 0 {
		return ""
	}
	clause := sentence[at+len(", "):]
	if !direct.MatchString(clause) && !asksFirst.MatchString(clause) || Leans(clause) || len(ownWords(clause)) < fewOwnWords {
		return ""
	}
	return clause
}

// questionsIn returns the questions in a text. In a letter, a question that depends on the sentences before it has them in
// front.
func questionsIn(s string, log bool) []string {
	all := text.Sentences(s, false)
	var out []string
	for i, sentence := range all {
		body := strings.TrimSpace(s[sentence.Start:sentence.End])
		if !strings.HasSuffix(body, "?") && (strings.HasSuffix(body, ".") || !direct.MatchString(body)) {
			continue
		}
		if clause := lastClause(body); clause != "" {
			body = clause
		} else if !log && (Leans(body) || len(ownWords(body)) <= fewOwnWords) {
			from := i
			for from > 0 && sentence.Start-all[from-1].Start <= maxContext {
				from--
			}
			body = strings.TrimSpace(s[all[from].Start:sentence.End])
		}
		out = append(out, strings.Join(strings.Fields(body), " "))
	}
	return out
}
