package extract

import (
	"context"
	"iter"
	"time"
)

// Part is a document inside another one: a file in an archive, an attachment of
// a mail, a message in a mailbox.
type Part struct {
	// Name is the part's path inside the container, with slashes. It is unique
	// in the container and stays the same while the container changes elsewhere.
	Name string
	// Data is the content.
	Data []byte
	// Modified is when the part was changed; zero if the container does not say.
	Modified time.Time
	// Reason says why the part cannot be read; Data is nil then.
	Reason string
}

// MayHaveParts reports whether a source with this name and beginning may hold
// other documents. It looks at no more than a signature, and is cheap.
func MayHaveParts(_ string, _ []byte) bool { return false }

// Parts yields the documents inside a source, one level deep. whole reports
// whether the source is a document of its own as well, as a mail with
// attachments is and an archive is not. A source that holds nothing is whole and
// yields nothing. An error comes once and last.
func (e *Extractor) Parts(_ context.Context, _ Source) (whole bool, parts iter.Seq2[Part, error]) {
	return true, func(func(Part, error) bool) {}
}
