package sql

import (
	"context"
	"strings"

	"docent/rag/describe"
	"docent/store"
)

var _ describe.Store = Store{}

// descriptions stores descriptions of documents.
type descriptions struct{ db Database }

// PutDescription stores a description; see describe.Store.
func (s descriptions) PutDescription(ctx context.Context, document int64, d describe.Description) error {
	_, err := s.db.Exec(ctx, `INSERT INTO document_description (document_id, key, model, summary, questions)
		SELECT id, $2, $3, $4, $5 FROM document WHERE id = $1
		ON CONFLICT (document_id) DO UPDATE SET key = excluded.key, model = excluded.model, summary = excluded.summary,
			questions = excluded.questions`,
		document, d.Key, store.Text(d.Model), store.Text(strings.Join(d.Summary, "\n")), store.Text(strings.Join(d.Questions, "\n")))
	return s.db.Fail("store the description of a document", err)
}

// Description returns a description; see describe.Store.
func (s descriptions) Description(ctx context.Context, document int64) (describe.Description, error) {
	out, err := list(ctx, s.db, func(r Row) (d describe.Description, err error) {
		var summary, questions string
		err = r.Scan(&d.Key, &d.Model, &summary, &questions)
		d.Summary, d.Questions = lines(summary), lines(questions)
		return d, err
	}, `SELECT key, model, summary, questions FROM document_description WHERE document_id = $1`, document)
	if err != nil || len(out) == 0 {
		return describe.Description{}, s.db.Fail("read the description of a document", err)
	}
	return out[0], nil
}

// lines returns the lines of a stored text; nil for "".
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
