package corpus

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/internal/fault"
)

// Limits of folders and tags.
const (
	// MaxTags limits the tags of a document: those that it states, and those that people add.
	MaxTags = 50
	// maxTag limits a tag, in bytes.
	maxTag = 100
	// MaxWithin limits the documents in the folders and with the tags of a search.
	MaxWithin = 10_000
)

// FolderOf returns the folder of a source: the path of an address or of an upload, and the last folder of an absolute path.
func FolderOf(source string) string {
	file, _, _ := strings.Cut(source, "#")
	if _, address, ok := strings.Cut(file, "://"); ok {
		file = address
	} else {
		file = strings.TrimPrefix(strings.TrimPrefix(ShortSource(file), "upload:"), "stdin:")
	}
	folder := strings.Trim(path.Dir(file), "/")
	if folder == "." {
		return ""
	}
	return folder
}

// CleanTags returns tags in their stored form: in lower case, in order, each once. It omits tags that cannot be stored.
func CleanTags(tags []string) []string {
	var out []string
	for _, tag := range tags {
		tag = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(tag), "#")))
		if tag != "" && len(tag) <= maxTag && utf8.ValidString(tag) && !strings.ContainsFunc(tag, unicode.IsControl) {
			out = append(out, tag)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), MaxTags)]
}

// Place selects the documents in some folders and with some tags. A document needs one of them.
type Place struct {
	// Folders are folders. Their documents are in them or below them.
	Folders []string
	// Tags are tags.
	Tags []string
}

// IsZero reports whether the place selects all documents.
func (p Place) IsZero() bool { return len(p.Folders) == 0 && len(p.Tags) == 0 }

// Lister lists the ids of documents. Library implements it.
type Lister interface {
	// DocumentIDs lists the ids of documents by ID, at most DocumentFilter.Limit and MaxWithin + 1. It ignores Past.
	DocumentIDs(ctx context.Context, filter DocumentFilter) ([]int64, error)
}

// Within returns the ids of the documents of a place, and of some documents. If these are none, it fails with fault.NotFound,
// because a search in no documents would search in all.
func Within(ctx context.Context, lister Lister, documents []int64, place Place, collections []string) ([]int64, error) {
	if place.IsZero() {
		return documents, nil
	}
	filter := DocumentFilter{Place: place, Status: Ready, Limit: MaxWithin + 1}
	if len(collections) > 0 {
		filter.Collections = collections
	}
	found, err := lister.DocumentIDs(ctx, filter)
	if err != nil {
		return nil, fmt.Errorf("list the documents of folders and tags: %w", err)
	}
	out := slices.Concat(documents, found)
	if len(out) > MaxWithin {
		return nil, fault.New(fault.Invalid, "place_too_large",
			"the folders and tags have more than %d documents; search in their collections or in smaller folders", MaxWithin)
	}
	if len(out) == 0 {
		return nil, fault.New(fault.NotFound, "place_empty", "there are no documents in these folders or with these tags")
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// PlaceFilter selects folders and tags to list.
type PlaceFilter struct {
	// Collections, if not nil, are the collections whose documents count.
	Collections []string
	// Match lists only names that contain it, in any letter case.
	Match string
	// Limit is the maximum number of folders, and of tags. 0 means none.
	Limit int
}

// PlaceCount is a folder or a tag, with the number of its documents.
type PlaceCount struct {
	// Name is the folder or the tag.
	Name string
	// Documents is the number of its searchable documents, also of those below a folder.
	Documents int
}

// PlaceCounter counts the documents of folders and tags. Library implements it.
type PlaceCounter interface {
	// Places lists folders and tags, those with the most documents first.
	Places(ctx context.Context, filter PlaceFilter) (folders, tags []PlaceCount, err error)
}

// MostPlaces limits the folders and tags that PlaceCounter counts, each.
const MostPlaces = 10_000

// Tagger changes the tags of documents. It is safe for concurrent use.
type Tagger interface {
	// TagDocuments adds tags to documents and removes others. It changes only OwnTags, and returns the number of documents. It
	// ignores unknown ids.
	TagDocuments(ctx context.Context, ids []int64, add, remove []string) (int, error)
}
