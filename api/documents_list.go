package api

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"time"

	"docent/api/route"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// sortNewest sorts by the time when a document was first stored. Package corpus
// defines the other orders.
const sortNewest = "newest"

type listInput struct {
	Collection string        `query:"collection" maxLength:"200" doc:"Lists only this collection."`
	Status     corpus.Status `query:"status" enum:"ready,failed,skipped" doc:"Lists only documents with this status. The default is ready and failed. Skipped sources have no text, such as pictures."`
	Match      string        `query:"match" maxLength:"500" doc:"Lists only documents with this text in the source or title."`
	Folder     []string      `query:"folder,explode" maxItems:"50" doc:"Lists only documents in this folder and below it. Can be repeated."`
	Tag        []string      `query:"tag,explode" maxItems:"50" doc:"Lists only documents with this tag. Can be repeated for documents with one of several tags."`
	Type       []string      `query:"type,explode" maxItems:"50" doc:"Lists only documents with this media type, with any parameters. Can be repeated." example:"text/html"`
	Language   []string      `query:"language,explode" maxItems:"50" doc:"Lists only documents in this language, as an ISO 639-1 code; und lists documents whose language is unknown. Can be repeated." example:"de"`
	Origin     corpus.Origin `query:"origin" enum:"upload,web,file,answer" doc:"Lists only uploads, documents from addresses, files of the server, or approved answers."`
	Since      string        `query:"since" maxLength:"40" doc:"Lists only documents that docent stored on this day or later, in UTC, or since this time (RFC 3339)." example:"2026-05-12"`
	Cited      string        `query:"cited" enum:"never,some" doc:"Lists only documents that no answer cites, or only those that some answer cites."`
	SHA256     string        `query:"sha256" pattern:"^[0-9a-f]{64}$" doc:"Lists only documents whose original has this hash, in hex. This finds copies of a file."`
	Sort       string        `query:"sort" enum:"newest,title,size,updated,date,cited" doc:"The order: newest by the time of the first storing, updated by the time of the last storing, date by the date of the document, cited by the number of answers that cite it, title by its first 200 letters in lower case, by code points. The default is the order of the first storing."`
	Order      string        `query:"order" enum:"asc,desc" doc:"The direction of sort. The default is ascending for titles and descending for other orders."`
	After      int64         `query:"after" minimum:"0" doc:"The cursor without sort: the value next of the previous page."`
	Cursor     string        `query:"cursor" maxLength:"2000" doc:"The cursor with sort: the value next_cursor of the previous page."`
	Limit      int           `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

type listOutput struct {
	Body struct {
		Documents  []Document `json:"documents"`
		Next       int64      `json:"next,omitempty" doc:"The cursor of the next page. Absent on the last page and with sort."`
		NextCursor string     `json:"next_cursor,omitempty" doc:"The cursor of the next page with sort. Absent on the last page."`
	} `nameHint:"DocumentPage"`
}

// place is the end of a page of a sorted list. For clients, it is an opaque cursor.
type place struct {
	Sort       string    `json:"s"`
	Descending bool      `json:"d,omitempty"`
	ID         int64     `json:"i"`
	Title      string    `json:"t,omitempty"`
	Size       int64     `json:"n,omitempty"`
	Updated    time.Time `json:"u,omitzero"`
	Date       time.Time `json:"w,omitzero"`
	Cited      int64     `json:"c,omitempty"`
}

// placeOf returns the place of a document in the list of a filter.
func placeOf(sort string, f corpus.DocumentFilter, d corpus.Document) string {
	p := place{Sort: sort, Descending: f.Descending, ID: d.ID}
	switch f.Order {
	case corpus.ByTitle:
		letters := []rune(d.Title)
		p.Title = string(letters[:min(len(letters), titleLetters)])
	case corpus.BySize:
		p.Size = d.Size
	case corpus.ByUpdated:
		p.Updated = d.UpdatedAt.UTC()
	case corpus.ByDate:
		p.Date = d.Date
	case corpus.ByCited:
		p.Cited = d.Cited
	case corpus.ByID:
	}
	text, _ := json.Marshal(p) //nolint:errchkjson // nothing in it can fail
	return base64.RawURLEncoding.EncodeToString(text)
}

// titleLetters is the number of letters by which the stores sort titles.
const titleLetters = 200

// sorted adds the order and the place in a request to a filter.
func (in *listInput) sorted(f *corpus.DocumentFilter) error {
	switch {
	case in.Sort == "" && (in.Order != "" || in.Cursor != ""):
		return fault.New(fault.Invalid, "cursor_without_sort", "the parameters order and cursor need the parameter sort")
	case in.Sort == "":
		return nil
	case in.After != 0:
		return fault.New(fault.Invalid, "cursor_with_sort", "with sort, cursor must be the next_cursor of the previous page")
	case in.Sort != sortNewest:
		f.Order = corpus.DocumentOrder(in.Sort)
	}
	f.Descending = in.Order == "desc" || in.Order == "" && f.Order != corpus.ByTitle
	if in.Cursor == "" {
		return nil
	}
	var p place
	text, err := base64.RawURLEncoding.DecodeString(in.Cursor)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil || p.Sort != in.Sort || p.Descending != f.Descending {
		return wrongCursor()
	}
	f.Past = &corpus.Document{ID: p.ID, Title: p.Title, Size: p.Size, UpdatedAt: p.Updated, Date: p.Date, Cited: p.Cited}
	return nil
}

// wrongCursor is the error for a cursor of another list.
func wrongCursor() error {
	return fault.New(fault.Invalid, "cursor_invalid", "the cursor does not belong to this list in this order")
}

// filter returns the selection of a request, without its order.
func (in *listInput) filter() (corpus.DocumentFilter, error) {
	since, err := in.since()
	return corpus.DocumentFilter{
			Place: corpus.Place{Folders: in.Folder}, Tagged: in.Tag, Types: in.Type, Languages: in.Language, Origin: in.Origin,
			ChangedSince: since, NeverCited: in.Cited == "never", Cited: in.Cited == "some", SHA256: in.SHA256,
			Collection: in.Collection, Status: in.Status, Match: in.Match, After: in.After,
			Limit: min(in.Limit+1, maxPage), // one more tells whether there is a next page
		}, cmp.Or(err, route.CheckText("collection", in.Collection, "match", in.Match), route.CheckTexts("folder", in.Folder),
			route.CheckTexts("tag", in.Tag), route.CheckTexts("type", in.Type), route.CheckTexts("language", in.Language))
}

// since returns the time in the parameter since.
func (in *listInput) since() (time.Time, error) {
	if in.Since == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, in.Since); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fault.New(fault.Invalid, "since_invalid",
		"the parameter since must be a day such as 2026-05-12, or a time in RFC 3339")
}

func (d documents) list(ctx context.Context, in *listInput) (*listOutput, error) {
	filter, err := in.filter()
	if err != nil {
		return nil, err
	}
	if err := in.sorted(&filter); err != nil {
		return nil, err
	}
	docs, err := d.library.Documents(ctx, filter)
	if err != nil {
		return nil, err
	}
	out := &listOutput{}
	out.Body.Documents = []Document{}
	if n := len(docs); n > in.Limit || n == maxPage { // after a full page of maxPage the next may be empty
		docs = docs[:in.Limit]
		if last := docs[in.Limit-1]; in.Sort == "" {
			out.Body.Next = last.ID
		} else {
			out.Body.NextCursor = placeOf(in.Sort, filter, last)
		}
	}
	for _, doc := range docs {
		out.Body.Documents = append(out.Body.Documents, document(doc))
	}
	return out, nil
}
