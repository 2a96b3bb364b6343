package sql

import (
	"context"
	"database/sql"
	"strings"

	"docent/rag/corpus"
	"docent/store"
)

// Rename changes the title of a document, and reports whether it was another one. The caller gives the document a new
// revision in the same transaction. See corpus.Renamer.
func Rename(ctx context.Context, tx Tx, id int64, title string) (bool, error) {
	var d corpus.Document
	var stated sql.NullString
	err := row(ctx, tx, `SELECT source, title, file_title FROM document WHERE id = $1 FOR UPDATE`, id).Scan(&d.Source, &d.Title, &stated)
	if err != nil {
		return false, missing(err, store.NoDocument(id))
	}
	before := d.Title
	if !stated.Valid {
		stated.String = d.Title
	}
	d.Title = strings.TrimSpace(store.Text(title))
	if d.Title == "" {
		d.Title = stated.String
	}
	stated.Valid = d.Title != stated.String
	if d.Title == before {
		return false, nil
	}
	_, err = tx.Exec(ctx, `UPDATE document SET title = $2, file_title = $3, folded = $4 WHERE id = $1`, id, d.Title, stated, store.Folded(d))
	return err == nil, err
}
