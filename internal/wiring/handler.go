package wiring

import (
	"context"
	"fmt"
	"net/http"

	"docent/api"
	"docent/api/edge"
	"docent/api/insights"
	"docent/api/mcp"
	"docent/api/route"
	"docent/api/suggest"
	"docent/auth"
	"docent/auth/audit"
	"docent/auth/rights/enforce"
	"docent/config"
	"docent/internal/quota"
	"docent/llm"
	"docent/rag"
	"docent/rag/pipeline"
	"docent/web"
	"docent/ws"
	"docent/ws/typed"
)

// handler serves WebSocket, HTTP API, and page on one port.
func (s *Server) handler(addr string) (http.Handler, error) {
	endpoint := typed.New(typed.Config{SessionTimeout: s.Config.SessionTimeout})
	var err error
	if s.sockets, err = ws.NewServer(s.socketConfig(endpoint)); err != nil {
		return nil, fmt.Errorf("websocket: %w", err)
	}
	if s.api, err = api.New(s.apiConfig(endpoint)); err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	var page http.Handler = s.api // answers 404 for unknown paths
	if !s.Config.NoUI {
		page = web.Handler(route.Base, present{s}.look)
	}
	served := s.tracer.Requests(s.api)
	mux := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case ws.IsUpgrade(r) || r.URL.Path == typed.Path:
			s.sockets.ServeHTTP(w, r)
		case s.api.Serves(r.URL.Path):
			served.ServeHTTP(w, r)
		default:
			page.ServeHTTP(w, r)
		}
	})
	return edge.Front(edge.Config{
		Guard: edge.GuardConfig{
			Addr: addr, Loopback: s.Config.Loopback(), Open: s.authenticator == nil,
			Origins: s.Config.Origins, Hosts: s.Config.Hosts,
		},
		ErrorBody: s.api.ErrorBody, Known: s.identify, Proxies: s.Config.TrustedProxies, BasePath: s.Config.BasePath,
		Metrics: s.metrics, Logger: s.Log,
	})(s.tracer.Handler(mux)), nil
}

// apiConfig configures the HTTP API.
func (s *Server) apiConfig(endpoint *typed.Endpoint) api.Config {
	cfg := api.Config{
		RAG: present{s}, Retriever: s.Searcher, Library: s.Library, Documents: s.changer(),
		Collections: enforce.NewCollections(s.rights, s.DB.Collections, s.DB.Library, s.DB.Documents),
		Work: &api.WorkConfig{
			Readings: readings{s.rights, s.quotas, s.DB, s.Library, s.runner, s.Sources}, Work: s.DB.Work, Failures: s.DB.Failures,
		},
		Uploads: s.uploads(), Pages: drawer{s.pool, s.quotas},
		Directory: s.Agents.Directory(s.DB.Directory), Messages: s.conversations,
		Conversations: s.talks, Embedder: s.Embedder, Notifier: notifier{endpoint, s.sockets}, Events: s.Agents,
		Clients: s.clients, Issuer: s.Config.OIDC.Issuer,
		Versions: s.DB.Versions, Memories: s.DB.Memories, Traces: s.DB.Traces, Picture: pictures(s.served),
		Prompts: s.DB.Prompts, Choices: s.DB.Choices, NoInstructions: !s.Config.OwnInstructions,
		Shares: s.DB.Shares, PublicLinks: s.Config.PublicLinks,
		ReadConversations: s.Config.ReadConversations, Audit: audit.NewLog(s.DB.Audit, s.Log),
		Insights: s.DB.Insights, Gaps: s.DB.Gaps, Solutions: s.DB.Solutions, Approved: s.DB.Approved, Recorder: s.recorder,
		Today: s.today,
		Quality: insights.Quality{
			Kept: s.DB.Kept, Runner: s.quality, Thresholds: func() pipeline.Thresholds { return s.asked.Load().Thresholds() },
		},
		Agents: s.Agents.Names(), Assistant: assistantOf(s.served), Version: s.version, Info: s.info,
		Ready: s.readyChecks(), Models: func() map[string]string { return s.now().states() },
		UploadBytes: s.Config.MaxFileSize, MaxSearches: s.Config.Searches, Quotas: s.quotas,
		Settings: s.settingsConfig(), System: systemConfig(s),
		Sources: s.Sources, Metrics: s.metrics, Logger: s.Log,
		ChatModels: func() []string { return s.now().chatModels() }, Write: present{s}.write,
		Describing: &suggest.Describing{
			Store: s.DB.Descriptions, Model: func() llm.Model { return s.now().ModelFor(config.UseEnrichment) }, Logger: s.Log,
		},
	}
	if s.setup != nil {
		cfg.Setup = s.setup
	}
	if s.authenticator != nil {
		cfg.Logins, cfg.People, cfg.Provider = s.authenticator, auth.NewPeople(s.authenticator), auth.NewSignIns(s.authenticator)
		cfg.Rights, cfg.Lacking = s.rights, s.lacking
		cfg.Readable = func(ctx context.Context) ([]string, error) { return readable(ctx, s.rights) }
	}
	return cfg
}

// identify adds the principal of each request, and the client for quotas, to its
// context. It drops traceparent of unknown users, so that they cannot add to the traces of
// others.
func (s *Server) identify(next http.Handler) http.Handler {
	answer := next
	next = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, known := auth.FromContext(r.Context())
		if !known {
			r.Header.Del("Traceparent")
		}
		answer.ServeHTTP(w, r.WithContext(quota.WithClient(r.Context(), p.Client(auth.Remote(r)))))
	})
	if s.authenticator == nil {
		return auth.Open(next)
	}
	return mcp.Challenge(s.authenticator.Middleware(next))
}

// notifier notifies connected clients for package api.
type notifier struct {
	*typed.Endpoint
	server *ws.Server
}

// Recheck makes the server check soon whether each client may stay connected.
func (n notifier) Recheck() { n.server.Recheck() }

// socketConfig configures the WebSocket server. It accepts every origin, because
// the guard in front of it has checked the origin.
func (s *Server) socketConfig(endpoint *typed.Endpoint) ws.Config {
	bounds := s.Config.Sockets
	cfg := ws.Config{
		Runtime: s.Agents, Dialects: map[string]ws.Dialect{typed.Path: typedDialect(endpoint)}, Info: s.welcome,
		CheckOrigin: func(*http.Request) bool { return true }, ResumeByUser: s.Config.ResumeByUser,
		MaxConnections: bounds.MaxConnections, UserConnections: bounds.UserConnections,
		FrameBytes: bounds.FrameBytes, MessageBytes: int(bounds.MessageBytes), OutboxBytes: int(bounds.OutboxBytes),
		FileBytes: int(bounds.FrameBytes),
		Rate:      bounds.Rate, Burst: bounds.Burst, UserRate: bounds.UserRate, UserBurst: bounds.UserBurst,
		PingEvery: bounds.PingInterval, Silence: bounds.Silence,
		Logger: s.Log, Metrics: s.metrics,
	}
	if s.authenticator != nil {
		cfg.Authenticate, cfg.Valid = s.authenticator.Token, s.authenticator.Valid
	}
	if Listens(s.Config) {
		cfg.Transcriber = s.speech
	}
	return cfg
}

// typedDialect returns the dialect of Agent WebSocket.
func typedDialect(endpoint *typed.Endpoint) ws.Dialect {
	return ws.Dialect{
		Name: typed.Name, NotWebSocket: typed.NotWebSocket,
		Begin: func(c *ws.Connection) ws.Handler { return endpoint.Begin(c) },
	}
}

// welcome describes this installation to clients of docent.v1.
func (s *Server) welcome(ctx context.Context) ws.Info {
	info := ws.Info{Models: s.now().RAG.Models(), Collections: []string{}, Speaks: Speaks(s.Config)}
	cols, err := s.Library.Collections(ctx)
	if err != nil {
		s.Log.Warn("list collections for a welcome", "error", err)
	}
	for _, c := range cols {
		info.Collections = append(info.Collections, c.Name)
	}
	return info
}

// passages counts the passages that can be found.
func (s *Server) passages(ctx context.Context) (int, error) {
	if s.words != nil {
		statistics, err := s.words.Statistics(ctx, nil)
		return statistics.Chunks, err
	}
	return s.Retriever.Len(), nil
}

// info returns the part of /api/info that package api does not know.
func (s *Server) info(ctx context.Context) (api.Info, error) {
	hint, a, agents := ModelHint(), s.now(), agentInfos(s.served)
	info := api.Info{
		Agents:   agents,
		BuiltIn:  agents[0].BuiltIn,
		Files:    agents[0].Files,
		Database: s.DB.Kind,
		Model:    api.ModelInfo{Name: rag.Extractive, Kind: rag.Extractive, Hint: hint.Message, Sentence: &hint.Sentence},
		Models:   a.RAG.Models(),
		Embedder: api.EmbedderInfo{Name: s.Embedder.Name(), Dimensions: s.Embedder.Dimensions()},
		Index:    api.IndexInfo{Keyword: s.keywordIndex(), Vectors: vectorIndex(s.nearest)},
		Voice:    api.VoiceInfo{Listens: Listens(s.Config), Speaks: Speaks(s.Config)},
		Limits:   api.Limits{K: a.store.Config.K},
	}
	var err error
	if info.Index.Chunks, err = s.passages(ctx); err != nil {
		return info, err
	}
	for _, e := range s.Retriever.Encoders() {
		info.Encoders = append(info.Encoders, api.EncoderInfo(e))
	}
	if s.rights != nil { // the reader learns only about readable collections
		collections, err := s.Library.Collections(ctx)
		if err != nil {
			return info, err
		}
		info.Index.Chunks = 0
		if p, _ := auth.FromContext(ctx); !p.May(auth.Admin) {
			info.Encoders = nil // they count all passages
		}
		for _, c := range collections {
			info.Index.Chunks += c.Chunks
		}
	}
	if a.Chat != nil {
		info.Model = api.ModelInfo{Name: a.Chat.Name(), Kind: "openai"}
	}
	return info, nil
}
