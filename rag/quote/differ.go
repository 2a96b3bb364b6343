package quote

import (
	"maps"
	"slices"
	"strings"
	"time"

	"docent/internal/lazyregexp"
	"docent/rag/corpus"
	"docent/rag/text"
)

// minSubject is the minimum number of meaningful words that two contradicting
// sentences share.
const minSubject = 2

// numberedPlace matches a number that names a place in a document and counts nothing.
var numberedPlace = lazyregexp.New(`(?i)\b(?:sections?|chapters?|appendix|tables?|figures?|pages?|steps?|examples?|lines?|items?|notes?|rfc|` +
	`abschnitt|kapitel|anhang|tabelle|abbildung|seite|schritt|beispiel|zeile|punkt)\s+[A-Z]?\.?\d`)

// claim is a sentence without its numbers and negations.
type claim struct {
	// subject contains the stems of the other meaningful words.
	subject map[string]bool
	amounts []text.Amount
	denied  bool
}

// claimOf reads a quote as a claim. ok is false if the quote cannot be compared
// with others.
func claimOf(q quote, language string) (c claim, ok bool) {
	body := q.trimmed()
	if q.Kind != text.ProseSentence && q.Kind != text.ItemSentence || q.leans || q.refers || !q.ends || strings.HasSuffix(body, "?") ||
		numberedPlace.MatchString(body) || text.OtherwiseNegative.MatchString(body) {
		return claim{}, false
	}
	if language == "" {
		language = text.Language(body)
	}
	amounts := text.Amounts(body, language)
	c = claim{subject: map[string]bool{}, amounts: amounts, denied: len(text.Denials(body)) > 0}
	for _, w := range text.Words(text.WithoutAmounts(body)) {
		if !w.Part && !text.IsStop(w.Stem) && !negation[w.Stem] {
			c.subject[w.Stem] = true
		}
	}
	return c, len(c.subject) >= minSubject
}

// negation contains the stems of words that only deny.
var negation = text.Stems("not no never cannot does do don't doesn't didn't isn't aren't won't can't nicht nie niemals kein keine keinen keiner keinem")

// contradicts reports whether two claims about the same subject have different
// numbers, or only one of them denies it.
func (c claim) contradicts(d claim) bool {
	if !maps.Equal(c.subject, d.subject) {
		return false
	}
	if c.denied != d.denied {
		return len(c.amounts) == 0 && len(d.amounts) == 0
	}
	if len(c.amounts) != len(d.amounts) {
		return false
	}
	for i, a := range c.amounts {
		if a.Unit != d.amounts[i].Unit && (a.Unit == "" || d.amounts[i].Unit == "") {
			return false
		}
	}
	return slices.ContainsFunc(c.amounts, func(a text.Amount) bool { return !slices.ContainsFunc(d.amounts, a.Agrees) })
}

// contradicted puts a chosen sentence that another document contradicts first,
// followed by the contradicting sentence. The labels of both must be equal
// unless they are only titles: a label that is a term names the subject.
func (e *extractor) contradicted(chosen []quote) []quote {
	for _, c := range chosen {
		said, ok := claimOf(c, e.documents[c.doc].Document.Language)
		if !ok || e.documents[c.doc].Kind == corpus.Code {
			continue
		}
		for doc, passage := range e.passages {
			if e.documents[doc].DocumentID == e.documents[c.doc].DocumentID || e.documents[doc].Kind == corpus.Code {
				continue
			}
			for _, q := range passage {
				if (isTerm(c.label) || isTerm(q.label)) && c.label != q.label {
					continue
				}
				if other, ok := claimOf(q, e.documents[doc].Document.Language); ok && said.contradicts(other) && e.akin(said.subject, c.doc, doc) {
					pair := e.shared([]quote{c, q})
					pair[0].differs, pair[1].differs = true, true
					rest := slices.DeleteFunc(slices.Clone(chosen), func(o quote) bool { return o.isIn(pair) || repeats(pair, []quote{o}) })
					return append(pair, rest...)
				}
			}
		}
	}
	return chosen
}

// kindOfText contains the stems of words in titles and headings that name no subject.
var kindOfText = text.Stems("guide guides manual handbook reference documentation overview introduction summary notes faq general " +
	"handbuch anleitung leitfaden dokumentation überblick einleitung einführung zusammenfassung hinweise allgemeines")

// akin reports whether claims with the same words are about the same thing in two
// passages. Either titles and headings share a word that names a subject. Or the
// claims contain a word of the question, and no other word of it is in the
// headings of only one passage.
func (e *extractor) akin(subject map[string]bool, one, other int) bool {
	a, b := e.above(one), e.above(other)
	for stem := range a {
		if b[stem] && !text.IsStop(stem) && !kindOfText[stem] && strings.Trim(stem, "0123456789.") != "" {
			return true
		}
	}
	asked := false
	for _, t := range e.terms {
		switch {
		case subject[t.Stem]:
			asked = true
		case a[t.Stem] != b[t.Stem]:
			return false
		}
	}
	return asked
}

// above returns the stems in the title and the headings of a passage.
func (e *extractor) above(doc int) map[string]bool {
	p := e.documents[doc]
	return text.Stems(corpus.HeadingLine(p.Document.Title, p.Headings))
}

// isIn reports whether others contain the quote.
func (q quote) isIn(others []quote) bool {
	return slices.ContainsFunc(others, func(o quote) bool { return o.doc == q.doc && o.at == q.at })
}

// differ introduces two contradicting sentences in English or German.
func differ(language string) string {
	if language == "de" {
		return "Die Quellen widersprechen sich:\n\n"
	}
	return "The sources differ:\n\n"
}

// titled returns the title of a document in front of its contradicting
// sentence. Documents of different days also show their dates.
func titled(d, other corpus.Document) string {
	title := plain(shortLabel(d.Title))
	day, otherDay := d.Modified.Format(time.DateOnly), other.Modified.Format(time.DateOnly)
	if !d.Modified.IsZero() && !other.Modified.IsZero() && day != otherDay {
		title += " (" + day + ")"
	}
	return "- **" + title + ":** "
}
