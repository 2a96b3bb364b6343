// Package api is docent's HTTP interface: documents, search, questions, sessions,
// sources, and sign-in as JSON. /openapi.json describes the interface and is
// generated from the handlers. Wrap the handler of [New] in edge.Front.
//
// Each file holds one group of routes, as a small type with the dependencies of
// its handlers. Package api/route serves the routes. Larger groups are packages
// of their own: api/uploads, api/pages, api/ask, and api/openai.
//
// CONTRIBUTING.md says how to add routes.
package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"docent/agent/session/journal"

	"github.com/VictoriaMetrics/metrics"

	"docent/agent"
	"docent/agent/diagram"
	"docent/api/agui"
	"docent/api/ask"
	"docent/api/converse"
	"docent/api/insights"
	"docent/api/mcp"
	"docent/api/openai"
	"docent/api/pages"
	"docent/api/route"
	"docent/api/settings"
	"docent/api/slots"
	"docent/api/sse"
	"docent/api/stall"
	"docent/api/suggest"
	"docent/api/system"
	"docent/api/uploads"
	"docent/insight"
	"docent/internal/fault"
	"docent/internal/quota"
	"docent/profile"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// Retriever finds passages.
type Retriever interface {
	// Retrieve returns the passages for a query, best first.
	Retrieve(ctx context.Context, q retrieve.Query) (retrieve.Retrieval, error)
}

// Changer changes documents.
type Changer interface {
	corpus.Tagger
	corpus.Mover
	corpus.Renamer

	// RemoveDocuments deletes documents and returns their number.
	RemoveDocuments(ctx context.Context, ids []int64) (int, error)
}

// Messages reads conversations.
type Messages interface {
	// Messages returns stored messages of the session with that row id, oldest first.
	Messages(ctx context.Context, session int64, query journal.MessageQuery) ([]agent.ChatMessage, error)

	journal.Reasonings
	journal.Documents
}

// Defaults of a Config.
const (
	// DefaultUploadBytes bounds one uploaded file.
	DefaultUploadBytes = 64 << 20
	// DefaultRequestBytes bounds one upload with all its files.
	DefaultRequestBytes = 1 << 30
	// DefaultMessageBytes bounds a question with its history.
	DefaultMessageBytes = 256 << 10
	// DefaultUploads bounds the uploads that are read at the same time.
	DefaultUploads = 4
	// DefaultAnswers bounds the questions that are answered at the same time.
	DefaultAnswers = 256
	// DefaultSearches bounds the searches that run at the same time.
	DefaultSearches = 16
	// DefaultReads bounds the texts and originals that are sent at the same time.
	DefaultReads = 4
	// bodyTimeout bounds the arrival of a JSON body.
	bodyTimeout = 30 * time.Second
)

// Conversations continues sessions for other protocols.
type Conversations interface {
	openai.Conversations
	agui.Conversations
	Starter
	Stopper
	Attacher
}

// Config connects the routes with the rest of docent.
type Config struct {
	// RAG answers questions. Required.
	RAG ask.RAG
	// Retriever searches. Required.
	Retriever Retriever
	// Library reads documents. Required.
	Library corpus.Library
	// Documents changes documents. Required.
	Documents Changer
	// Collections changes collections. Required.
	Collections Collections
	// Uploads reads uploaded files. Required.
	Uploads uploads.Ingester
	// Directory lists and changes sessions. Required.
	Directory journal.Directory
	// Messages reads conversations. Required.
	Messages Messages
	// ReadConversations allows administrators to read conversations of others, and
	// records each reading in Audit. Default: false.
	ReadConversations bool
	// Audit keeps records of acts. Required with ReadConversations. Default: nil, there are
	// no records.
	Audit AuditLog
	// Memories keeps facts about users. Required.
	Memories journal.Memories
	// Prompts keeps prompts of users. Required.
	Prompts profile.Prompts
	// Choices keeps the preferences of users. Required.
	Choices profile.Choices
	// NoInstructions turns off users' own instructions for models. Default: false.
	NoInstructions bool
	// Traces reads the ways of sessions. Required.
	Traces journal.Traces
	// Picture returns the graph of an agent of this server, or nil. Default: nil, there is none.
	Picture func(agent string) *diagram.Picture
	// Versions shows versions of answers, and copies conversations. Required.
	Versions journal.Versions
	// Shares keeps shared links. Required.
	Shares journal.Shares
	// PublicLinks allows shared links for readers who do not sign in. Default: false.
	PublicLinks bool
	// Conversations continues sessions for clients of OpenAI's API and AG-UI. Required.
	Conversations Conversations
	// Embedder computes vectors for them. Required.
	Embedder openai.Embedder
	// ChatModels returns the names of the chat models that users may choose now, among them the default one.
	// Default: none.
	ChatModels func() []string
	// Write lets a chat model answer a prompt without documents. It returns "" without a model. Default: nil, there is
	// no model.
	Write func(ctx context.Context, prompt string) (string, error)
	// Describing lets a chat model describe documents. Default: nil, there is no model.
	Describing *suggest.Describing
	// Pages draws the pages of PDFs. Default: nil, documents have no pages.
	Pages pages.Drawer
	// Sources manages sources that stay in sync. It must implement Syncs too.
	// Default: nil, there are none.
	Sources Sources
	// Work reads documents again, and lists the work on documents. Default: nil, there is none.
	Work *WorkConfig
	// Logins signs users in with passwords. If it implements OwnTokens, users can
	// have API tokens. Default: nil, authentication is off.
	Logins Logins
	// Provider signs users in with an OpenID Connect provider. Default: nil, there is none.
	Provider SignInProvider
	// People manages users. Default: nil, authentication is off.
	People People
	// Rights keeps groups, and rights on collections. Default: nil, authentication is
	// off.
	Rights Rights
	// Setup sets up a new installation. Default: nil, the installation is set up.
	Setup Setup
	// Settings reads and changes settings and chat models. Default: none.
	Settings settings.Config
	// System describes the installation. Default: nothing.
	System system.Config
	// Insights keeps facts about answers. Default: nil, there are none.
	Insights insight.Store
	// Gaps keeps groups of questions without an answer. Required with Insights.
	Gaps insight.Gaps
	// Solutions tell people that their questions have an answer now. Default: nil, nobody learns it.
	Solutions insight.Solutions
	// Approved keeps approved answers. Required with Insights.
	Approved insight.Approvals
	// Quality keeps and asks questions as tests. Required with Insights.
	Quality insights.Quality
	// Today finds things to do. Required with Insights.
	Today insights.Today
	// Recorder records answers without a conversation. Default: nil, they are not recorded.
	Recorder ask.Recorder
	// Lacking returns those of some documents that the reader may not read. Default: nil, everybody
	// may read everything.
	Lacking func(ctx context.Context, documents []int64) ([]int64, error)
	// Readable returns the collections that the reader may read; nil means all. Default: nil, everybody may read everything.
	Readable func(ctx context.Context) ([]string, error)
	// Clients are the sessions of MCP clients. The caller closes them. Default: some of
	// their own, which nobody closes.
	Clients *mcp.Sessions
	// Issuer is the OpenID Connect issuer of tokens, for MCP clients that look for one.
	// Default: "", there is none.
	Issuer string
	// Events sends events of programs to sessions. Default: nil, no agent takes events.
	Events Events
	// Notifier sends notifications to connected clients. Default: nil, which means
	// that no client is connected.
	Notifier Notifier
	// Agents are the names of the agents. The first is the default of sessions. Required.
	Agents []string
	// Assistant is the agent that writes briefs. Default: the first of Agents.
	Assistant string
	// Ready holds the checks of /api/ready by name. Responses contain the messages
	// of failed checks. Default: none, always ready.
	Ready map[string]func(ctx context.Context) error
	// Models describes the chat models by name in /api/ready. A model that fails does not
	// make the server unready. Default: nil, none.
	Models func() map[string]string
	// Info describes the installation. New fills in the name, version, agent,
	// collections, and the two byte limits. Default: no further details.
	Info func(ctx context.Context) (Info, error)
	// Version is the version of the program. Default: "dev".
	Version string
	// UploadBytes bounds one uploaded file. Default: DefaultUploadBytes.
	UploadBytes int64
	// MessageBytes bounds a question with its history. Default:
	// DefaultMessageBytes.
	MessageBytes int64
	// MaxSearches bounds the searches that run at the same time. One principal may
	// run half of them. Further searches wait for a while and are then refused as
	// busy or rate limited. Default: DefaultSearches.
	MaxSearches int
	// Quotas limits the questions of one client in a day. Default: nil, no limit.
	Quotas *quota.Quotas
	// StallTimeout ends an upload if no data arrives for this time. For
	// connections, see edge.Config. Default: stall.DefaultTimeout.
	StallTimeout time.Duration
	// Metrics counts requests; /metrics shows it with the counters of all other
	// packages. Default: a set of its own.
	Metrics *metrics.Set
	// Logger gets one line for each request, with ids and without content.
	// Default: nil, which discards.
	Logger *slog.Logger

	limits      limits                            // tests set other values
	bodyTimeout time.Duration                     // of JSON bodies; tests shorten it
	ticks       func() (<-chan time.Time, func()) // of comments in streams, and their end; tests replace it
}

// limits are the bounds of the API that only tests change.
type limits struct {
	RequestBytes int64 // see DefaultRequestBytes
	Answers      int   // see DefaultAnswers
	Reads        int   // see DefaultReads
}

func (c Config) complete() (Config, error) {
	for name, missing := range map[string]bool{
		"RAG": c.RAG == nil, "Retriever": c.Retriever == nil, "Library": c.Library == nil, "Documents": c.Documents == nil,
		"Collections": c.Collections == nil,
		"Uploads":     c.Uploads == nil, "Directory": c.Directory == nil, "Messages": c.Messages == nil, "Agents": len(c.Agents) == 0,
		"Memories":      c.Memories == nil,
		"Prompts":       c.Prompts == nil,
		"Traces":        c.Traces == nil,
		"Choices":       c.Choices == nil,
		"Versions":      c.Versions == nil,
		"Shares":        c.Shares == nil,
		"Conversations": c.Conversations == nil, "Embedder": c.Embedder == nil,
	} {
		if missing {
			return c, fmt.Errorf("api: Config.%s is missing", name)
		}
	}
	if c.ReadConversations && c.Audit == nil {
		return c, errors.New("api: Config.ReadConversations needs Config.Audit")
	}
	if min(c.UploadBytes, c.MessageBytes) < 0 || c.MaxSearches < 0 || c.StallTimeout < 0 {
		return c, errors.New("api: Config.UploadBytes, MessageBytes, MaxSearches, and StallTimeout must not be negative")
	}
	if c.Info == nil {
		c.Info = func(context.Context) (Info, error) { return Info{}, nil }
	}
	if c.Events == nil {
		c.Events = closed{}
	}
	if c.Audit == nil {
		c.Audit = noAudit{}
	}
	if c.Clients == nil {
		c.Clients = mcp.NewSessions()
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
	if c.ticks == nil {
		c.ticks = func() (<-chan time.Time, func()) {
			t := time.NewTicker(sse.KeepAlive)
			return t.C, t.Stop
		}
	}
	c.Version = cmp.Or(c.Version, "dev")
	c.UploadBytes = cmp.Or(c.UploadBytes, DefaultUploadBytes)
	c.MessageBytes = cmp.Or(c.MessageBytes, DefaultMessageBytes)
	c.MaxSearches = cmp.Or(c.MaxSearches, DefaultSearches)
	c.limits.RequestBytes = cmp.Or(c.limits.RequestBytes, max(DefaultRequestBytes, c.UploadBytes))
	c.limits.Answers = cmp.Or(c.limits.Answers, DefaultAnswers)
	c.limits.Reads = cmp.Or(c.limits.Reads, DefaultReads)
	c.StallTimeout = cmp.Or(c.StallTimeout, stall.DefaultTimeout)
	c.bodyTimeout = cmp.Or(c.bodyTimeout, bodyTimeout)
	return c, nil
}

// New returns the handler of all routes in [Routes]; its method Serves says which
// paths belong to it. It serves requests to /ws that are not upgrades. Put
// edge.Front before it, with a middleware that puts an auth.Principal into the
// context.
func New(config Config) (*route.Handler, error) {
	return newHandler(config, http.NewServeMux())
}

func newHandler(config Config, mux route.Mux) (*route.Handler, error) {
	cfg, err := config.complete()
	if err != nil {
		return nil, err
	}
	r := route.New(route.Config{
		Mux: mux, Access: Routes(), BodyTimeout: cfg.bodyTimeout, Audit: cfg.Audit.Add, Metrics: cfg.Metrics, Logger: cfg.Logger,
		Description: "Answers from your documents, with citations. Errors are " +
			`{"code","id","params","message","retryable"}: the kind of the error, the id of the message and its values, ` +
			`a message for users in English, and whether the same request may succeed later.`,
		Quiet: []string{"GET " + healthPath, "GET " + readyPath, "GET " + metricsPath},
	})
	shelf := library{cfg.Library}
	answers := ask.NewService(cfg.RAG, shelf, cfg.limits.Answers, cfg.Quotas)
	overAPI := answers.Over(insight.API, cfg.Recorder)
	owned := ownedSessions{cfg.Directory, cfg.Agents}
	transfers := newTransfers(r, cfg.limits.Reads)

	health{r, cfg.Ready, cfg.Models}.addRoutes()
	installation{cfg, time.Now().UTC().Truncate(time.Second)}.addRoutes(r)
	addMetrics(r, cfg.Metrics)
	addSocket(r)
	entrance := logins{cfg.Logins, cfg.Rights, cfg.Notifier, cfg.Provider}
	entrance.addRoutes(r)
	setup{cfg.Setup, cfg.Logins != nil}.addRoutes(r)
	tokens{cfg.Logins, cfg.Logger}.addRoutes(r)
	access{cfg.Rights, shelf, cfg.Logger}.addRoutes(r)
	collections{cfg.Collections, cfg.Logger}.addRoutes(r)
	documents{r, shelf, cfg.Documents, transfers}.addRoutes()
	places{shelf}.addRoutes(r)
	workRoutes{cfg.Work, access{cfg.Rights, shelf, cfg.Logger}.managed}.addRoutes(r)
	uploads.AddRoutes(r, uploads.Config{
		Ingester: cfg.Uploads, Library: library{shelf}, FileBytes: cfg.UploadBytes, RequestBytes: cfg.limits.RequestBytes,
		MaxReads: DefaultUploads, StallTimeout: cfg.StallTimeout,
	})
	pages.AddRoutes(r, pages.Config{Library: shelf, Drawer: cfg.Pages, StallTimeout: cfg.StallTimeout})
	suggest.AddRoutes(r, suggest.Config{Library: shelf, Answers: cfg.RAG, Describing: cfg.Describing})
	searches := slots.New(cfg.MaxSearches,
		fault.New(fault.Busy, "searches_full", "docent is running as many searches as it can; try again in a moment"))
	search{cfg.Retriever, answers, searches}.addRoutes(r)
	questions{r, overAPI, answers, cfg.MessageBytes, cfg.ticks}.addRoutes()
	openai.AddRoutes(r, openai.Config{
		Answers: overAPI, Conversations: cfg.Conversations, Embedder: cfg.Embedder, Collections: shelf,
		Agents: cfg.Agents, Within: converse.WithAgent,
		ChatModels: cfg.ChatModels, Write: cfg.Write, Message: agent.AnswerMessage, MaxBytes: cfg.MessageBytes, Ticks: cfg.ticks,
	})
	agui.AddRoutes(r, agui.Config{
		Conversations: cfg.Conversations, Within: converse.WithAgent, Slots: answers, MaxBytes: cfg.MessageBytes, Ticks: cfg.ticks,
	})
	mcp.AddRoutes(r, mcp.New(mcp.Config{
		Retriever: cfg.Retriever, Library: shelf, Answers: answers.Over(insight.MCP, cfg.Recorder), Searches: searches, Reads: transfers.reads,
		Version: cfg.Version, Logger: cfg.Logger,
	}), mcp.HTTPConfig{Sessions: cfg.Clients, Auth: cfg.Logins != nil, Issuer: cfg.Issuer})
	solved := solutions{owned, cfg.Solutions, cfg.Lacking}
	solved.addRoutes(r)
	sessions{owned, solved}.addRoutes(r)
	read, saved := messages{owned, cfg.Messages, cfg.Versions, solved}, exports{r, owned, cfg.Messages, cfg.Traces, transfers}
	read.addRoutes(r)
	saved.addRoutes()
	kept, preferred := prompts{cfg.Prompts, cfg.Audit}, preferences{cfg.Choices, !cfg.NoInstructions}
	accounts{owned, entrance, saved, transfers, facts{cfg.Memories}, kept, preferred}.addRoutes(r)
	preferred.addRoutes(r)
	traces{owned, cfg.Traces, cfg.Picture}.addRoutes(r)
	facts{cfg.Memories}.addRoutes(r)
	kept.addRoutes(r)
	users{owned, cfg.People, cfg.Rights, shelf, cfg.Notifier}.addRoutes(r)
	readings{read, saved, cfg.Audit, cfg.ReadConversations}.addRoutes(r)
	shares{owned, cfg.Shares, cfg.Messages, cfg.Versions, shelf, cfg.Audit, cfg.Logger, cfg.PublicLinks}.addRoutes(r)
	auditRoutes{cfg.Audit, transfers}.addRoutes(r)
	briefs{answers, cfg.Conversations, cmp.Or(cfg.Assistant, cfg.Agents[0])}.addRoutes(r)
	stops{owned, cfg.Conversations}.addRoutes(r)
	files{owned, cfg.Messages, cfg.Conversations, cfg.Uploads}.addRoutes(r)
	notifications{owned, cfg.Notifier, cfg.Events}.addRoutes(r)
	events{owned, cfg.Events, cfg.Quotas}.addRoutes(r)
	copies{owned, cfg.Versions, cfg.Quotas}.addRoutes(r)
	sources{cfg.Sources}.addRoutes(r)
	settings.AddRoutes(r, cfg.Settings)
	system.AddRoutes(r, cfg.System)
	insights.AddRoutes(r, insights.Config{
		Store: cfg.Insights, Gaps: cfg.Gaps, Approved: cfg.Approved, Documents: cfg.Uploads, Library: shelf, Remover: cfg.Documents,
		Today: cfg.Today, Quality: cfg.Quality,
		Managed: access{cfg.Rights, shelf, cfg.Logger}.managed, Lacking: cfg.Lacking, Readable: cfg.Readable,
		Names: cfg.ReadConversations, Audit: cfg.Audit,
	})
	return r.Handler()
}
