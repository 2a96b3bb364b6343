package brief

import (
	"cmp"
	"slices"
	"strings"

	"docent/internal/lazyregexp"
	"docent/payload"
	"docent/rag"
	"docent/rag/text"
)

// Report joins the answers of a brief. Text that it has written once does not change, so it can be shown while it grows.
type Report struct {
	message payload.RAGMessage
	text    strings.Builder
	missing []string
	answers int // sections with the outcome answered
	unsure  int // sections with the outcome unsure
}

// NewReport returns a report without sections.
func NewReport(task string) *Report {
	return &Report{message: payload.RAGMessage{Question: task, LLMName: rag.Extractive}}
}

// Add adds an answer under a heading, and returns the new part of the text. It returns "" if the documents do not answer the
// section.
func (r *Report) Add(heading string, section payload.RAGMessage) string {
	if section.LLMName != rag.Extractive {
		r.message.LLMName = section.LLMName
	}
	r.scope(section)
	keep := cited(section)
	if section.Abstained || len(keep) == 0 || section.Outcome == payload.AnswerUnsure && r.repeats(section.Docs, keep) {
		r.missing = append(r.missing, heading)
		return ""
	}
	if section.Outcome == payload.AnswerUnsure {
		r.unsure++
	} else {
		r.answers++
	}
	begin := r.text.Len()
	if begin > 0 {
		r.text.WriteString("\n\n")
	}
	r.text.WriteString("## " + escaped(heading) + "\n\n")
	numbers := r.adopt(section.Docs, keep)
	body, at := text.Renumber(section.Answer, numbers)
	for _, s := range section.Sentences {
		moved := payload.RAGSentence{Start: r.text.Len() + at(s.Start), End: r.text.Len() + at(s.End), Support: s.Support, Found: s.Found}
		for _, n := range s.Docs {
			moved.Docs = append(moved.Docs, numbers[n-1])
		}
		r.message.Sentences = append(r.message.Sentences, moved)
	}
	r.text.WriteString(strings.TrimRight(body, "\n"))
	return r.text.String()[begin:]
}

// repeats reports whether earlier sections cite all kept passages. An unsure answer from them adds nothing: the search has only
// found the subject of the task again.
func (r *Report) repeats(docs []payload.RAGDoc, keep map[int]bool) bool {
	for i, d := range docs {
		if keep[i+1] && r.number(d) == 0 {
			return false
		}
	}
	return true
}

// number returns the number of a passage in the report, or 0.
func (r *Report) number(d payload.RAGDoc) int {
	return 1 + slices.IndexFunc(r.message.Docs, func(o payload.RAGDoc) bool {
		return o.Metadata.ChunkID == d.Metadata.ChunkID && o.Metadata.DocumentID == d.Metadata.DocumentID && o.Metadata.File == d.Metadata.File
	})
}

// scope keeps the searched scope, which is the same for all sections.
func (r *Report) scope(section payload.RAGMessage) {
	m := &r.message
	if len(m.Collections)+len(m.Documents)+len(m.Folders)+len(m.Tags) == 0 {
		m.Collections, m.Documents, m.Folders, m.Tags = section.Collections, section.Documents, section.Folders, section.Tags
	}
	m.Queries = append(m.Queries, section.Queries...)
}

// adopt adds the kept passages of a section and returns the numbers of all of them in the report, 0 for the others.
func (r *Report) adopt(docs []payload.RAGDoc, keep map[int]bool) []int {
	numbers := make([]int, len(docs))
	for i, d := range docs {
		if !keep[i+1] {
			continue
		}
		if numbers[i] = r.number(d); numbers[i] == 0 {
			r.message.Docs = append(r.message.Docs, d)
			numbers[i] = len(r.message.Docs)
		}
	}
	return numbers
}

// The headings of the lists at the end of a report, by language: of headings without an answer, and of headings that were not
// reached.
var (
	notFound   = map[string]string{"en": "Not found", "de": "Nicht gefunden", "fr": "Non trouvé", "es": "No encontrado"}
	notWritten = map[string]string{"en": "Not written", "de": "Nicht geschrieben", "fr": "Non rédigé", "es": "Sin redactar"}
)

// Message returns the report as an answer. Lists at its end name the headings that the documents do not answer, and the headings
// that are not written yet. language is that of the headings of the lists.
func (r *Report) Message(language string, unwritten ...string) payload.RAGMessage {
	m := r.message
	m.Docs, m.Sentences = slices.Clone(m.Docs), slices.Clone(m.Sentences)
	m.Answer = strings.TrimLeft(r.text.String()+list(notFound, language, r.missing)+list(notWritten, language, unwritten), "\n")
	switch {
	case r.answers > 0:
		m.Outcome = payload.Answered
	case r.unsure > 0:
		m.Outcome = payload.AnswerUnsure
	default:
		m.Outcome, m.Abstained = payload.AnswerNotFound, true
	}
	return m
}

// list returns headings as a list with a title in a language, or "" without headings.
func list(titles map[string]string, language string, headings []string) string {
	if len(headings) == 0 {
		return ""
	}
	out := "\n\n## " + cmp.Or(titles[language], titles["en"]) + "\n"
	for _, h := range headings {
		out += "\n- " + escaped(h)
	}
	return out
}

// special matches characters with a meaning in Markdown.
var special = lazyregexp.New("[\\\\`*_\\[\\]<>|#]")

// escaped returns a heading as Markdown in one line.
func escaped(heading string) string {
	return special.ReplaceAllString(strings.Join(strings.Fields(text.Clean(heading)), " "), `\$0`)
}
