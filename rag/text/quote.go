package text

import (
	"strings"

	"docent/internal/lazyregexp"
)

// Quote encloses a passage in tags for a model. It removes invisible characters,
// and the passage cannot close the tags. Attributes are pairs of name and value;
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
var passageTag = lazyregexp.New(`(?i)<(\s*/?\s*(?:passage|wishes))`)

// Enclosed makes a passage safe between tags. It removes invisible characters, and
// the passage cannot close the tags.
func Enclosed(s string) string {
	return passageTag.ReplaceAllString(Visible(s), `‹$1`)
}

// Attribute makes text safe as the value of an attribute.
func Attribute(s string) string {
	return attributeText.Replace(Visible(s))
}

var attributeText = strings.NewReplacer(`"`, "'", "<", "‹", ">", "›", "\n", " ")
