package ingest

import (
	"context"
	"io"
	"path"
	"strings"

	"docent/internal/fault"
	"docent/rag/corpus"
)

// uploadPrefix is the prefix of sources of uploads.
const uploadPrefix = "upload:"

// CheckReplace fails with fault.Conflict if nobody can replace a document by a file with this name. The content of most
// documents comes from elsewhere, and changes there. Files keep their ending, because it says how docent reads them.
func CheckReplace(d corpus.Document, name string) error {
	whole, _, part := strings.Cut(d.Source, "#")
	uploaded := strings.HasPrefix(d.Source, uploadPrefix) || strings.HasPrefix(d.Source, stdinPrefix)
	switch ending := path.Ext(d.Source); {
	case strings.HasPrefix(d.Source, "answer:"):
		return fault.New(fault.Conflict, "replace_answer", "document %d is an approved answer; change the answer", d.ID)
	case part && uploaded:
		return fault.New(fault.Conflict, "replace_part", "document %d is a part of %.200q; add that file again", d.ID, whole)
	case !uploaded:
		return fault.New(fault.Conflict, "replace_elsewhere",
			"document %d comes from %.200q; change it there, and docent reads it again with the next sync or docent ingest",
			d.ID, corpus.ShortSource(d.Source))
	case !strings.EqualFold(ending, path.Ext(name)):
		return fault.New(fault.Conflict, "replace_ending",
			"document %d has the file ending %q, and %.200q has another one; choose such a file, or add a new document", d.ID, ending, name)
	}
	return nil
}

// Replace replaces the content of a stored document by that of a file with this name, as far as CheckReplace allows. The
// document keeps its id, its source, and the tags that people added. If the new content cannot be read, the earlier version
// stays, and the result says why. It fails with fault.NotFound if somebody deleted the document meanwhile.
func (in *Ingester) Replace(ctx context.Context, d corpus.Document, name string, r io.Reader) ([]Result, error) {
	if err := CheckReplace(d, name); err != nil {
		return nil, err
	}
	return in.readInto(ctx, d.Collection, d.Source, r, &d)
}
