package insights

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"docent/api/route"
	"docent/auth"
	"docent/ingest"
	"docent/insight"
	"docent/insight/approve"
	"docent/internal/fault"
	"docent/rag"
	"docent/rag/corpus"
)

// Documents stores documents. It checks the right to write.
type Documents interface {
	// Read stores the document in r.
	Read(ctx context.Context, collection, source string, r io.Reader) ([]ingest.Result, error)
}

// Library reads documents.
type Library interface {
	// Document returns a document with its text. It fails with fault.NotFound if the reader may not read
	// it.
	Document(ctx context.Context, id int64) (corpus.Document, error)
}

// Remover removes documents. It checks the right to write.
type Remover interface {
	// RemoveDocuments removes documents, and returns their number.
	RemoveDocuments(ctx context.Context, ids []int64) (int, error)
}

// ApprovedAnswer is an answer that people wrote for some questions.
type ApprovedAnswer struct {
	// ID is the id of its document.
	ID int64 `json:"id" doc:"The id of its document. Delete the document to delete the answer."`
	// Collection is the collection of its document.
	Collection string `json:"collection"`
	// Questions are the questions that it answers.
	Questions []string `json:"questions"`
	// Text is the answer.
	Text string `json:"text" doc:"The answer in Markdown."`
	// Signed names the person or the team that answers.
	Signed string `json:"signed"`
	// Owner is the person who cares for it.
	Owner string `json:"owner"`
	// Review is the day of the next check.
	Review string `json:"review" doc:"The day of the next check, as YYYY-MM-DD, or empty."`
	// Documents are the documents below it.
	Documents []int64 `json:"documents" doc:"The ids of the documents that the answer relies on."`
	// Changed are those of Documents that changed.
	Changed []int64 `json:"changed" doc:"Those of documents that changed since the answer was saved, or were deleted."`
	// Passages are the passages below it.
	Passages []ApprovedPassage `json:"passages" doc:"The passages that the answer relies on. Its readers see them as sources."`
	// Fallback reports that people get it only without another answer.
	Fallback bool `json:"fallback,omitempty" doc:"docent shows the text only if the documents do not answer the question. Absent if not."`
	// Due reports that somebody should check it.
	Due bool `json:"due" doc:"True after the day of the next check, and if a document or a passage changed."`
	// Timestamp is the time of the last change.
	Timestamp time.Time `json:"timestamp"`
}

// ApprovedFields are the fields that people write.
type ApprovedFields struct {
	// Questions are the questions that it answers.
	Questions []string `json:"questions" nullable:"false" minItems:"1" maxItems:"20" doc:"The question, and other wordings of it. Each is one line."`
	// Text is the answer.
	Text string `json:"text" minLength:"1" maxLength:"20000" doc:"The answer in Markdown."`
	// Signed names the person or the team that answers.
	Signed string `json:"signed,omitempty" maxLength:"100" doc:"The person or the team that answers. The default is your name."`
	// Owner is the person who cares for it.
	Owner string `json:"owner,omitempty" maxLength:"200"`
	// Review is the day of the next check.
	Review string `json:"review,omitempty" maxLength:"10" doc:"The day of the next check, as YYYY-MM-DD."`
	// Documents are the documents that the answer relies on.
	Documents []int64 `json:"documents,omitempty" nullable:"true" maxItems:"20" doc:"The ids of the documents that the answer relies on."`
	// Passages are the passages that the answer relies on.
	Passages []LinkedPassage `json:"passages,omitempty" nullable:"true" maxItems:"10" doc:"The passages that the answer relies on. Passages of documents that you may not read stay until the document is deleted."`
}

// LinkedPassage names a passage of a document.
type LinkedPassage struct {
	// DocumentID is the document.
	DocumentID int64 `json:"document_id" minimum:"1"`
	// Quote has the words of the passage.
	Quote string `json:"quote" minLength:"1" maxLength:"8000" doc:"The words of the passage. A new one must be in the text of the document; only white space may differ."`
}

// ApprovedPassage is a passage below an approved answer.
type ApprovedPassage struct {
	// DocumentID is the document.
	DocumentID int64 `json:"document_id"`
	// Quote is the passage.
	Quote string `json:"quote"`
	// Title is the title of the document.
	Title string `json:"title"`
	// Changed reports that the passage is gone.
	Changed bool `json:"changed" doc:"The document no longer has the passage, or was deleted."`
	// Deleted reports that the document is gone.
	Deleted bool `json:"deleted,omitempty" doc:"The document was deleted. Absent if not."`
	// Hidden reports that the reader may not read the document.
	Hidden bool `json:"hidden,omitempty" doc:"You may not read the document. The title and the quote are empty. Absent if you may."`
}

type approvedPageInput struct {
	Collection string `query:"collection" maxLength:"200"`
	Due        bool   `query:"due" doc:"Lists only answers to check."`
	Cursor     int64  `query:"cursor" minimum:"0" doc:"The value next_cursor of the previous page."`
	Limit      int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

type approvedPageOutput struct {
	Body struct {
		Answers    []ApprovedAnswer `json:"answers"`
		NextCursor int64            `json:"next_cursor,omitempty" doc:"The cursor of the next page. Absent on the last page."`
	} `nameHint:"ApprovedPage"`
}

type approvedAddInput struct {
	route.JSONBody
	Body struct {
		ApprovedFields

		Collection string `json:"collection" minLength:"1" maxLength:"200"`
		Gap        int64  `json:"gap,omitempty" minimum:"1" doc:"The gap that the answer solves. With fallback, the gap stays open."`
		Fallback   bool   `json:"fallback,omitempty" doc:"Shows the text only if the documents do not answer the question. Searches do not find it."`
	} `nameHint:"NewApprovedAnswer"`
}

type approvedChangeInput struct {
	route.JSONBody
	ID   int64 `path:"id" minimum:"1" doc:"The id of its document."`
	Body ApprovedFields
}

type approvedOutput struct{ Body ApprovedAnswer }

func (s server) addAnswers(r *route.Router) {
	s.addImport(r)
	const list = "/api/insight/answers"
	const note = "Needs the scope admin, or the right manage in the collection."
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: list, OperationID: "list-approved-answers", Tags: tags, Errors: missing,
		Summary: "List approved answers, the newest first", Description: note,
	}, s.answers)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: list, OperationID: "add-approved-answer", Tags: tags, Errors: missing,
		Summary: "Write an approved answer", DefaultStatus: http.StatusOK, MaxBodyBytes: 64 << 10,
		Description: "The answer becomes a document of the collection. docent gives it to people who ask one of its questions in the same " +
			"words. " + note,
	}, s.addAnswer)
	route.Add(r, huma.Operation{
		Method: http.MethodPut, Path: list + "/{id}", OperationID: "change-approved-answer", Tags: tags, Errors: missing,
		Summary: "Change an approved answer", MaxBodyBytes: 64 << 10,
		Description: "Saving an answer also confirms that it fits the present documents. " + note,
	}, s.changeAnswer)
}

func presentDay() string { return time.Now().UTC().Format(time.DateOnly) }

func (s server) answers(ctx context.Context, in *approvedPageInput) (*approvedPageOutput, error) {
	if err := route.CheckText("collection", in.Collection); err != nil {
		return nil, err
	}
	collections, err := s.scope(ctx, in.Collection)
	if err != nil {
		return nil, err
	}
	f := insight.ApprovedFilter{Collections: collections, Before: in.Cursor, Limit: in.Limit + 1}
	if in.Due {
		f.Due = presentDay()
		if f.Readable, err = readableCollections(ctx, s.Config); err != nil {
			return nil, err
		}
	}
	found, err := s.Approved.Approved(ctx, f)
	if err != nil {
		return nil, err
	}
	out := &approvedPageOutput{}
	out.Body.Answers = []ApprovedAnswer{}
	if len(found) > in.Limit {
		found = found[:in.Limit]
		out.Body.NextCursor = found[in.Limit-1].Document
	}
	for _, a := range found {
		out.Body.Answers = append(out.Body.Answers, approvedFor(a))
	}
	return out, passageRights{s.Lacking}.hide(ctx, out.Body.Answers)
}

func approvedFor(a insight.Approved) ApprovedAnswer {
	passages := make([]ApprovedPassage, len(a.Passages))
	for i, p := range a.Passages {
		passages[i] = ApprovedPassage{DocumentID: p.Document, Quote: p.Quote, Title: p.Title, Changed: p.Changed, Deleted: p.Deleted}
	}
	return ApprovedAnswer{
		ID: a.Document, Collection: a.Collection, Questions: a.Questions, Text: a.Text, Signed: a.Signed, Owner: a.Owner, Review: a.Review,
		Fallback:  strings.HasPrefix(a.Source, rag.FallbackPrefix),
		Documents: append([]int64{}, a.Documents...), Changed: append([]int64{}, a.Changed...), Passages: passages,
		Due: a.Outdated() || overdue(a.Review), Timestamp: a.At,
	}
}

// overdue reports whether a review day is over.
func overdue(review string) bool { return review != "" && review < presentDay() }

func (s server) addAnswer(ctx context.Context, in *approvedAddInput) (*approvedOutput, error) {
	if err := route.CheckText("collection", in.Body.Collection); err != nil {
		return nil, err
	}
	collections, err := s.scope(ctx, in.Body.Collection)
	if err != nil {
		return nil, err
	}
	if len(collections) == 0 {
		return nil, fault.New(fault.Forbidden, "approved_not_managed",
			"you do not manage this collection; ask an administrator for the right manage")
	}
	if in.Body.Gap != 0 {
		g, _, err := s.findGap(ctx, in.Body.Gap)
		if err == nil {
			err = s.dropFallback(ctx, g)
		}
		if err != nil {
			return nil, err
		}
	}
	prefix, state := rag.ApprovedPrefix, insight.GapSolved
	if in.Body.Fallback {
		prefix, state = rag.FallbackPrefix, insight.GapStaysOpen
	}
	a := insight.Approved{Collection: in.Body.Collection, Source: prefix + uuid.NewString() + ".md"}
	out, err := s.putAnswer(ctx, a, in.Body.ApprovedFields)
	if err != nil || in.Body.Gap == 0 {
		return out, err
	}
	change := insight.GapChange{State: &state, Solution: &out.Body.ID}
	if in.Body.Fallback {
		change.Note = &out.Body.Text
	}
	return out, s.Gaps.ChangeGap(ctx, in.Body.Gap, change)
}

func (s server) changeAnswer(ctx context.Context, in *approvedChangeInput) (*approvedOutput, error) {
	visible, err := s.scope(ctx, "")
	if err != nil {
		return nil, err
	}
	a, err := s.Approved.ApprovedAnswer(ctx, in.ID)
	if err == nil && visible != nil && !slices.Contains(visible, a.Collection) {
		err = insight.NoApproved()
	}
	if err != nil {
		return nil, err
	}
	return s.putAnswer(ctx, a, in.Body)
}

// putAnswer stores an answer.
func (s server) putAnswer(ctx context.Context, a insight.Approved, fields ApprovedFields) (*approvedOutput, error) {
	if err := route.CheckTexts("questions", fields.Questions); err != nil {
		return nil, err
	}
	if err := route.CheckText("text", fields.Text, "signed", fields.Signed, "owner", fields.Owner); err != nil {
		return nil, err
	}
	a.Questions, a.Text, a.Signed, a.Owner, a.Review = fields.Questions, fields.Text, fields.Signed, fields.Owner, fields.Review
	if err := (passageRights{s.Lacking}).set(ctx, &a, fields); err != nil {
		return nil, err
	}
	if strings.TrimSpace(a.Signed) == "" {
		a.Signed = signer(ctx)
	}
	stored, err := s.writer.Put(ctx, a)
	if err != nil {
		return nil, err
	}
	route.Concerns(ctx, strconv.FormatInt(stored.Document, 10))
	out := []ApprovedAnswer{approvedFor(stored)}
	if err := (passageRights{s.Lacking}).hide(ctx, out); err != nil {
		return nil, err
	}
	return &approvedOutput{out[0]}, nil
}

// signer is the name that signs the answers of the principal, or "".
func signer(ctx context.Context) string {
	p, _ := auth.FromContext(ctx)
	return auth.OwnerName(p.ID)
}

// storeAnswer stores the document of an answer; see approve.Config.
func (s server) storeAnswer(ctx context.Context, collection, source, markdown string) (int64, error) {
	results, err := s.Documents.Read(ctx, collection, source, strings.NewReader(markdown))
	if err != nil {
		return 0, err
	}
	if len(results) != 1 || results[0].DocumentID == 0 {
		return 0, approve.Unreadable()
	}
	return results[0].DocumentID, nil
}
