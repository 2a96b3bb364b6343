package corpus

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/internal/fault"
)

// maxCollectionName is the maximum length of a collection name, in bytes.
const maxCollectionName = 100

// CheckCollectionName rejects names that cannot be typed, displayed, or used in an
// address unchanged. It accepts "", which means the default collection.
func CheckCollectionName(name string) error {
	switch {
	case len(name) > maxCollectionName:
		return fault.New(fault.Invalid, "collection_name_too_long", "the collection's name is longer than %d bytes", maxCollectionName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) || strings.Contains(name, "/") ||
		strings.TrimSpace(name) != name:
		return fault.New(fault.Invalid,
			"collection_name_invalid", "the collection name %q must not have control characters, a slash, or spaces around it", name)
	}
	return nil
}
