package suggest

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"docent/internal/lazyregexp"
	"docent/rag/corpus"
	"docent/rag/text"
)

const (
	// maxSentences and maxLetters bound a summary.
	maxSentences, maxLetters = 3, 320
	// fewestWords is the number of words of a sentence that says something.
	fewestWords = 6
	// maxCollections bounds the collections behind the suggestions of one request.
	maxCollections = 8
)

var (
	link  = lazyregexp.New(`!?\[([^\]]*)\]\([^)]*\)`)
	signs = strings.NewReplacer("**", "", "__", "", "`", "")
)

// summary returns the first sentence of each of the first sections, or the first sentences of a document with fewer
// sections.
func summary(chunks []corpus.Chunk) []string {
	var sections [][]string
	section := "\x00"
	for _, c := range chunks {
		if c.Kind != corpus.Prose || c.Text == "" {
			continue
		}
		if first := c.Heading(); first != section {
			section = first
			sections = append(sections, nil)
		}
		last := &sections[len(sections)-1]
		*last = append(*last, leading(c.Text)...)
	}
	sections = slices.DeleteFunc(sections, func(s []string) bool { return len(s) == 0 })
	if len(sections) >= maxSentences {
		for i := range sections {
			sections[i] = sections[i][:1]
		}
	}
	out := []string{}
	for _, s := range sections {
		out = append(out, s...)
	}
	return out[:min(maxSentences, len(out))]
}

// leading returns the sentences of a passage that say something.
func leading(passage string) []string {
	var out []string
	for _, s := range text.Sentences(passage, false) {
		if s.Kind != text.ProseSentence {
			continue
		}
		t := signs.Replace(link.ReplaceAllString(passage[s.Start:s.End], "$1"))
		fields := strings.Fields(t)
		t = strings.Join(fields, " ")
		if len(fields) >= fewestWords && utf8.RuneCountInString(t) <= maxLetters && text.Ends(t) && !strings.HasSuffix(t, ":") {
			out = append(out, t)
		}
	}
	return out
}

// newest returns the collections with documents that changed last. Names, if there are any, limit them.
func newest(all []corpus.CollectionInfo, names []string) []corpus.CollectionInfo {
	list := slices.DeleteFunc(slices.Clone(all), func(c corpus.CollectionInfo) bool {
		return c.Documents == 0 || len(names) > 0 && !slices.Contains(names, c.Name)
	})
	slices.SortStableFunc(list, func(a, b corpus.CollectionInfo) int {
		return cmp.Or(b.ChangedAt.Compare(a.ChangedAt), cmp.Compare(a.Name, b.Name))
	})
	return list[:min(maxCollections, len(list))]
}
