package corpus

import (
	"context"
	"fmt"
	"slices"
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

// maxNamed limits the collections that an error lists.
const maxNamed = 20

// Shelf lists collections. Library implements it.
type Shelf interface {
	// Collections lists the collections by name.
	Collections(ctx context.Context) ([]CollectionInfo, error)
}

// CheckCollections refuses names of unknown collections, because a search in
// them would find nothing. The default collection always exists.
func CheckCollections(ctx context.Context, shelf Shelf, names []string) error {
	if !slices.ContainsFunc(names, func(name string) bool { return name != DefaultCollection }) {
		return nil
	}
	infos, err := shelf.Collections(ctx)
	if err != nil {
		return fmt.Errorf("list collections: %w", err)
	}
	var known []string
	for _, c := range infos {
		known = append(known, c.Name)
	}
	for _, name := range names {
		if name == DefaultCollection || slices.Contains(known, name) {
			continue
		}
		if len(known) > maxNamed {
			known = append(known[:maxNamed:maxNamed], "…")
		}
		return fault.New(fault.NotFound, "no_collection_of", "there is no collection %q; there are: %s", name, strings.Join(known, ", "))
	}
	return nil
}
