package api

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/auth"
	"docent/rag/corpus"
)

// Collections changes collections that the reader of ctx manages. enforce.Collections implements it.
type Collections interface {
	// Create adds a collection without documents.
	Create(ctx context.Context, name string, about corpus.About) error
	// Change changes the description of a collection.
	Change(ctx context.Context, name string, edit func(*corpus.About)) error
	// Empty removes all documents of a collection and returns their number.
	Empty(ctx context.Context, name string) (int, error)
	// Remove removes a collection with its documents and returns their number.
	Remove(ctx context.Context, name string) (int, error)
}

// CollectionInfo describes a collection.
type CollectionInfo struct {
	// Name identifies it.
	Name string `json:"name" doc:"Identifies the collection, and never changes."`
	// Title is the name that people see.
	Title string `json:"title" doc:"The name that people see; the name of the collection if it has no title."`
	// Description says what it holds.
	Description string `json:"description,omitempty" doc:"What the collection holds."`
	// Color is one of corpus.Colors, or "".
	Color string `json:"color,omitempty" doc:"blue, green, orange, purple, red, teal, or yellow; absent without a color."`
	// Owner is a person or a team to ask.
	Owner string `json:"owner,omitempty" doc:"A person or a team to ask about the documents. It gives no rights."`
	// Questions are suggested to people.
	Questions []string `json:"questions,omitempty" doc:"Questions that the managers suggest."`
	// Documents is the number of documents that searches can find.
	Documents int `json:"documents" doc:"The number of documents that searches can find."`
	// Failed is the number of documents that could not be read.
	Failed int `json:"failed" doc:"The number of documents that docent could not read."`
	// Chunks is the number of passages.
	Chunks int `json:"chunks" doc:"The number of passages."`
	// ChangedAt is the time of the last change of a document.
	ChangedAt *time.Time `json:"changed_at,omitempty" doc:"The time when docent last stored one of the documents. Absent without documents."`
}

func collectionInfo(c corpus.CollectionInfo) CollectionInfo {
	info := CollectionInfo{
		Name: c.Name, Title: cmp.Or(c.About.Title, c.Name), Description: c.About.Description, Color: c.About.Color,
		Owner: c.About.Owner, Questions: c.About.Questions, Documents: c.Documents, Failed: c.Failed, Chunks: c.Chunks,
	}
	if !c.ChangedAt.IsZero() {
		changed := c.ChangedAt.UTC()
		info.ChangedAt = &changed
	}
	return info
}

// CollectionChanges are the fields of a record that change. Absent fields keep their values.
type CollectionChanges struct {
	// Title is the name that people see.
	Title *string `json:"title,omitempty" maxLength:"200" doc:"The name that people see. An empty title means the name."`
	// Description says what the collection holds.
	Description *string `json:"description,omitempty" maxLength:"2000" doc:"What the collection holds."`
	// Color is one of corpus.Colors, or "".
	Color *string `json:"color,omitempty" doc:"blue, green, orange, purple, red, teal, yellow, or empty."`
	// Owner is a person or a team to ask.
	Owner *string `json:"owner,omitempty" maxLength:"200" doc:"A person or a team to ask about the documents. It gives no rights."`
	// Questions are suggested to people.
	Questions *[]string `json:"questions,omitempty" maxItems:"6" nullable:"false" doc:"Questions to suggest, in order. They replace the earlier ones."`
}

func (c CollectionChanges) apply(about *corpus.About) {
	about.Title, about.Description = *cmp.Or(c.Title, &about.Title), *cmp.Or(c.Description, &about.Description)
	about.Color, about.Owner = *cmp.Or(c.Color, &about.Color), *cmp.Or(c.Owner, &about.Owner)
	about.Questions = *cmp.Or(c.Questions, &about.Questions)
}

type newCollectionInput struct {
	route.JSONBody
	Body struct {
		CollectionChanges

		Name string `json:"name" minLength:"1" maxLength:"100" doc:"Identifies the collection, and never changes."`
	} `nameHint:"NewCollection"`
}

type changeCollectionInput struct {
	route.JSONBody
	Collection string `path:"collection" maxLength:"200"`
	Body       CollectionChanges
}

type removedOutput struct {
	Body struct {
		Removed int `json:"removed" doc:"The number of removed documents."`
	} `nameHint:"RemovedDocuments"`
}

// collections handles the routes that change collections.
type collections struct {
	manage Collections
	log    *slog.Logger
}

func (c collections) addRoutes(r *route.Router) {
	tags := []string{"collections"}
	const one = "/api/collections/{collection}"
	errors := []int{http.StatusNotFound, http.StatusConflict}
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: "/api/collections", OperationID: "create-collection", Tags: tags, Errors: errors,
		Summary: "Create a collection without documents", DefaultStatus: http.StatusNoContent, MaxBodyBytes: recordBytes,
		Description: "With authentication, only administrators can create a collection.",
	}, c.create)
	route.Add(r, huma.Operation{
		Method: http.MethodPatch, Path: one, OperationID: "change-collection", Tags: tags, Errors: errors[:1],
		Summary: "Change the title and the description of a collection", DefaultStatus: http.StatusNoContent, MaxBodyBytes: recordBytes,
		Description: "This needs the right manage.",
	}, c.change)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: one + "/empty", OperationID: "empty-collection", Tags: tags, Errors: errors[:1],
		Summary:     "Remove all documents of a collection",
		Description: "This needs the right manage. The removal goes on if the client disconnects.",
	}, c.empty)
	route.Add(r, huma.Operation{
		Method: http.MethodDelete, Path: one, OperationID: "delete-collection", Tags: tags, Errors: errors,
		Summary:       "Remove a collection with its documents and the rights on it",
		DefaultStatus: http.StatusOK,
		Description:   "This needs the right manage. It is refused while a source stores its documents in the collection.",
	}, c.remove)
}

// recordBytes bounds the description of a collection in a request.
const recordBytes = 64 << 10

func (c collections) create(ctx context.Context, in *newCollectionInput) (*struct{}, error) {
	var about corpus.About
	in.Body.apply(&about)
	route.Concerns(ctx, in.Body.Name)
	return nil, c.done(ctx, "collection created", c.manage.Create(ctx, in.Body.Name, about))
}

func (c collections) change(ctx context.Context, in *changeCollectionInput) (*struct{}, error) {
	return nil, c.done(ctx, "collection changed", c.manage.Change(ctx, in.Collection, in.Body.apply))
}

func (c collections) empty(ctx context.Context, in *collectionInput) (*removedOutput, error) {
	n, err := c.manage.Empty(ctx, in.Collection)
	return c.removed(ctx, "collection emptied", n, err)
}

func (c collections) remove(ctx context.Context, in *collectionInput) (*removedOutput, error) {
	n, err := c.manage.Remove(ctx, in.Collection)
	return c.removed(ctx, "collection removed", n, err)
}

func (c collections) removed(ctx context.Context, done string, n int, err error) (*removedOutput, error) {
	if err := c.done(ctx, done, err); err != nil {
		return nil, err
	}
	out := &removedOutput{}
	out.Body.Removed = n
	return out, nil
}

// done logs the principal of a change. The log contains no names.
func (c collections) done(ctx context.Context, what string, err error) error {
	if err == nil {
		p, _ := auth.FromContext(ctx)
		c.log.LogAttrs(ctx, slog.LevelInfo, what, slog.String("principal", p.ID), slog.String("request", route.RequestID(ctx)))
	}
	return err
}
