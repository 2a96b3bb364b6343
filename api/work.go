package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/ingest/work"
	"docent/internal/fault"
)

// Asked is the answer to a wish to read documents again.
type Asked struct {
	// Queued counts the documents that wait to be read now.
	Queued int
	// Syncs counts the sources that are synced to read their failed documents.
	Syncs int
	// LeftOut counts the documents that cannot be read again, and Reason is the last reason.
	LeftOut int
	Reason  fault.Text
}

// Readings reads documents again that the reader of ctx may change.
type Readings interface {
	// Again reads documents. work.Retry reads only failed ones.
	Again(ctx context.Context, kind work.Kind, ids []int64) (Asked, error)
	// RetryFailed reads the failed documents of a collection, or of all with "". reason is the
	// id of their reason; "" means any.
	RetryFailed(ctx context.Context, collection, reason string) (Asked, error)
}

// Work lists and cancels work.
type Work interface {
	// ListWork returns the work in collections; see work.Store.
	ListWork(ctx context.Context, collections []string, limit int) (items []work.Item, queued int, err error)
	// CancelWork cancels work in collections; see work.Store.
	CancelWork(ctx context.Context, id int64, collections []string) error
}

// WorkConfig connects the routes for work. All fields are required.
type WorkConfig struct {
	// Readings reads documents again.
	Readings Readings
	// Work lists and cancels work.
	Work Work
	// Failures groups failed documents.
	Failures work.Documents
}

// WorkItem is work on documents.
type WorkItem struct {
	// ID identifies it.
	ID int64 `json:"id"`
	// Kind says what it is.
	Kind work.Kind `json:"kind" enum:"upload,sync,ingest,retry,read_again" doc:"upload: a file that somebody uploads. sync: the sync of a source. ingest: a run of docent ingest. retry: the reading of a document that failed. read_again: the reading of a document that was read before."`
	// State is its state.
	State work.State `json:"state" enum:"queued,running,done,failed,canceled"`
	// Stage is its step.
	Stage work.Stage `json:"stage" enum:"waiting,receiving,reading" doc:"receiving: the file of an upload arrives. reading: docent extracts, embeds, and stores text."`
	// Stopping reports that it was canceled and still runs.
	Stopping bool `json:"stopping,omitempty" doc:"Somebody has canceled it, and it still runs."`
	// Collection gets the documents.
	Collection string `json:"collection"`
	// Document is the id of its only document.
	Document int64 `json:"document_id,omitempty" doc:"The id of its only document. The document may be deleted."`
	// Name names it.
	Name string `json:"name" doc:"The name of a file, a source, or a folder."`
	// By is the principal who asked for it.
	By string `json:"by,omitempty" doc:"The principal who asked for it, such as user:ann; absent for docent itself and without authentication."`
	// Done and Total count documents.
	Done  int64 `json:"done" doc:"The number of finished documents."`
	Total int64 `json:"total" doc:"The number of documents that are known so far."`
	// Size is in bytes.
	Size int64 `json:"size" doc:"The size in bytes; 0 if it is unknown."`
	// Failed counts documents that could not be read.
	Failed int64 `json:"failed,omitempty" doc:"The number of documents that could not be read."`
	// Reason says why it failed.
	Reason *fault.Text `json:"reason,omitempty" doc:"Why it, or its first failed document, failed."`
	// CreatedAt, StartedAt, and EndedAt are its times.
	CreatedAt time.Time  `json:"created_at"`
	StartedAt *time.Time `json:"started_at,omitempty"`
	EndedAt   *time.Time `json:"ended_at,omitempty"`
}

func workItem(w work.Item) WorkItem {
	out := WorkItem{
		ID: w.ID, Kind: w.Kind, State: w.State, Stage: w.Stage, Stopping: w.Stopping, Collection: w.Collection, Document: w.Document,
		Name: w.Name, By: w.By, Done: w.Done, Total: w.Total, Size: w.Size, Failed: w.Failed,
		CreatedAt: w.CreatedAt.UTC(), StartedAt: moment(w.StartedAt), EndedAt: moment(w.EndedAt),
	}
	if !w.Reason.IsZero() {
		out.Reason = &w.Reason
	}
	return out
}

// FailureGroup are documents that failed for one reason.
type FailureGroup struct {
	// Reason is the reason.
	Reason fault.Text `json:"reason" doc:"The reason of the latest document. Its id is that of the group."`
	// Count and Again count the documents.
	Count int64 `json:"count" doc:"The number of documents."`
	Again int64 `json:"again" doc:"The number of documents that docent can read again, because it has kept the file or knows the source."`
	// Latest is the time of the latest failure.
	Latest time.Time `json:"latest"`
	// Document, Title, and Collection are those of the latest document.
	Document   int64  `json:"document_id"`
	Title      string `json:"title"`
	Collection string `json:"collection"`
}

type workOutput struct {
	Body struct {
		Items    []WorkItem     `json:"items" doc:"Running work, then work that waits in its order, then ended work, latest first; at most limit of each."`
		Queued   int            `json:"queued" doc:"The number of all items that wait."`
		Failures []FailureGroup `json:"failures" doc:"Failed documents by their reasons, largest group first."`
	} `nameHint:"WorkList"`
}

type workInput struct {
	Limit int `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"The greatest number of items in each state."`
}

type workIDInput struct {
	ID int64 `path:"work_id" minimum:"1"`
}

type retryInput struct {
	route.JSONBody
	Body struct {
		IDs        []int64 `json:"ids,omitempty" maxItems:"10000" nullable:"true" doc:"The ids of the documents. Unknown ids, and documents that did not fail, are ignored. Without ids, all failed documents are read again."`
		Collection string  `json:"collection,omitempty" maxLength:"200" doc:"Without ids, only the failed documents of this collection."`
		Reason     string  `json:"reason,omitempty" maxLength:"200" doc:"Without ids, only documents that failed for the reason with this id." example:"pdf_encrypted"`
	} `nameHint:"RetryDocuments"`
}

type readAgainInput struct {
	route.JSONBody
	Body struct {
		IDs []int64 `json:"ids" minItems:"1" maxItems:"10000" nullable:"false" doc:"The ids of the documents. Unknown ids are ignored."`
	} `nameHint:"ReadDocumentsAgain"`
}

type askedOutput struct {
	Body struct {
		Queued  int         `json:"queued" doc:"The number of documents that wait to be read. Documents that waited before do not count."`
		Syncs   int         `json:"syncs" doc:"The number of sources that are synced, to read their failed documents again."`
		LeftOut int         `json:"left_out" doc:"The number of documents that docent cannot read again."`
		Reason  *fault.Text `json:"reason,omitempty" doc:"Why docent cannot read the last of them again."`
	} `nameHint:"AskedReadings"`
}

// maxGroups bounds the groups of failures in a response.
const maxGroups = 50

// workRoutes handles the routes for work on documents.
type workRoutes struct {
	cfg     *WorkConfig // nil without work
	managed func(ctx context.Context) ([]string, error)
}

// errNoWork is the error of a server without work.
var errNoWork = fault.New(fault.NotFound, "work_off", "this server does not read documents again")

func (w workRoutes) addRoutes(r *route.Router) {
	tags := []string{"documents"}
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: "/api/documents/retry", OperationID: "retry-documents", Tags: tags,
		Summary: "Read failed documents again", DefaultStatus: http.StatusAccepted,
		Description: "This needs the right write. docent reads an upload from the file that it has kept, and documents of a source from " +
			"the source, in the background. GET /api/work shows the progress.",
		Errors: []int{http.StatusNotFound, http.StatusTooManyRequests, http.StatusServiceUnavailable},
	}, w.retry)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: "/api/documents/read-again", OperationID: "read-documents-again", Tags: tags,
		Summary: "Read documents again from their originals", DefaultStatus: http.StatusAccepted,
		Description: "This needs the right write. docent reads the originals in the background with its present readers, and with OCR if it is " +
			"installed. Ids, tags, and citations stay. If a document cannot be read any more, its earlier version stays.",
		Errors: []int{http.StatusTooManyRequests, http.StatusServiceUnavailable},
	}, w.readAgain)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/work", OperationID: "list-work", Tags: tags,
		Summary: "List the work on documents, and failed documents by their reasons",
		Description: "Needs the scope admin, or the right manage in a collection. Managers see only their collections. " +
			"Ended work stays for 30 days, at most 5,000 items.",
		Errors: []int{http.StatusNotFound},
	}, w.list)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: "/api/work/{work_id}/cancel", OperationID: "cancel-work", Tags: tags, Summary: "Cancel work",
		Description: "Needs the scope admin, or the right manage in the collection. Documents that were stored before stay.",
		Errors:      []int{http.StatusNotFound}, DefaultStatus: http.StatusNoContent,
	}, w.cancel)
}

func asked(a Asked, err error) (*askedOutput, error) {
	if err != nil {
		return nil, err
	}
	out := &askedOutput{}
	out.Body.Queued, out.Body.Syncs, out.Body.LeftOut = a.Queued, a.Syncs, a.LeftOut
	if !a.Reason.IsZero() {
		out.Body.Reason = &a.Reason
	}
	return out, nil
}

func (w workRoutes) retry(ctx context.Context, in *retryInput) (*askedOutput, error) {
	if err := route.CheckText("collection", in.Body.Collection, "reason", in.Body.Reason); err != nil {
		return nil, err
	}
	if w.cfg == nil {
		return nil, errNoWork
	}
	if len(in.Body.IDs) > 0 {
		route.Concerns(ctx, idsObject(in.Body.IDs))
		return asked(w.cfg.Readings.Again(ctx, work.Retry, in.Body.IDs))
	}
	route.Concerns(ctx, in.Body.Collection)
	return asked(w.cfg.Readings.RetryFailed(ctx, in.Body.Collection, in.Body.Reason))
}

func (w workRoutes) readAgain(ctx context.Context, in *readAgainInput) (*askedOutput, error) {
	if w.cfg == nil {
		return nil, errNoWork
	}
	route.Concerns(ctx, idsObject(in.Body.IDs))
	return asked(w.cfg.Readings.Again(ctx, work.ReadAgain, in.Body.IDs))
}

// scope returns the collections whose work the principal sees; nil means all.
func (w workRoutes) scope(ctx context.Context) ([]string, error) {
	if w.cfg == nil {
		return nil, errNoWork
	}
	return w.managed(ctx)
}

func (w workRoutes) list(ctx context.Context, in *workInput) (*workOutput, error) {
	collections, err := w.scope(ctx)
	if err != nil {
		return nil, err
	}
	items, queued, err := w.cfg.Work.ListWork(ctx, collections, in.Limit)
	if err != nil {
		return nil, err
	}
	groups, err := w.cfg.Failures.FailureGroups(ctx, collections, maxGroups)
	if err != nil {
		return nil, err
	}
	out := &workOutput{}
	out.Body.Items, out.Body.Queued = make([]WorkItem, len(items)), queued
	for i, it := range items {
		out.Body.Items[i] = workItem(it)
	}
	out.Body.Failures = make([]FailureGroup, len(groups))
	for i, g := range groups {
		out.Body.Failures[i] = FailureGroup{
			Reason: g.Reason, Count: g.Count, Again: g.Again, Latest: g.Latest.UTC(), Document: g.Document, Title: g.Title, Collection: g.Collection,
		}
	}
	return out, nil
}

func (w workRoutes) cancel(ctx context.Context, in *workIDInput) (*struct{}, error) {
	collections, err := w.scope(ctx)
	if err != nil {
		return nil, err
	}
	route.Concerns(ctx, "work:"+strconv.FormatInt(in.ID, 10))
	return nil, w.cfg.Work.CancelWork(ctx, in.ID, collections)
}
