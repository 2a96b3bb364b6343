package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
)

// DocumentVersion is a change of the content of a document.
type DocumentVersion struct {
	// At is the time when the content was stored.
	At time.Time `json:"at" doc:"The time when docent stored this content."`
	// Title is the title in the file.
	Title string `json:"title" doc:"The title in the file."`
	// SHA256 and Size are those of the file.
	SHA256 string `json:"sha256" doc:"The hash of the file, in hex."`
	Size   int64  `json:"size" doc:"The size of the file in bytes."`
	// Added and Removed count paragraphs.
	Added   int `json:"added" doc:"The number of paragraphs that the version before does not have. Long paragraphs, such as tables, count by line."`
	Removed int `json:"removed" doc:"The number of paragraphs that only the version before has."`
	// Edits are the first of them.
	Edits []DocumentEdit `json:"edits" nullable:"false" doc:"The first removed and added paragraphs, each at most 20 with 4 KiB."`
}

// DocumentEdit is text that was added or removed.
type DocumentEdit struct {
	// Added is false for removed text.
	Added bool `json:"added" doc:"Whether the text was added. Otherwise, it was removed."`
	// Text is the text.
	Text string `json:"text" doc:"The text with single spaces, perhaps cut."`
}

type versionsOutput struct {
	Body struct {
		Versions []DocumentVersion `json:"versions" nullable:"false" doc:"The latest 10 changes, latest first. The first version of the document is not among them."`
	} `nameHint:"DocumentVersions"`
}

func (d documents) addVersions() {
	route.Add(d.routes, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}/versions", OperationID: "list-document-versions", Tags: []string{"documents"},
		Summary: "List the changes of a document", Errors: []int{http.StatusNotFound},
		Description: "docent records a change when the text of a document changes, because its file changed or was replaced. " +
			"Moved paragraphs and changed spaces do not count.",
	}, d.versions)
}

func (d documents) versions(ctx context.Context, in *idInput) (*versionsOutput, error) {
	if _, err := d.library.Metadata(ctx, in.ID); err != nil {
		return nil, err
	}
	found, err := d.library.DocumentVersions(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	out := &versionsOutput{}
	out.Body.Versions = make([]DocumentVersion, len(found))
	for i, v := range found {
		edits := make([]DocumentEdit, len(v.Edits))
		for j, e := range v.Edits {
			edits[j] = DocumentEdit(e)
		}
		out.Body.Versions[i] = DocumentVersion{
			At: v.At.UTC(), Title: v.Title, SHA256: v.SHA256, Size: v.Size, Added: v.Added, Removed: v.Removed, Edits: edits,
		}
	}
	return out, nil
}
