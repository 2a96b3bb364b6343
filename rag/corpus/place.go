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

// Lister lists documents. Library implements it.
type Lister interface {
	// Documents lists documents without Text.
	Documents(ctx context.Context, filter DocumentFilter) ([]Document, error)
}

// Within returns the ids of the documents of a place, and of some documents. If these are none, it fails with fault.NotFound,
// because a search in no documents would search in all.
func Within(ctx context.Context, lister Lister, documents []int64, place Place, collections []string) ([]int64, error) {
	if place.IsZero() {
		return documents, nil
	}
	out := slices.Clone(documents)
	filter := DocumentFilter{Place: place, Status: Ready, Limit: maxListPage}
	if len(collections) > 0 {
		filter.Collections = collections
	}
	for {
		page, err := lister.Documents(ctx, filter)
		if err != nil {
			return nil, fmt.Errorf("list the documents of folders and tags: %w", err)
		}
		for _, d := range page {
			out = append(out, d.ID)
		}
		if len(out) > MaxWithin {
			return nil, fault.New(fault.Invalid, "place_too_large",
				"the folders and tags have more than %d documents; search in their collections or in smaller folders", MaxWithin)
		}
		if len(page) < maxListPage {
			break
		}
		filter.After = page[len(page)-1].ID
	}
	if len(out) == 0 {
		return nil, fault.New(fault.NotFound, "place_empty", "there are no documents in these folders or with these tags")
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// maxListPage is the maximum of DocumentFilter.Limit.
const maxListPage = 1000

// Tagger changes the tags of documents. It is safe for concurrent use.
type Tagger interface {
	// TagDocuments adds tags to documents and removes others. It changes only OwnTags, and returns the number of documents. It
	// ignores unknown ids.
	TagDocuments(ctx context.Context, ids []int64, add, remove []string) (int, error)
}
