package rag

import (
	"strings"
)

// searchText is the text to search for: the question, with the user's earlier
// turns in front if it leans on them. The retriever calls it.
func searchText(question string, turns []Turn) string {
	if !leans(question) {
		return question
	}
	var b strings.Builder
	for _, t := range turns {
		if t.Role == User {
			b.WriteString(t.Text)
			b.WriteByte('\n')
		}
	}
	b.WriteString(question)
	return b.String()
}

// leans reports whether a question cannot be understood without what was said
// before.
func leans(question string) bool {
	return len(strings.Fields(question)) < 4
}
