package retrieve

import (
	"cmp"
	"slices"

	"docent/internal/lazyregexp"
)

// descriptionMedia is the media type of descriptions of programming interfaces.
const descriptionMedia = "application/vnd.oai.openapi"

// shareOfDescription is the part of the score of a description of a programming interface that counts for other questions.
const shareOfDescription = .7

// asksForInterface matches questions about a programming interface: its words, methods, paths, and names.
var asksForInterface = lazyregexp.New(`(?i:\b(?:apis?|endpoints?|routes?|requests?|responses?|operations?|https?|openapi|swagger|json|schemas?|curl|` +
	`webhooks?|status codes?|headers?|parameters?|payloads?|properties|schnittstellen?|endpunkte?)\b)|` +
	`\b(?:REST|GET|POST|PUT|PATCH|DELETE|HEAD)\b|/\w|\w_\w|\b[a-z]+[A-Z]\w`)

// demoteInterfaces puts prose before the operations and types of a programming interface, if the question is not about one.
// A description has the words of a task, such as "delete a document", without the way that people take.
func demoteInterfaces(question string, results []Result) {
	if asksForInterface.MatchString(question) {
		return
	}
	for i, r := range results {
		if r.Passage.Document.MediaType == descriptionMedia && r.Score > 0 {
			results[i].Score *= shareOfDescription
		}
	}
	slices.SortStableFunc(results, func(a, b Result) int { return cmp.Compare(b.Score, a.Score) })
	for i := range results {
		results[i].Rank = i + 1
	}
}
