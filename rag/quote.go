package rag

import "strings"

// Quote writes a passage between tags for a model. The text cannot end the
// tags and contains nothing invisible. Attributes are pairs of name and value;
// empty values are omitted.
func Quote(text string, attributes ...string) string {
	var b strings.Builder
	b.WriteString("<passage")
	for i := 0; i+1 < len(attributes); i += 2 {
		if value := attribute(attributes[i+1]); value != "" {
			b.WriteString(" " + attributes[i] + `="` + value + `"`)
		}
	}
	b.WriteString(">\n" + enclosed(text) + "\n</passage>")
	return b.String()
}
