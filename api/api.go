// Package api is docent's HTTP interface: documents, search, questions and
// sessions as JSON, described by /openapi.json, which is made from the handlers
// themselves. One file holds one group of routes. [Front] is the protection
// that the page and the WebSocket share.
package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"time"

	"docent/internal/fault"

	"github.com/VictoriaMetrics/metrics"
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"docent/agent"
	"docent/agent/session/journal"
	"docent/auth"
	"docent/ingest"
	"docent/internal/meter"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// RAG answers questions.
type RAG interface {
	// Stream yields an answer as it is made; an error comes once and last.
	Stream(ctx context.Context, req rag.Request) iter.Seq2[rag.Part, error]
	// Run returns the whole answer.
	Run(ctx context.Context, req rag.Request) (rag.Answer, error)
}

// Retriever finds passages.
type Retriever interface {
	// Retrieve returns the passages for a query, best first.
	Retrieve(ctx context.Context, q retrieve.Query) (retrieve.Retrieval, error)
}

// Remover deletes documents.
type Remover interface {
	// RemoveDocuments deletes documents and returns how many there were.
	RemoveDocuments(ctx context.Context, ids []int64) (int, error)
}

// Uploader takes documents in.
type Uploader interface {
	// Read ingests what r holds under the given source. An error of r ends it
	// and leaves nothing behind.
	Read(ctx context.Context, collection, source string, r io.Reader) ([]ingest.Result, error)
}

// Messages reads conversations.
type Messages interface {
	// Messages returns stored messages of the session with that row id, oldest first.
	Messages(ctx context.Context, session int64, query journal.MessageQuery) ([]agent.ChatMessage, error)

	journal.Reasonings
}

// Defaults of a Config.
const (
	// DefaultUploadBytes bounds one uploaded file.
	DefaultUploadBytes = 64 << 20
	// DefaultRequestBytes bounds one upload with all its files.
	DefaultRequestBytes = 1 << 30
	// DefaultMessageBytes bounds a question with its history.
	DefaultMessageBytes = 256 << 10
	// DefaultUploads is how many uploads are read at once.
	DefaultUploads = 4
	// DefaultAnswers is how many questions are answered at once.
	DefaultAnswers = 64
	// DefaultReads is how many texts and originals are held in memory at once
	// while they are sent.
	DefaultReads = 4
	// DefaultStallTimeout is how long a client may neither send nor take a byte.
	DefaultStallTimeout = time.Minute
)

// Config is what the routes work on.
type Config struct {
	// RAG answers questions. Required.
	RAG RAG
	// Retriever searches. Required.
	Retriever Retriever
	// Library shows documents. Required.
	Library corpus.Library
	// Documents deletes them. Required.
	Documents Remover
	// Uploads takes files in. Required.
	Uploads Uploader
	// Directory lists and manages sessions. Required.
	Directory journal.Directory
	// Messages reads them. Required.
	Messages Messages
	// Pages shows PDFs page by page. Default: nil, documents have no pages.
	Pages Pages
	// Sources looks after sources that stay in sync, and is Syncs as well.
	// Default: nil, there are none.
	Sources Sources
	// Logins logs people in with passwords, and keeps their tokens if it is
	// OwnTokens as well. Default: nil, authentication is off.
	Logins Logins
	// Notifier speaks to clients that are connected. Default: there are none.
	Notifier Notifier
	// Agent is the agent whose sessions are meant if a request names none. Required.
	Agent string
	// Ready are the checks of /api/ready by name. An error's safe sentence is
	// shown. Default: none, always ready.
	Ready map[string]func(ctx context.Context) error
	// Info describes the installation; name, version, agent, collections and
	// the two byte limits are filled in. Default: nothing but those.
	Info func(ctx context.Context) (Info, error)
	// Version is the program's. Default: "dev".
	Version string
	// UploadBytes bounds one uploaded file. Default: DefaultUploadBytes.
	UploadBytes int64
	// RequestBytes bounds one upload with all its files. Default:
	// DefaultRequestBytes.
	RequestBytes int64
	// MessageBytes bounds a question with its history. Default:
	// DefaultMessageBytes.
	MessageBytes int64
	// MaxUploads are read this many at once, half of them of one principal;
	// further ones wait. Default:
	// DefaultUploads.
	MaxUploads int
	// MaxAnswers is how many questions are answered at once, half of them of one
	// principal; further ones are refused as busy or rate limited. Default: DefaultAnswers.
	MaxAnswers int
	// MaxReads is how many texts and originals are sent at once, half of them to
	// one principal; further ones wait for a while and are then refused as busy
	// or rate limited. Default: DefaultReads.
	MaxReads int
	// StallTimeout ends an upload of which nothing comes; [FrontConfig] has that
	// of connections. Default: DefaultStallTimeout.
	StallTimeout time.Duration
	// Metrics is what /metrics shows, of this package and all others that count
	// in it. Default: a set of its own.
	Metrics *metrics.Set
	// bodyTimeout bounds the arrival of a JSON body; tests shorten it.
	bodyTimeout time.Duration
	// ticks is when a silent stream of events says that it lives, and how to
	// end it; tests replace it.
	ticks func() (<-chan time.Time, func())
	// Logger gets one line per request, with ids and without content. Default:
	// nil, which discards.
	Logger *slog.Logger
}

func (c Config) complete() (Config, error) {
	for name, missing := range map[string]bool{
		"RAG": c.RAG == nil, "Retriever": c.Retriever == nil, "Library": c.Library == nil, "Documents": c.Documents == nil,
		"Uploads": c.Uploads == nil, "Directory": c.Directory == nil, "Messages": c.Messages == nil, "Agent": c.Agent == "",
	} {
		if missing {
			return c, fmt.Errorf("api: Config.%s is missing", name)
		}
	}
	if c.UploadBytes < 0 || c.RequestBytes < 0 || c.MessageBytes < 0 || c.MaxUploads < 0 || c.MaxAnswers < 0 || c.MaxReads < 0 || c.StallTimeout < 0 {
		return c, errors.New("api: Config.UploadBytes, RequestBytes, MessageBytes, MaxUploads, MaxAnswers, MaxReads and StallTimeout must not be negative")
	}
	if c.Info == nil {
		c.Info = func(context.Context) (Info, error) { return Info{}, nil }
	}
	if c.Notifier == nil {
		c.Notifier = nobody{}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Metrics == nil {
		c.Metrics = metrics.NewSet()
	}
	setDefault(&c.Version, "dev")
	setDefault(&c.UploadBytes, DefaultUploadBytes)
	setDefault(&c.RequestBytes, max(DefaultRequestBytes, c.UploadBytes))
	setDefault(&c.MessageBytes, DefaultMessageBytes)
	setDefault(&c.MaxUploads, DefaultUploads)
	setDefault(&c.MaxAnswers, DefaultAnswers)
	setDefault(&c.MaxReads, DefaultReads)
	setDefault(&c.StallTimeout, DefaultStallTimeout)
	setDefault(&c.bodyTimeout, bodyTimeout)
	if c.ticks == nil {
		c.ticks = func() (<-chan time.Time, func()) {
			t := time.NewTicker(keepAlive)
			return t.C, t.Stop
		}
	}
	return c, nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// server has the routes' dependencies.
type server struct {
	cfg     Config
	log     *slog.Logger
	api     huma.API
	uploads *slots     // of uploads being read
	answers *slots     // of questions being answered
	drawing *slots     // of PDFs whose pages are shown
	kept    *keptPages // of those
	drawn   *slots     // of PDFs that are sent to be drawn
	reads   *slots     // of texts, originals and exports being sent
	// startedAt is when it was made.
	startedAt time.Time
	access    map[string]auth.Scope     // by method and path
	took      map[string]*meter.Seconds // by path
}

// router is what routes are registered with: net/http's mux, or a test's
// around it.
type router interface {
	humago.Mux
	Handler(r *http.Request) (http.Handler, string)
}

// New returns a handler for everything under /api/, for /openapi.json, /metrics
// and /notify_websocket, and for what is no upgrade at /ws. Put [Front] before
// it, with what puts an auth.Principal into the context: [Routes] says what it
// has to have.
func New(config Config) (http.Handler, error) {
	return newHandler(config, http.NewServeMux())
}

func newHandler(config Config, mux router) (http.Handler, error) {
	cfg, err := config.complete()
	if err != nil {
		return nil, err
	}
	useOwnWays()
	s := &server{
		cfg: cfg, log: cfg.Logger, startedAt: time.Now().UTC().Truncate(time.Second),
		uploads: newUploadSlots(cfg.MaxUploads),
		answers: newSlots(cfg.MaxAnswers, fault.New(fault.Busy, "answers_full", "docent is answering as many questions as it can; try again in a moment")),
		drawing: newSlots(maxDrawing, drawingFull()), kept: newKeptPages(),
		drawn: newSlots(maxDrawn, drawingFull()),
		reads: newSlots(cfg.MaxReads, fault.New(fault.Busy, "downloads_full", "docent is sending as many documents as it can; try again in a moment")), access: map[string]auth.Scope{}, took: map[string]*meter.Seconds{},
	}
	registered := &registry{router: mux}
	mux = registered
	s.api = humago.New(mux, huma.Config{
		OpenAPI: &huma.OpenAPI{Info: &huma.Info{
			Title: "docent", Version: cfg.Version,
			Description: "Answers from your documents, with citations. Errors are " +
				`{"code","id","params","message","retryable"}: the kind of the error, the id of the message and its values, ` +
				`a message for users in English, and whether the same request may succeed later.`,
		}},
		Formats:       map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat},
		DefaultFormat: "application/json",
	})
	s.api.OpenAPI().Components.Schemas.RegisterTypeAlias(reflect.TypeFor[fault.Params](), reflect.TypeFor[[]any]())
	s.healthRoutes()
	s.loginRoutes()
	s.tokenRoutes()
	s.infoRoutes()
	s.documentRoutes()
	s.pageRoutes()
	s.uploadRoutes()
	s.searchRoutes()
	s.askRoutes()
	s.sessionRoutes()
	s.notifyRoutes()
	s.messageRoutes()
	s.exportRoutes()
	s.socketRoute(mux)
	s.sourceRoutes()
	s.metricsRoute(mux)
	if err := s.declare(append(registered.patterns, "GET /openapi.json")); err != nil {
		return nil, err
	}
	spec, err := json.MarshalIndent(s.api.OpenAPI(), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("api: describe the routes: %w", err)
	}
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(spec) // the client is gone
	})
	return s.observe(headers(s.answerUnknown(mux))), nil
}

// errorContent describes the body of every error.
func (s *server) errorContent() map[string]*huma.MediaType {
	return map[string]*huma.MediaType{
		"application/json": {Schema: s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Error](), true, "")},
	}
}

// register adds a route whose errors are mapped in one place.
func register[I, O any](s *server, op huma.Operation, handle func(ctx context.Context, in *I) (*O, error)) {
	op.Errors = append(op.Errors, http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusInternalServerError, http.StatusServiceUnavailable)
	if op.BodyReadTimeout != 0 { // there is a JSON body
		op.Errors = append(op.Errors, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	slices.Sort(op.Errors)
	op.Errors = slices.Compact(op.Errors)
	if op.Responses == nil {
		op.Responses = map[string]*huma.Response{}
	}
	op.Responses["default"] = &huma.Response{Description: "Error", Content: s.errorContent()}
	huma.Register(s.api, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)
		if err != nil {
			return nil, s.fail(ctx, err)
		}
		return out, nil
	})
	delete(op.Responses, "422") // huma's status for what is 400 here
}
