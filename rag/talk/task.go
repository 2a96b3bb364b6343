package talk

import (
	"regexp"
	"strings"
	"sync"
)

// order is a pattern of orders that are no questions for the documents. It matches the beginning of a message. An order names
// what only a person wants: something to be written or done for "me", an appointment, or a purchase. "Delete a branch" and
// "print all rows" are questions.
type order struct {
	language string
	pattern  *regexp.Regexp
}

// orders are the patterns in all languages.
var orders = sync.OnceValue(func() []order {
	var out []order
	for _, s := range sections("task") {
		all := `^(?:i (?:want|need) you to |hey |hi |hallo |then |` + polite + `)*(?:` + strings.Join(s.patterns, "|") + `)`
		out = append(out, order{s.language, regexp.MustCompile(all)})
	}
	return out
})

// maxTask limits an order in bytes.
const maxTask = 300

// task returns the language of an order that is no question for the documents, or "".
func task(message string) string {
	if len(message) > maxTask {
		return ""
	}
	words := normal(message)
	for _, o := range orders() {
		if o.pattern.MatchString(words) {
			return o.language
		}
	}
	return ""
}
