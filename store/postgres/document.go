package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"

	"docent/rag/corpus"

	"github.com/jackc/pgx/v5"

	"docent/ingest/intake"
	"docent/store"
)

// documentColumns are the columns of document d and collection k that
// documentScan reads.
const (
	documentColumns = `d.id, k.name, d.source, d.title, d.media_type, d.language, d.size, d.sha256, d.etag, d.mtime,
	` + documentStatus + `, d.error, d.sentence, d.pipeline, d.version, d.chunks, d.date, d.date_from, d.edition, d.created_at, d.updated_at`
	// documentStatus is the status of document d.
	documentStatus = `CASE WHEN d.skipped THEN 'skipped' ELSE d.status END`
)

// documentScan holds a document's columns that need conversion.
type documentScan struct {
	doc         corpus.Document
	status      string
	mtime, date int64
}

func (s *documentScan) dest() []any {
	d := &s.doc
	return []any{
		&d.ID, &d.Collection, &d.Source, &d.Title, &d.MediaType, &d.Language, &d.Size, &d.SHA256, &d.ETag, &s.mtime,
		&s.status, &d.Error.Message, &d.Error.Sentence, &d.Pipeline, &d.Revision, &d.Chunks,
		&s.date, &d.DateFrom, &d.Version, &d.CreatedAt, &d.UpdatedAt,
	}
}

func (s *documentScan) document() corpus.Document {
	d := s.doc
	d.Status, d.Modified, d.Date = corpus.Status(s.status), store.Modified(s.mtime), store.Date(s.date)
	d.CreatedAt, d.UpdatedAt = d.CreatedAt.UTC(), d.UpdatedAt.UTC()
	return d
}

// scanDocument reads documentColumns.
func scanDocument(row pgx.CollectableRow) (corpus.Document, error) {
	var scan documentScan
	err := row.Scan(scan.dest()...)
	return scan.document(), err
}

// documentKeys are the sort keys of lists of documents.
var documentKeys = map[corpus.DocumentOrder]string{
	corpus.ByID:      `d.id`,
	corpus.ByTitle:   fmt.Sprintf(`substr(d.folded, length(d.source) + 2, %d) COLLATE "C"`, store.TitleLetters),
	corpus.BySize:    `d.size`,
	corpus.ByUpdated: `d.updated_at`,
	corpus.ByDate:    `d.date`,
}

// documentKey returns a document's value of its sort key.
func documentKey(order corpus.DocumentOrder, d *corpus.Document) any {
	switch order {
	case corpus.ByTitle:
		return store.TitleKey(d.Title)
	case corpus.BySize:
		return d.Size
	case corpus.ByUpdated:
		return d.UpdatedAt
	case corpus.ByDate:
		return d.Date.Unix()
	default:
		return d.ID
	}
}

// Documents lists documents; see corpus.Library.
func (s *documents) Documents(ctx context.Context, filter corpus.DocumentFilter) ([]corpus.Document, error) {
	after, last := filter.After, int64(math.MaxInt64)
	if filter.ID != 0 { // a range of one id, so that both cases use the same plan
		after, last = max(after, filter.ID-1), filter.ID
	}
	args := []any{after, store.Text(filter.Collection), string(filter.Status), store.Fold(filter.Match), store.Page(filter.Limit), last}
	shown := `(NOT d.skipped AND ($3 = '' OR d.status = $3))`
	if filter.ID != 0 || filter.Status == corpus.Skipped {
		shown = `($3 = '' OR ` + documentStatus + ` = $3)`
	}
	key, direction, beyond, past := documentKeys[filter.Order], "", ">", ""
	if filter.Descending {
		direction, beyond = " DESC", "<"
	}
	if filter.Past != nil {
		past = ` AND (` + key + `, d.id) ` + beyond + ` ($7, $8)`
		args = append(args, documentKey(filter.Order, filter.Past), filter.Past.ID)
	}
	if filter.Collections != nil {
		past += fmt.Sprintf(` AND k.name = ANY($%d)`, len(args)+1)
		args = append(args, filter.Collections)
	}
	out, err := query(ctx, s, scanDocument, `SELECT `+documentColumns+` FROM document d JOIN collection k ON k.id = d.collection_id
		WHERE d.id > $1 AND ($2 = '' OR k.name = $2) AND `+shown+`
			AND ($4 = '' OR position($4 IN d.folded) > 0)
			AND d.id <= $6`+past+`
		ORDER BY `+key+direction+`, d.id`+direction+` LIMIT $5`, args...)
	return out, fail("list documents", err)
}

// Document returns a document with its text; see corpus.Library.
func (s *documents) Document(ctx context.Context, id int64) (corpus.Document, error) {
	var scan documentScan
	err := s.pool.QueryRow(ctx, `SELECT `+documentColumns+`, d.text
		FROM document d JOIN collection k ON k.id = d.collection_id WHERE d.id = $1`, id).Scan(append(scan.dest(), &scan.doc.Text)...)
	if errors.Is(err, pgx.ErrNoRows) {
		err = store.NoDocument(id)
	}
	if err != nil {
		return corpus.Document{}, fail(fmt.Sprintf("read document %d", id), err)
	}
	return scan.document(), nil
}

// Sources returns the state of a collection's sources; see ingest.Store.
func (s *documents) Sources(ctx context.Context, collection, embedder, one string) ([]intake.SourceState, error) {
	out, err := query(ctx, s, func(row pgx.CollectableRow) (intake.SourceState, error) {
		var st intake.SourceState
		err := row.Scan(&st.ID, &st.Source, &st.Title, &st.SHA256, &st.Size, &st.ModifiedUnixNano, &st.ETag,
			&st.Status, &st.Error.Message, &st.Error.Sentence,
			&st.Pipeline, &st.Chunks, &st.Embedded)
		return st, err
	}, `WITH d AS MATERIALIZED (
			SELECT d.id, d.source, d.title, d.sha256, d.size, d.mtime, d.etag, `+documentStatus+` AS status, d.error, d.sentence,
				d.pipeline, d.chunks
			FROM document d JOIN collection k ON k.id = d.collection_id
			WHERE k.name = $1 AND ($3 = '' OR d.source = $3 OR starts_with(d.source, $3 || '#'))
		)
		SELECT d.id, d.source, d.title, d.sha256, d.size, d.mtime, d.etag, d.status, d.error, d.sentence,
			d.pipeline, d.chunks, coalesce(n.embedded, 0)
		FROM d LEFT JOIN (
			SELECT c.document_id, count(*) AS embedded FROM chunk c JOIN embedding e ON e.chunk_id = c.id AND e.embedder = $2
			WHERE c.document_id IN (SELECT id FROM d) GROUP BY c.document_id
		) n ON n.document_id = d.id
		ORDER BY d.source COLLATE "C"`, store.Text(collection), store.Text(embedder), store.Text(one))
	return out, fail("list sources of "+collection, err)
}

// Collections lists the collections with documents, and the default collection;
// see corpus.Library.
func (s *documents) Collections(ctx context.Context) ([]corpus.CollectionInfo, error) {
	out, err := query(ctx, s, pgx.RowToStructByPos[corpus.CollectionInfo], `SELECT k.name, count(d.id) FILTER (WHERE d.status = 'ready'),
			count(d.id) FILTER (WHERE d.status = 'failed' AND NOT d.skipped), coalesce(sum(d.chunks), 0)
		FROM collection k LEFT JOIN document d ON d.collection_id = k.id
		GROUP BY k.id HAVING count(d.id) > 0 OR k.name = $1 ORDER BY k.name COLLATE "C"`, corpus.DefaultCollection)
	return out, fail("list collections", err)
}
