package sql

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"docent/rag/corpus"
	"docent/store"
)

// documents reads the documents of the library.
type documents struct {
	db     Database
	counts *libraryCounts
}

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

// place is the condition of a place. In a walk over another order, the index of folders does not count.
func (p *parameters) place(place corpus.Place, walk bool) string {
	folder := `d.folder COLLATE "C"`
	if walk {
		folder = `(d.folder || '') COLLATE "C"`
	}
	var any []string
	for _, f := range place.Folders {
		name := p.add(store.Text(strings.Trim(f, "/")))
		// The first two conditions are a range of the index. 0 follows / in ASCII.
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

// inCollections is the condition that document d is in one of the collections. IS TRUE keeps SQLite from reading all their
// documents where an index has the order of the list.
func (p *parameters) inCollections(name string, names []string) string {
	where := ``
	if name != "" {
		where += ` AND (d.collection_id = (SELECT id FROM collection WHERE name = ` + p.add(store.Text(name)) + `)) IS TRUE`
	}
	if names != nil {
		where += ` AND (d.collection_id IN (SELECT id FROM collection WHERE name IN (SELECT unnest(` + p.add(store.Texts(names)) + `::text[])))) IS TRUE`
	}
	return where
}

// filter is the condition of a filter for document d, without that of Past.
func (p *parameters) filter(filter corpus.DocumentFilter) string { return p.where(filter, false) }

// where is filter for a walk over an index in the order of the list, or for another query.
func (p *parameters) where(filter corpus.DocumentFilter, walk bool) string {
	where := `true`
	if filter.After != 0 {
		where += ` AND d.id > ` + p.add(filter.After)
	}
	if filter.ID != 0 {
		where += ` AND d.id = ` + p.add(filter.ID)
	}
	in := p.inCollections(filter.Collection, filter.Collections)
	if filter.Status == corpus.Failed { // these have a small index
		in = strings.ReplaceAll(in, ` IS TRUE`, ``)
	}
	where += in
	notSkipped := notSkipped
	if len(filter.Place.Folders) > 0 && !walk {
		notSkipped = ` AND NOT d.skipped` // does not fit the indexes, so that SQLite uses that of folders
	}
	switch {
	case filter.Status == corpus.Skipped:
		where += ` AND d.skipped = TRUE`
	case filter.Status != "":
		where += notSkipped + ` AND d.status = ` + p.add(string(filter.Status))
	case filter.ID == 0:
		where += notSkipped
	}
	if match := store.Fold(filter.Match); match != "" {
		where += ` AND strpos(d.folded, ` + p.add(match) + `) > 0`
	}
	if !filter.Place.IsZero() {
		where += ` AND ` + p.place(filter.Place, walk)
	}
	if len(filter.Tagged) > 0 {
		where += ` AND ` + p.place(corpus.Place{Tags: filter.Tagged}, walk)
	}
	return where + p.properties(filter)
}

// notSkipped is a condition for document d that fits the indexes of both databases.
const notSkipped = ` AND d.skipped = FALSE`

// origins are the conditions for the source of document d, with which folded begins. An index has only folded.
var origins = map[corpus.Origin]string{
	corpus.FromUpload: `d.folded LIKE 'upload:%'`,
	corpus.FromWeb:    `(d.folded LIKE 'http://%' OR d.folded LIKE 'https://%')`,
	corpus.FromFile:   `d.folded LIKE '/%'`,
	corpus.FromAnswer: `d.folded LIKE 'answer:%'`,
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

// DocumentIDs lists the ids of documents; see corpus.Lister. People ask several questions in the same place, so it keeps the ids of
// places until the library changes.
func (s documents) DocumentIDs(ctx context.Context, filter corpus.DocumentFilter) ([]int64, error) {
	place := corpus.DocumentFilter{Status: filter.Status, Collections: filter.Collections, Place: filter.Place, Limit: filter.Limit}
	find := func(ctx context.Context, _ []string) ([]int64, error) { return s.documentIDs(ctx, filter) }
	if !reflect.DeepEqual(filter, place) {
		ids, err := find(ctx, nil)
		return ids, s.db.Fail("list the ids of documents", err)
	}
	key, err := json.Marshal(filter)
	if err != nil {
		return nil, s.db.Fail("list the ids of documents", err)
	}
	ids, err := counted(ctx, s, &s.counts.within, []string{string(key)}, find)
	return slices.Clone(ids), s.db.Fail("list the ids of documents", err)
}

// documentIDs lists the ids of documents by ID.
// The plus keeps SQLite from reading all documents in the order of their ids instead of the index of folders.
func (s documents) documentIDs(ctx context.Context, filter corpus.DocumentFilter) ([]int64, error) {
	return s.someIDs(ctx, filter, ` ORDER BY +d.id LIMIT `+strconv.Itoa(min(max(filter.Limit, 0), corpus.MaxWithin+1)))
}

// someIDs reads the ids of the documents of a filter, with an end of the query. They are one text, because that costs less than a row for
// each.
func (s documents) someIDs(ctx context.Context, filter corpus.DocumentFilter, end string) ([]int64, error) {
	var p parameters
	var text string
	err := row(ctx, s.db, `SELECT COALESCE(string_agg(CAST(id AS text), ','), '') FROM (
		SELECT d.id FROM document d WHERE `+p.filter(filter)+end+`) AS found`, p...).Scan(&text)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, 0, strings.Count(text, ",")+1)
	for id := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil && text != "" {
			return nil, fmt.Errorf("id %q: %w", id, err)
		}
		if n != 0 {
			ids = append(ids, n)
		}
	}
	return ids, nil
}

// fewDocuments is the number of documents of a filter that are sorted. Those of a wider one are found in the order of the list.
const fewDocuments = 5000

// Documents lists documents; see corpus.Library.
func (s documents) Documents(ctx context.Context, filter corpus.DocumentFilter) ([]corpus.Document, error) {
	var p parameters
	direction := ""
	if filter.Descending {
		direction = " DESC"
	}
	var query string
	var err error
	if limit := strconv.Itoa(store.Page(filter.Limit)); filter.Order == corpus.ByCited {
		query = p.foundByCited(filter, direction, limit)
	} else if query, err = s.found(ctx, &p, filter, direction, limit); err != nil {
		return nil, s.db.Fail("list documents", err)
	}
	// The inner query reads only indexes. A row also has the text.
	out, err := list(ctx, s.db, scanWithCitations, `SELECT `+DocumentColumns+`, found.cited FROM (`+query+`) AS found
		JOIN document d ON d.id = found.id JOIN collection k ON k.id = d.collection_id
		ORDER BY found.key`+direction+`, found.id`+direction, p...)
	return out, s.db.Fail("list documents", err)
}

// listed returns the condition of a filter for a list in order. The few documents of a narrow filter are found before: a walk over all
// documents in order would read most of them.
func (s documents) listed(ctx context.Context, p *parameters, filter corpus.DocumentFilter) (string, error) {
	plain := corpus.DocumentFilter{
		Collection: filter.Collection, Collections: filter.Collections, Order: filter.Order, Descending: filter.Descending,
		Past: filter.Past, Limit: filter.Limit,
	}
	if filter.Order == corpus.ByID && len(filter.Place.Folders) == 0 || reflect.DeepEqual(filter, plain) {
		return p.where(filter, true), nil
	}
	ids, err := s.someIDs(ctx, filter, ` LIMIT `+strconv.Itoa(fewDocuments+1))
	if err != nil || len(ids) > fewDocuments {
		return p.where(filter, true), err
	}
	return `d.id IN (SELECT unnest(` + p.add(ids) + `::bigint[]))`, nil
}

// found returns the query for the ids, sort keys, and numbers of citations of a page.
func (s documents) found(ctx context.Context, p *parameters, filter corpus.DocumentFilter, direction, limit string) (string, error) {
	where, err := s.listed(ctx, p, filter)
	key := documentKeys[filter.Order]
	return `SELECT d.id, ` + key + ` AS key, ` + cited + ` AS cited FROM document d WHERE ` + where + p.past(filter, key, `d.id`) +
		` ORDER BY ` + key + direction + `, d.id` + direction + ` LIMIT ` + limit, err
}

// past is the condition of Past.
func (p *parameters) past(filter corpus.DocumentFilter, key, id string) string {
	if filter.Past == nil {
		return ``
	}
	beyond := `>`
	if filter.Descending {
		beyond = `<`
	}
	last := p.add(documentKey(filter.Order, filter.Past))
	// The first condition is a range of the index for SQLite.
	return ` AND ` + key + ` ` + beyond + `= ` + last +
		` AND (` + key + `, ` + id + `) ` + beyond + ` (` + last + `, ` + p.add(filter.Past.ID) + `)`
}

// foundByCited is found for the order of citations: the cited documents, and those that no answer cites, each from an index in order.
func (p *parameters) foundByCited(filter corpus.DocumentFilter, direction, limit string) string {
	var parts []string
	if !filter.NeverCited {
		any := filter
		any.Cited = false
		parts = append(parts, `SELECT c.document_id AS id, c.answers AS key, c.answers AS cited FROM citation c CROSS JOIN document d
			WHERE d.id = c.document_id AND `+p.where(any, true)+p.past(filter, `c.answers`, `c.document_id`)+
			` ORDER BY c.answers`+direction+`, c.document_id`+direction+` LIMIT `+limit)
	}
	if !filter.Cited {
		never := filter
		never.NeverCited = true
		parts = append(parts, `SELECT d.id, 0 AS key, 0 AS cited FROM document d WHERE `+p.where(never, true)+p.past(filter, `0`, `d.id`)+
			` ORDER BY d.id`+direction+` LIMIT `+limit)
	}
	for i, part := range parts {
		parts[i] = `SELECT id, key, cited FROM (` + part + `) AS p` + strconv.Itoa(i)
	}
	return strings.Join(parts, ` UNION ALL `) + ` ORDER BY key` + direction + `, id` + direction + ` LIMIT ` + limit
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
