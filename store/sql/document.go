package sql

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"docent/rag/corpus"
	"docent/store"
)

// documents reads the documents of the library.
type documents struct{ db Database }

// DocumentColumns are the columns of document d and collection k that DocumentScan reads.
const DocumentColumns = `d.id, k.name, d.source, d.title, d.media_type, d.language, d.size, d.sha256, d.etag, d.mtime,
	` + DocumentStatus + `, d.error, d.sentence, d.pipeline, d.version, d.chunks,
	d.date, d.date_from, d.edition, d.folder, d.tags, d.own_tags, coalesce(d.file_title, ''), d.created_at, d.updated_at`

// DocumentStatus is the status of document d.
const DocumentStatus = `CASE WHEN d.skipped THEN 'skipped' ELSE d.status END`

// DocumentScan reads documents from rows.
type DocumentScan struct {
	doc            corpus.Document
	modified, date int64
	tags, own      string
}

// Dest returns the targets for DocumentColumns.
func (s *DocumentScan) Dest() []any {
	d := &s.doc
	return []any{
		&d.ID, &d.Collection, &d.Source, &d.Title, &d.MediaType, &d.Language, &d.Size, &d.SHA256, &d.ETag, &s.modified,
		&d.Status, &d.Error.Message, &d.Error.Sentence, &d.Pipeline, &d.Revision, &d.Chunks,
		&s.date, &d.DateFrom, &d.Version, &d.Folder, &s.tags, &s.own, &d.FileTitle, Time(&d.CreatedAt), Time(&d.UpdatedAt),
	}
}

// Document returns the document of the last row.
func (s *DocumentScan) Document() corpus.Document {
	d := s.doc
	d.Modified, d.Date = store.Modified(s.modified), store.Date(s.date)
	d.Tags, d.OwnTags = store.TagList(s.tags), store.TagList(s.own)
	return d
}

// ScanDocument reads a row of DocumentColumns.
func ScanDocument(row Row) (corpus.Document, error) {
	var scan DocumentScan
	err := row.Scan(scan.Dest()...)
	return scan.Document(), err
}

// cited is the number of answers that cite document d.
const cited = `coalesce((SELECT answers FROM citation WHERE document_id = d.id), 0)`

// scanWithCitations reads a row of DocumentColumns and cited.
func scanWithCitations(row Row) (corpus.Document, error) {
	var scan DocumentScan
	err := row.Scan(append(scan.Dest(), &scan.doc.Cited)...)
	return scan.Document(), err
}

// documentKeys are the sort keys of lists of documents.
var documentKeys = map[corpus.DocumentOrder]string{
	corpus.ByID:      `d.id`,
	corpus.ByTitle:   fmt.Sprintf(`substr(d.folded, length(d.source) + 2, %d) COLLATE "C"`, store.TitleLetters),
	corpus.BySize:    `d.size`,
	corpus.ByUpdated: `d.updated_at`,
	corpus.ByDate:    `d.date`,
	corpus.ByCited:   cited,
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
	case corpus.ByCited:
		return d.Cited
	default:
		return d.ID
	}
}

// parameters are the arguments of a statement that consists of parts.
type parameters []any

// add adds an argument. It returns the name of its parameter.
func (p *parameters) add(value any) string {
	*p = append(*p, value)
	return "$" + strconv.Itoa(len(*p))
}

// place is the condition of a place.
func (p *parameters) place(place corpus.Place) string {
	var any []string
	for _, folder := range place.Folders {
		name := p.add(store.Text(strings.Trim(folder, "/")))
		// The first two conditions are a range of the index. 0 follows / in ASCII.
		const folder = `d.folder COLLATE "C"`
		any = append(any, folder+` >= `+name+` AND `+folder+` < `+name+` || '0' AND (`+folder+` = `+name+` OR `+folder+` >= `+name+` || '/')`)
	}
	for _, tag := range corpus.CleanTags(place.Tags) {
		name := p.add(store.TagText([]string{tag}))
		any = append(any, `strpos(d.tags, `+name+`) > 0 OR strpos(d.own_tags, `+name+`) > 0`)
	}
	if len(any) == 0 {
		return `false`
	}
	return `(` + strings.Join(any, ` OR `) + `)`
}

// filter is the condition of a filter for document d and collection k, without that of Past.
func (p *parameters) filter(filter corpus.DocumentFilter) string {
	where := `true`
	if filter.After != 0 {
		where += ` AND d.id > ` + p.add(filter.After)
	}
	if filter.ID != 0 {
		where += ` AND d.id = ` + p.add(filter.ID)
	}
	if filter.Collection != "" {
		where += ` AND k.name = ` + p.add(store.Text(filter.Collection))
	}
	if filter.Collections != nil {
		where += ` AND k.name IN (SELECT unnest(` + p.add(filter.Collections) + `::text[]))`
	}
	switch {
	case filter.Status == corpus.Skipped:
		where += ` AND d.skipped`
	case filter.Status != "":
		where += ` AND NOT d.skipped AND d.status = ` + p.add(string(filter.Status))
	case filter.ID == 0:
		where += ` AND NOT d.skipped`
	}
	if match := store.Fold(filter.Match); match != "" {
		where += ` AND strpos(d.folded, ` + p.add(match) + `) > 0`
	}
	if !filter.Place.IsZero() {
		where += ` AND ` + p.place(filter.Place)
	}
	if len(filter.Tagged) > 0 {
		where += ` AND ` + p.place(corpus.Place{Tags: filter.Tagged})
	}
	return where + p.properties(filter)
}

// origins are the conditions for the source of document d.
var origins = map[corpus.Origin]string{
	corpus.FromUpload: `d.source LIKE 'upload:%'`,
	corpus.FromWeb:    `(d.source LIKE 'http://%' OR d.source LIKE 'https://%')`,
	corpus.FromFile:   `d.source LIKE '/%'`,
	corpus.FromAnswer: `d.source LIKE 'answer:%'`,
}

// mediaType is the media type of document d without parameters.
const mediaType = `CASE strpos(d.media_type, ';') WHEN 0 THEN d.media_type ELSE substr(d.media_type, 1, strpos(d.media_type, ';') - 1) END`

// properties are the conditions for properties of document d, each with AND.
func (p *parameters) properties(filter corpus.DocumentFilter) string {
	where := ``
	if len(filter.Types) > 0 {
		where += ` AND ` + mediaType + ` IN (SELECT unnest(` + p.add(store.Texts(filter.Types)) + `::text[]))`
	}
	if len(filter.Languages) > 0 {
		languages := slices.Clone(filter.Languages)
		for i, l := range languages {
			if l == corpus.UnknownLanguage {
				languages[i] = ""
			}
		}
		where += ` AND d.language IN (SELECT unnest(` + p.add(store.Texts(languages)) + `::text[]))`
	}
	if origin, ok := origins[filter.Origin]; ok {
		where += ` AND ` + origin
	}
	if !filter.ChangedSince.IsZero() {
		where += ` AND d.updated_at >= ` + p.add(filter.ChangedSince)
	}
	if filter.SHA256 != "" {
		where += ` AND d.sha256 = ` + p.add(store.Text(filter.SHA256))
	}
	if filter.Cited {
		where += ` AND d.id IN (SELECT document_id FROM citation)`
	}
	if filter.NeverCited {
		where += ` AND NOT EXISTS (SELECT 1 FROM citation WHERE document_id = d.id)`
	}
	return where
}

// DocumentIDs lists the ids of documents; see corpus.Lister. The ids are one text, because that costs less than a row for each.
// The plus keeps SQLite from reading all documents in the order of their ids instead of the index of folders.
func (s documents) DocumentIDs(ctx context.Context, filter corpus.DocumentFilter) ([]int64, error) {
	var p parameters
	var text string
	err := row(ctx, s.db, `SELECT COALESCE(string_agg(CAST(id AS text), ','), '') FROM (
		SELECT d.id FROM document d JOIN collection k ON k.id = d.collection_id WHERE `+p.filter(filter)+`
		ORDER BY +d.id LIMIT `+p.add(min(max(filter.Limit, 0), corpus.MaxWithin+1))+`) AS found`, p...).Scan(&text)
	if err != nil || text == "" {
		return nil, s.db.Fail("list the ids of documents", err)
	}
	ids := make([]int64, 0, strings.Count(text, ",")+1)
	for id := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return nil, s.db.Fail("list the ids of documents", err)
		}
		ids = append(ids, n)
	}
	return ids, nil
}

// Documents lists documents; see corpus.Library.
func (s documents) Documents(ctx context.Context, filter corpus.DocumentFilter) ([]corpus.Document, error) {
	var p parameters
	where := p.filter(filter)
	key, direction, beyond := documentKeys[filter.Order], "", ">"
	if filter.Descending {
		direction, beyond = " DESC", "<"
	}
	if filter.Past != nil {
		where += ` AND (` + key + `, d.id) ` + beyond + ` (` + p.add(documentKey(filter.Order, filter.Past)) + `, ` + p.add(filter.Past.ID) + `)`
	}
	out, err := list(ctx, s.db, scanWithCitations,
		`SELECT `+DocumentColumns+`, `+cited+` FROM document d JOIN collection k ON k.id = d.collection_id WHERE `+where+
			` ORDER BY `+key+direction+`, d.id`+direction+` LIMIT `+p.add(store.Page(filter.Limit)), p...)
	return out, s.db.Fail("list documents", err)
}

// Document returns a document with its text; see corpus.Library.
func (s documents) Document(ctx context.Context, id int64) (corpus.Document, error) {
	var scan DocumentScan
	err := row(ctx, s.db, `SELECT `+DocumentColumns+`, `+cited+`, d.text
		FROM document d JOIN collection k ON k.id = d.collection_id WHERE d.id = $1`, id).Scan(append(scan.Dest(), &scan.doc.Cited, &scan.doc.Text)...)
	if err != nil {
		return corpus.Document{}, s.db.Fail(fmt.Sprintf("read document %d", id), missing(err, store.NoDocument(id)))
	}
	return scan.Document(), nil
}

// Original returns the bytes of a document's original file; see corpus.Library.
// It reads them into memory.
func (s documents) Original(ctx context.Context, id int64) (io.ReadCloser, error) {
	var kept bool
	var data []byte
	err := row(ctx, s.db, `SELECT d.blob_sha256 IS NOT NULL, b.bytes FROM document d LEFT JOIN blob b ON b.sha256 = d.blob_sha256
		WHERE d.id = $1`, id).Scan(&kept, &data)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		err = store.NoDocument(id)
	case err == nil && !kept:
		err = store.NoOriginal(id)
	}
	if err != nil {
		return nil, s.db.Fail(fmt.Sprintf("read original of document %d", id), err)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}
