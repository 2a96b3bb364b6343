package quote

import (
	"slices"
	"strings"
	"unicode"

	"docent/internal/lazyregexp"
	"docent/rag/text"
)

// place matches the name of another place in a document.
const place = `(?:(?:the )?(?:sections?|chapters?|appendix|appendices|parts?|tables?|figures?|examples?|pages?)\b|` +
	`(?:abschnitt|kapitel|anhang|tabelle|abbildung|beispiel|seite)\b)`

// shows matches the verb of a sentence that announces a table.
const shows = `(?:shows?|lists?|gives?|summarizes?|describes?|explains?|contains?|provides?)\b`

var (
	// refersOnly matches a sentence that only refers to another place.
	refersOnly = lazyregexp.New(`(?i)^[-*•(\s]*(?:` + strings.Join([]string{
		`(?:please )?(?:also )?(?:see|refer to) (?:also\b|below\b|above\b|["“'‘<\[]|` + place + `|[^.;]*\b(?:for (?:more|further|details|information|an?)|` +
			`(?:man|manual )?pages?|manual|documentation|sections?|chapters?|guide|readme|reference)\b)`,
		`for (?:more|further|additional|complete|full|detailed|general|other|an? (?:\w+ )?` +
			`(?:list|description|discussion|explanation|overview|introduction|example|table))\b[^.:;]*,? (?:see|refer to|consult|read|visit)\b`,
		`(?:more|further|additional) (?:information|details|examples?)\b.* (?:found|available|given|described|in)\b`,
		`(?:the )?(?:following|next|above|previous|preceding) (?:tables?|figures?|sections?|chapters?|lists?) ` + shows,
		`(?:tables?|figures?) [A-Z]?\.?\d[\w.-]* ` + shows,
		`.{3,60} (?:is|are) (?:shown|listed|given|described|summarized|explained|discussed|documented|covered) ` +
			`in (?:detail in )?` + place + `[^,;]*$`,
		`\[[^\]]+\]\([^():]+\) (?:explains?|describes?|lists?)\b`, // a page of the same documents
		`(?:siehe|vgl\.|vergleiche)\s`,
		`(?:mehr|weitere|nähere) (?:informationen|details|einzelheiten|beispiele|angaben)\b`,
		`(?:die |der )?(?:(?:folgende|nächste|obige|vorherige)[nr]? (?:tabelle|abbildung|abschnitt|liste)|(?:tabelle|abbildung) \d\S*) (?:zeigt|enthält|listet|beschreibt)\b`,
		`.{3,60} (?:ist|sind|wird|werden) in ` + place + `[^,;]* (?:beschrieben|erklärt|aufgeführt|gezeigt|erläutert)\b[^,;]*$`,
	}, "|") + `)`)
	// asksForPlace matches questions that such a sentence may answer.
	asksForPlace = lazyregexp.New(`(?i)\b(?:where|section|chapter|manual|document(?:ed|ation)|read|wo|handbuch|kapitel|abschnitt)\b`)
	// captionNumber matches the number of a caption, which may be a sentence of its own.
	captionNumber = lazyregexp.New(`^(?:Table|Figure|Example|Listing|Tabelle|Abbildung|Beispiel)\s+[A-Z]?\d*(?:[.-]\d+)*[.:]?$`)
)

// maxAnnounced is the maximum number of words of a sentence that only
// announces the text behind it, such as "For example:".
const maxAnnounced = 8

// telling drops chosen sentences that tell nothing themselves: they only refer
// to another place, announce text that the answer does not quote, ask a question whose answer is not quoted, or are a single word
// of code, such as an option, without the sentence that announces it. If all are such sentences, they stay.
func (e *extractor) telling(chosen []quote) []quote {
	out := slices.DeleteFunc(slices.Clone(chosen), e.refersElsewhere)
	for i := len(out) - 1; i >= 0; i-- {
		if bare(out[i]) && (i == 0 || !introduces(out[i-1]) || !out[i].follows(out[i-1])) {
			out = slices.Delete(out, i, i+1)
			continue
		}
		if isQuestion(out[i]) && (i == len(out)-1 || !out[i+1].follows(out[i])) {
			out = slices.Delete(out, i, i+1)
			continue
		}
		q := out[i]
		if introduces(q) && (q.words <= maxAnnounced || announcesTable(q, e.passages[q.doc])) &&
			(i == len(out)-1 || !out[i+1].isAnnounced(q)) {
			out = slices.Delete(out, i, i+1)
		}
	}
	if len(out) == 0 {
		return chosen
	}
	return out
}

// announcesTable reports whether a table stands behind a sentence of a passage.
func announcesTable(q quote, passage []quote) bool {
	return q.at+1 < len(passage) && passage[q.at+1].Kind == text.RowSentence
}

// isAnnounced reports whether a sentence announces the quote that stands behind it in the answer: the next sentence, or an item of its
// list.
func (q quote) isAnnounced(by quote) bool {
	return q.follows(by) || q.doc == by.doc && q.label == by.label && inList(q)
}

// bare reports whether a quote is a single word of code.
func bare(q quote) bool {
	return q.Kind == text.CodeSentence && len(strings.Fields(unfence(q.text))) < 2
}

// refersElsewhere reports whether a quote only refers to another place or
// has no words.
func (e *extractor) refersElsewhere(q quote) bool {
	if q.Kind == text.CodeSentence || q.Kind == text.RowSentence {
		return false
	}
	if !strings.ContainsFunc(q.text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return true
	}
	return refersOnly.MatchString(q.text) && !introduces(q) && !asksForPlace.MatchString(e.question)
}
