package insight

import (
	"encoding/json"
	"slices"

	"docent/payload"
)

// solves reports whether a new answer may solve a gap. People rated the old answer down if it was
// answered. Then the new one must cite another document.
func solves(old Answer, now payload.RAGMessage) bool {
	if now.Outcome != payload.Answered {
		return false
	}
	if old.Outcome != payload.Answered {
		return true
	}
	var before payload.RAGMessage
	if json.Unmarshal(old.Content, &before) != nil {
		return false
	}
	known := cited(before)
	return slices.ContainsFunc(cited(now), func(id int64) bool { return !slices.Contains(known, id) })
}

// cited returns the ids of the cited documents.
func cited(m payload.RAGMessage) (out []int64) {
	for _, s := range m.Sentences {
		for _, n := range s.Docs {
			if n >= 1 && n <= len(m.Docs) {
				out = append(out, m.Docs[n-1].Metadata.DocumentID)
			}
		}
	}
	return out
}
