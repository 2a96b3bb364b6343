// Package table holds the rules that all readers use for tables.
package table

import (
	"strconv"
	"strings"
)

// Separator stands between the cells of a row.
const Separator = " | "

// Line joins the cells of a row into one line. It omits empty cells at the end.
func Line(cells []string) string {
	parts := make([]string, 0, len(cells))
	for _, c := range cells {
		parts = append(parts, strings.Join(strings.Fields(c), " "))
	}
	for len(parts) > 0 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return strings.Join(parts, Separator)
}

// IsHeader reports whether the cells of a first row are column names. Each cell
// must be non-empty, short, and not a number.
func IsHeader(cells []string) bool {
	for _, c := range cells {
		c = strings.TrimSpace(c)
		if _, err := strconv.ParseFloat(c, 64); err == nil || c == "" || len(c) > 80 {
			return false
		}
	}
	return len(cells) > 1
}
