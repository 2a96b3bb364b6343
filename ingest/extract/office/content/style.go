package content

import (
	"strconv"
	"strings"
)

// StyleName interprets the built-in name of a paragraph style. level is the level
// of a heading, from 1. It is 0 for other styles. toc reports whether the style
// belongs to the table of contents.
func StyleName(name string) (level int, title, toc bool) {
	name = strings.ToLower(name)
	if rest, ok := strings.CutPrefix(name, "heading "); ok {
		if n, err := strconv.Atoi(rest); err == nil && n >= 1 && n <= 9 {
			level = n
		}
	}
	return level, name == "title", strings.HasPrefix(name, "toc ") && name != "toc heading"
}

// MaxListDepth is the number of list levels with their own counters. Word has
// nine levels.
const MaxListDepth = 16

// MaxStyles limits the number of styles that are read from one document.
const MaxStyles = 100_000
