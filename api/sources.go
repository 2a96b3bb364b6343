package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/ingest/source"
	"docent/internal/fault"
)

// Sources adds, shows, changes and removes sources that stay in sync.
type Sources interface {
	// List returns all sources, by name.
	List(ctx context.Context) ([]source.Record, error)
	// Get returns one source.
	Get(ctx context.Context, id int64) (source.Record, error)
	// Add checks and stores a source.
	Add(ctx context.Context, n source.New) (source.Record, error)
	// Change changes a source and returns it.
	Change(ctx context.Context, id int64, p source.Patch) (source.Record, error)
	// Remove removes a source and its documents. It can keep the documents.
	Remove(ctx context.Context, id int64, keep bool) error
}

// Syncs starts syncs and lists their failures.
type Syncs interface {
	// Kinds returns all kinds of sources.
	Kinds() []source.Kind
	// Request starts a sync in the background.
	Request(ctx context.Context, id int64, retry bool) error
	// Failures returns the unreadable items of a source, ordered by key. It starts
	// after the given key.
	Failures(ctx context.Context, id int64, after string, limit int) ([]source.ItemRecord, error)
}

// sourceBytes bounds a request that adds or changes a source.
const sourceBytes = 256 << 10

// Source is a source that stays in sync. Responses never contain its secrets.
type Source struct {
	// ID identifies it in this API.
	ID int64 `json:"id"`
	// Name identifies it for people.
	Name string `json:"name"`
	// Kind is its kind.
	Kind string `json:"kind"`
	// Location is a path, an address, or a bucket.
	Location string `json:"location"`
	// Options are its settings except secrets.
	Options map[string]string `json:"options"`
	// Collection is the collection of its documents.
	Collection string `json:"collection"`
	// Schedule is manual, or the time between two syncs.
	Schedule string `json:"schedule" doc:"manual, or the interval between syncs, such as 15m, 1h, or 7d."`
	// Paused reports whether the source syncs only on request.
	Paused bool `json:"paused"`
	// Status is its current state.
	Status string `json:"status" enum:"idle,syncing,failed,paused" doc:"failed: the last sync failed or was incomplete, or docent paused the source because its syncs ended docent."`
	// Items is the number of its items.
	Items int `json:"items"`
	// Failed is the number of items that could not be read.
	Failed int `json:"failed"`
	// CreatedAt is the time of its creation.
	CreatedAt time.Time `json:"created_at"`
	// LastSync sums up the last sync; null before the first.
	LastSync *source.Summary `json:"last_sync"`
	// Progress describes a running sync; null without one.
	Progress *source.Progress `json:"progress"`
	// NextSyncAt is the time of the next sync; null without one.
	NextSyncAt *time.Time `json:"next_sync_at"`
}

// NewSource describes a stored source at the time now. It ignores an expired
// lease, because the process that held it has died.
func NewSource(r source.Record, now time.Time) Source {
	s := Source{
		ID: r.ID, Name: r.Name, Kind: r.Kind, Location: r.Location, Options: r.Options,
		Collection: r.Collection, Schedule: r.Schedule, Paused: r.Paused, Status: "idle",
		Items: r.Items, Failed: r.Failed, CreatedAt: r.CreatedAt.UTC(), LastSync: r.Last,
	}
	if s.Options == nil {
		s.Options = map[string]string{}
	}
	if !r.Paused || r.Requested != source.NoRequest {
		s.NextSyncAt = moment(r.NextAt)
	}
	if r.Requested != source.NoRequest {
		s.NextSyncAt = moment(now)
	}
	switch {
	case r.BusyUntil.After(now):
		s.Status, s.Progress = "syncing", &r.Progress
	case r.Stopped():
		s.Status = "failed"
	case r.Paused:
		s.Status = "paused"
	case r.Last != nil && r.Last.Error != "":
		s.Status = "failed"
	}
	return s
}

// SourceFailure is an item of a source that could not be read.
type SourceFailure struct {
	// Key identifies the item within its source.
	Key string `json:"key"`
	// Address leads people to the original; empty without one.
	Address string `json:"address"`
	// Reason says why it could not be read.
	Reason string `json:"reason"`
	// Sentence is the id of the reason; absent for items that older versions stored.
	Sentence *fault.Sentence `json:"sentence,omitempty"`
	// Tries is the number of failures since its last success.
	Tries int `json:"tries"`
	// At is the time of the last failure.
	At time.Time `json:"at"`
}

// SourceKind describes a kind of source.
type SourceKind struct {
	// Kind is its name.
	Kind string `json:"kind"`
	// Local reports whether only the command line can add sources of this kind.
	Local bool `json:"local"`
	// Options are its settings.
	Options []SourceOption `json:"options"`
}

// SourceOption is a setting of a kind.
type SourceOption struct {
	// Name is the name of the setting in requests.
	Name string `json:"name"`
	// Title describes the setting in a few words.
	Title string `json:"title"`
	// Sentence is the id of the title.
	Sentence *fault.Sentence `json:"sentence,omitempty"`
	// Type is the type of the value.
	Type string `json:"type" enum:"text,number,bool,list,duration"`
	// Secret reports whether the value is encrypted and never shown.
	Secret bool `json:"secret"`
	// Required reports whether the setting must be given.
	Required bool `json:"required"`
	// Choices are the allowed values; none if every value is allowed.
	Choices []string `json:"choices,omitempty"`
	// Default is the value if the setting is omitted.
	Default string `json:"default"`
}

type sourceOutput struct{ Body Source }

type sourcesOutput struct {
	Body struct {
		Sources []Source `json:"sources"`
	} `nameHint:"SourceList"`
}

type newSourceInput struct {
	route.JSONBody
	Body struct {
		Kind       string         `json:"kind" minLength:"1"`
		Location   string         `json:"location" minLength:"1" doc:"The place, such as an address or a bucket."`
		Name       string         `json:"name,omitempty" doc:"The name of the source. The default is the location."`
		Collection string         `json:"collection,omitempty" doc:"The collection for its documents. The default is default."`
		Schedule   string         `json:"schedule,omitempty" doc:"manual, or the interval between syncs, such as 15m, 1h, or 7d. The default depends on the kind."`
		Options    map[string]any `json:"options,omitempty" doc:"Options of the kind that are not secret. GET /api/source-kinds lists them."`
		Secret     map[string]any `json:"secret,omitempty" doc:"Secret options of the kind. They are encrypted and never shown."`
	} `nameHint:"SourceWish"`
}

type changeSourceInput struct {
	route.JSONBody
	ID   int64 `path:"source_id" minimum:"1"`
	Body struct {
		Name     *string `json:"name,omitempty"`
		Schedule *string `json:"schedule,omitempty"`
		Paused   *bool   `json:"paused,omitempty"`
	} `nameHint:"SourceChange"`
}

type sourceInput struct {
	ID int64 `path:"source_id" minimum:"1"`
}

type removeSourceInput struct {
	ID        int64  `path:"source_id" minimum:"1"`
	Documents string `query:"documents" enum:"remove,keep" default:"remove" doc:"Keeps or removes the documents that the source added."`
}

type failuresInput struct {
	ID    int64  `path:"source_id" minimum:"1"`
	After string `query:"after" maxLength:"8192" doc:"The cursor: the value next of the previous page."`
	Limit int    `query:"limit" minimum:"1" maximum:"500" default:"100"`
}

type failuresOutput struct {
	Body struct {
		Failures []SourceFailure `json:"failures"`
		Next     string          `json:"next,omitempty" doc:"The cursor of the next page. Absent on the last page."`
	} `nameHint:"SourceFailures"`
}

type kindsOutput struct {
	Body struct {
		Kinds []SourceKind `json:"kinds"`
	} `nameHint:"SourceKinds"`
}

// sources handles the routes for sources that stay in sync.
type sources struct{ store Sources }

func (s sources) addRoutes(r *route.Router) {
	const list, one = "/api/sources", "/api/sources/{source_id}"
	tags, missing := []string{"sources"}, []int{http.StatusNotFound}
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: list, OperationID: "list-sources", Tags: tags, Summary: "List sources",
		Description: "The list is sorted by name and shows the progress of running syncs.", Errors: missing,
	}, s.list)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: list, OperationID: "add-source", Tags: tags, Summary: "Add a source", DefaultStatus: http.StatusCreated,
		Description: "The first sync begins at once, unless the schedule is manual. " +
			"Add sources of local kinds, such as folder, on the command line.",
		Errors: []int{http.StatusNotFound, http.StatusConflict}, MaxBodyBytes: sourceBytes,
	}, s.add)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: one, OperationID: "get-source", Tags: tags, Summary: "Get a source", Errors: missing,
	}, s.get)
	route.Add(r, huma.Operation{
		Method: http.MethodPatch, Path: one, OperationID: "change-source", Tags: tags, Summary: "Rename, reschedule, pause, or resume a source",
		Errors: []int{http.StatusNotFound, http.StatusConflict}, MaxBodyBytes: sourceBytes,
	}, s.change)
	route.Add(r, huma.Operation{
		Method: http.MethodDelete, Path: one, OperationID: "delete-source", Tags: tags, Summary: "Remove a source",
		Description: "Documents that the source did not add, and documents of other sources, are kept.",
		Errors:      []int{http.StatusNotFound, http.StatusConflict},
	}, s.remove)
	for path, retry := range map[string]bool{"/sync": false, "/retry": true} {
		op := huma.Operation{
			Method: http.MethodPost, Path: one + path, OperationID: "sync-source", Tags: tags, Summary: "Sync a source now",
			Description: "The sync runs in the background. The source shows its progress.", DefaultStatus: http.StatusAccepted,
			Errors: []int{http.StatusNotFound, http.StatusConflict},
		}
		if retry {
			op.OperationID, op.Summary = "retry-source", "Sync a source now and read failed items again"
		}
		route.Add(r, op, func(ctx context.Context, in *sourceInput) (*struct{}, error) {
			_, syncs, err := s.managers()
			if err != nil {
				return nil, err
			}
			return nil, syncs.Request(ctx, in.ID, retry)
		})
	}
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: one + "/failures", OperationID: "list-source-failures", Tags: tags,
		Summary: "List the items that could not be read", Errors: missing,
	}, s.failures)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/source-kinds", OperationID: "list-source-kinds", Tags: tags,
		Summary: "List the kinds of sources with their settings", Errors: missing,
	}, s.kinds)
}

// managers returns the store as both of its interfaces; fault.NotFound if this
// server has no sources.
func (s sources) managers() (Sources, Syncs, error) {
	syncs, ok := s.store.(Syncs)
	if !ok {
		return nil, nil, fault.New(fault.NotFound, "sources_off", "sources are not available on this server")
	}
	return s.store, syncs, nil
}

func (s sources) list(ctx context.Context, _ *struct{}) (*sourcesOutput, error) {
	store, _, err := s.managers()
	if err != nil {
		return nil, err
	}
	all, err := store.List(ctx)
	if err != nil {
		return nil, err
	}
	out := &sourcesOutput{}
	out.Body.Sources = []Source{}
	for _, r := range all {
		out.Body.Sources = append(out.Body.Sources, NewSource(r, time.Now()))
	}
	return out, nil
}

func (s sources) add(ctx context.Context, in *newSourceInput) (*sourceOutput, error) {
	store, _, err := s.managers()
	if err != nil {
		return nil, err
	}
	b := in.Body
	n := source.New{Kind: b.Kind, Location: b.Location, Name: b.Name, Collection: b.Collection, Schedule: b.Schedule, Remote: true}
	if err := route.CheckText("kind", b.Kind, "location", b.Location, "name", b.Name, "collection", b.Collection); err != nil {
		return nil, err
	}
	if n.Options, err = settingTexts(b.Options); err != nil {
		return nil, err
	}
	if n.Secret, err = settingTexts(b.Secret); err != nil {
		return nil, err
	}
	r, err := store.Add(ctx, n)
	if err != nil {
		return nil, err
	}
	route.Concerns(ctx, sourceObject(r.ID))
	return &sourceOutput{NewSource(r, time.Now())}, nil
}

// settingTexts returns settings as texts, which the store keeps. Settings that are
// null or empty are left out.
func settingTexts(settings map[string]any) (map[string]string, error) {
	out := map[string]string{}
	for name, value := range settings {
		switch v := value.(type) {
		case nil:
		case string:
			if v != "" {
				out[name] = v
			}
		case bool:
			out[name] = strconv.FormatBool(v)
		case float64:
			out[name] = strconv.FormatFloat(v, 'f', -1, 64)
		case json.Number:
			out[name] = v.String()
		case []any:
			text := ""
			for i, part := range v {
				if i > 0 {
					text += ","
				}
				text += fmt.Sprint(part)
			}
			out[name] = text
		default:
			return nil, fault.New(fault.Invalid, "setting_type", "the setting %.64q must be a text, a number, true, false, or a list", name)
		}
	}
	return out, nil
}

func (s sources) get(ctx context.Context, in *sourceInput) (*sourceOutput, error) {
	store, _, err := s.managers()
	if err != nil {
		return nil, err
	}
	r, err := store.Get(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &sourceOutput{NewSource(r, time.Now())}, nil
}

func (s sources) change(ctx context.Context, in *changeSourceInput) (*sourceOutput, error) {
	store, _, err := s.managers()
	if err != nil {
		return nil, err
	}
	route.Concerns(ctx, sourceObject(in.ID))
	r, err := store.Change(ctx, in.ID, source.Patch{Name: in.Body.Name, Schedule: in.Body.Schedule, Paused: in.Body.Paused})
	if err != nil {
		return nil, err
	}
	return &sourceOutput{NewSource(r, time.Now())}, nil
}

// sourceObject names a source in the audit log.
func sourceObject(id int64) string { return "source:" + strconv.FormatInt(id, 10) }

// remove does not stop when the client disconnects, so that no removal is
// incomplete.
func (s sources) remove(ctx context.Context, in *removeSourceInput) (*struct{}, error) {
	store, _, err := s.managers()
	if err != nil {
		return nil, err
	}
	route.Concerns(ctx, sourceObject(in.ID))
	return nil, store.Remove(context.WithoutCancel(ctx), in.ID, in.Documents == "keep")
}

func (s sources) failures(ctx context.Context, in *failuresInput) (*failuresOutput, error) {
	_, syncs, err := s.managers()
	if err != nil {
		return nil, err
	}
	if err := route.CheckText("after", in.After); err != nil {
		return nil, err
	}
	items, err := syncs.Failures(ctx, in.ID, in.After, in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := &failuresOutput{}
	out.Body.Failures = []SourceFailure{}
	if len(items) > in.Limit {
		items = items[:in.Limit]
		out.Body.Next = items[in.Limit-1].Key
	}
	for _, it := range items {
		out.Body.Failures = append(out.Body.Failures, SourceFailure{
			Key: it.Key, Address: it.Address, Reason: it.Reason.Message, Sentence: route.Sentence(it.Reason),
			Tries: it.Tries, At: it.At.UTC(),
		})
	}
	return out, nil
}

func (s sources) kinds(context.Context, *struct{}) (*kindsOutput, error) {
	_, syncs, err := s.managers()
	if err != nil {
		return nil, err
	}
	out := &kindsOutput{}
	out.Body.Kinds = []SourceKind{}
	for _, k := range syncs.Kinds() {
		options := []SourceOption{}
		for _, o := range k.Options {
			options = append(options, SourceOption{
				Name: o.Name, Title: o.Title.Message, Sentence: route.Sentence(o.Title), Type: cmp.Or(o.Type, "text"),
				Secret: o.Secret, Required: o.Required, Choices: o.Choices, Default: o.Default,
			})
		}
		out.Body.Kinds = append(out.Body.Kinds, SourceKind{Kind: k.Name, Local: k.Local, Options: options})
	}
	return out, nil
}
