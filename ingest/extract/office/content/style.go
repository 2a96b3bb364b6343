package content

import (
	"strconv"
	"strings"
)

// StyleName interprets the built-in name of a paragraph style. The level is that
// of a heading, from 1; 0 for other styles.
func StyleName(name string) (level int, title, toc bool) {
	name = strings.ToLower(name)
	if rest, ok := strings.CutPrefix(name, "heading "); ok {
		if n, err := strconv.Atoi(rest); err == nil && n >= 1 && n <= 9 {
			level = n
		}
	}
	return level, name == "title", strings.HasPrefix(name, "toc ") && name != "toc heading"
}

// MaxListDepth is the deepest list that has counters of its own; Word has nine
// depths.
const MaxListDepth = 16

// MaxStyles bounds the styles read of one document.
const MaxStyles = 100_000
