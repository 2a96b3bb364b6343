package quote

import (
	"strings"

	"docent/internal/lazyregexp"
	"docent/rag/text"
)

// howMuch matches a question for a dimension, such as "how long". The group is the adjective.
var howMuch = lazyregexp.New(`(?i)\b(?:how|wie) (\pL+)`)

// dimensions are the names of the dimensions that an adjective asks for. A table of data has the name.
var dimensions = map[string]string{
	"long": "length", "wide": "width", "broad": "width", "high": "height", "tall": "height", "deep": "depth", "heavy": "weight",
	"far": "distance", "fast": "speed", "old": "age", "big": "size", "large": "size", "expensive": "price",
	"lang": "länge", "lange": "dauer", "breit": "breite", "hoch": "höhe", "tief": "tiefe", "schwer": "gewicht", "weit": "entfernung",
	"schnell": "geschwindigkeit", "alt": "alter", "groß": "größe", "teuer": "preis",
}

// measuredIn returns the stems of the dimensions that a question asks for, by the stems of their adjectives.
func measuredIn(question string) map[string]string {
	out := map[string]string{}
	for _, m := range howMuch.FindAllStringSubmatch(question, -1) {
		adjective := strings.ToLower(m[1])
		if name := dimensions[adjective]; name != "" {
			out[text.Words(adjective)[0].Stem] = text.Words(name)[0].Stem
		}
	}
	return out
}
