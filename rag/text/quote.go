package text

import (
	"regexp"
	"strings"
)

// Quote writes a passage between tags for a model. The text cannot end the
// tags and contains nothing invisible. Attributes are pairs of name and value;
// empty values are omitted.
func Quote(text string, attributes ...string) string {
	var b strings.Builder
	b.WriteString("<passage")
	for i := 0; i+1 < len(attributes); i += 2 {
		if value := Attribute(attributes[i+1]); value != "" {
			b.WriteString(" " + attributes[i] + `="` + value + `"`)
		}
	}
	b.WriteString(">\n" + Enclosed(text) + "\n</passage>")
	return b.String()
}

// passageTag matches text that could end a passage early or imitate the start
// of one.
var passageTag = regexp.MustCompile(`(?i)<(\s*/?\s*passage)`)

// Enclosed makes the text of a passage safe between its tags: it cannot end
// them and contains nothing invisible.
func Enclosed(s string) string {
	return passageTag.ReplaceAllString(Visible(s), `‹$1`)
}

// Attribute makes text safe as the value of an attribute.
func Attribute(s string) string {
	return attributeText.Replace(Visible(s))
}

var attributeText = strings.NewReplacer(`"`, "'", "<", "‹", ">", "›", "\n", " ")
