package sql

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"docent/ingest/intake"
	"docent/rag/corpus"
	"docent/store"
)

// Earlier is the content of a document that a Put replaces.
type Earlier struct {
	// ID is the id of the document.
	ID int64
	// Collection and Source are those of the document.
	Collection, Source string
	// Text is the extracted text.
	Text string
}

// EarlierText is the text of document d if it is compared with its next version: if it is ready, and has another hash than
// the given one. A Put without text has the hash "".
func EarlierText(hash string) string {
	return `CASE WHEN d.status = 'ready' AND d.sha256 <> ` + hash + ` AND ` + hash + ` <> '' THEN d.text ELSE '' END`
}

// VersionHash returns the hash for EarlierText.
func VersionHash(p intake.Put) string {
	if p.Document.Status != corpus.Ready {
		return ""
	}
	return store.Text(p.Document.SHA256)
}

// AddVersion stores the change of a document that a Put replaces, if its text changes. The caller does both in one
// transaction. It removes versions beyond corpus.MaxVersions.
func AddVersion(ctx context.Context, tx Tx, before Earlier, p intake.Put, now time.Time) error {
	if before.Text == "" || before.Text == p.Document.Text {
		return nil
	}
	v := corpus.Compare(before.Text, p.Document.Text)
	if v.Added+v.Removed == 0 {
		return nil
	}
	edits, err := json.Marshal(v.Edits)
	if err != nil {
		return fmt.Errorf("encode a version: %w", err)
	}
	if _, err := tx.Exec(ctx, `INSERT INTO document_change (document_id, at, title, sha256, size, added, removed, edits)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		before.ID, now, store.Text(p.Document.Title), store.Text(p.Document.SHA256), p.Document.Size, v.Added, v.Removed,
		store.Text(string(edits))); err != nil {
		return fmt.Errorf("add a version: %w", err)
	}
	_, err = tx.Exec(ctx, `DELETE FROM document_change WHERE document_id = $1 AND id NOT IN (
		SELECT id FROM document_change WHERE document_id = $1 ORDER BY id DESC LIMIT $2)`, before.ID, corpus.MaxVersions)
	return err
}

// DocumentVersions returns the changes of a document; see corpus.Library.
func (s documents) DocumentVersions(ctx context.Context, id int64) ([]corpus.Version, error) {
	out, err := list(ctx, s.db, func(r Row) (v corpus.Version, err error) {
		var edits string
		if err = r.Scan(Time(&v.At), &v.Title, &v.SHA256, &v.Size, &v.Added, &v.Removed, &edits); err == nil {
			err = json.Unmarshal([]byte(edits), &v.Edits)
		}
		return v, err
	}, `SELECT at, title, sha256, size, added, removed, edits FROM document_change WHERE document_id = $1 ORDER BY id DESC`, id)
	return out, s.db.Fail(fmt.Sprintf("list the versions of document %d", id), err)
}
