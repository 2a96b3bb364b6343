package corpus

import "context"

// Renamer changes the titles of documents. It is safe for concurrent use.
type Renamer interface {
	// RenameDocument changes the title of a document. The title stays when the document is read again. "" restores the title in
	// the file. It fails with fault.NotFound if there is no such document.
	RenameDocument(ctx context.Context, id int64, title string) error
}
