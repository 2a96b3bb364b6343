package ws

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
	"unique"

	"github.com/VictoriaMetrics/metrics"
	"github.com/gorilla/websocket"

	"docent/agent/session"
	"docent/auth"
	"docent/internal/fault"
)

// Config makes a Server.
type Config struct {
	// Runtime runs the sessions. Required.
	Runtime *session.Runtime
	// Info tells what a welcome says. Default: nil, no models or collections.
	Info func(ctx context.Context) Info
	// CheckOrigin decides whether a page may connect. Default: nil, requests
	// without an origin and those of the same host may.
	CheckOrigin func(r *http.Request) bool
	// Authenticate tells whose token it is that a client says in its hello. If
	// set, nobody is served who is not known, by that or by the request's
	// context; see auth.NewContext. Default: nil, everybody is auth.Anyone.
	Authenticate func(ctx context.Context, token string) (auth.Principal, error)
	// Valid fails with fault.Unauthorized if who was let in would not be any
	// more. It is asked from time to time, and ends a connection. Default: nil,
	// it is not asked.
	Valid func(ctx context.Context, who auth.Principal) error
	// ResumeByUser gives a BAF client that names its user by the header
	// X-User-ID, and no session, that user's latest one. Default: false.
	ResumeByUser bool
	// Transcriber listens to recordings. Default: nil, they are declined.
	Transcriber Transcriber
	// Logger hears of refusals and failures, with ids and no content. Default:
	// nil, which discards.
	Logger *slog.Logger
	// MaxConnections bounds the connections; where Authenticate is set, those of
	// which it is known whose they are. Default: 10,000.
	MaxConnections int
	// UserConnections bounds the connections of one principal, where Authenticate
	// is set. Default: 100.
	UserConnections int
	// FrameBytes bounds a frame; a larger one closes the connection. Default:
	// 32 MiB.
	FrameBytes int64
	// MessageBytes bounds the message of a frame, objects and variables
	// included; a larger one is refused. Of what a user says, the text is
	// bounded by agent.MaxTextBytes as well. Default: 256 KiB.
	MessageBytes int
	// FileBytes bounds the message of a frame that holds a file or a recording,
	// in base64; a larger one is refused. FrameBytes bounds it as well. Default:
	// 32 MiB.
	FileBytes int
	// UploadBytes bounds the memory of all messages over 64 KiB while they are
	// received and stored; what exceeds it is refused as fault.Busy. Default:
	// 256 MiB.
	UploadBytes int64
	// UserUploadBytes bounds it for those of one principal, or of one address
	// where Authenticate is not set. Default: a quarter of UploadBytes, but room
	// for two messages of FileBytes.
	UserUploadBytes int64
	// OutboxBytes bounds what waits to be sent to one client, without frames of
	// more than 64 KiB. Default: 1 MiB.
	OutboxBytes int
	// LongOutboxBytes bounds what waits of those: files and the like. Default:
	// 64 MiB.
	LongOutboxBytes int
	// Rate is how many frames a client may send per second, and Burst how many
	// at once. Default: 20.
	Rate float64
	// Burst is the number of frames a client may send at once. Default: 60.
	Burst int
	// UserRate is how many frames the connections of one principal may send per
	// second together, where Authenticate is set. Default: 100.
	UserRate float64
	// UserBurst is how many they may send at once. Default: 300.
	UserBurst int
	// PingEvery is the time between pings. Default: 25s.
	PingEvery time.Duration
	// Silence is how long nothing may be heard of a client. Default: 60s.
	Silence time.Duration
	// WriteTimeout bounds writing one frame, or 256 KiB of a longer one. Default:
	// 10s.
	WriteTimeout time.Duration
	// Stall is how long a message may stand still of which a part has come; what
	// comes beside it, such as pongs, does not count. Default: 30s.
	Stall time.Duration
	// HelloTimeout is how long a docent.v1 client may take to say hello.
	// Default: 10s.
	HelloTimeout time.Duration
	// SessionTimeout is how long a client of TypedPath may neither say nor be
	// answered anything. Default: 30m.
	SessionTimeout time.Duration
	// Metrics gets the server's. Default: nil, a set of its own that nobody sees.
	Metrics *metrics.Set
}

// Info is what a welcome says beside the session.
type Info struct {
	// Models are the chat models.
	Models []string
	// Collections are the document collections.
	Collections []string
	// Speaks reports whether the agent can say a text as sound.
	Speaks bool
}

func (c *Config) defaults() error {
	if c.UserConnections < 0 || c.UserRate < 0 || c.UserBurst < 0 || c.MaxConnections < 0 || c.FrameBytes < 0 || c.MessageBytes < 0 || c.FileBytes < 0 || c.UploadBytes < 0 || c.UserUploadBytes < 0 || c.OutboxBytes < 0 ||
		c.LongOutboxBytes < 0 ||
		c.Rate < 0 || c.Burst < 0 || c.PingEvery < 0 || c.Silence < 0 || c.Stall < 0 || c.WriteTimeout < 0 || c.HelloTimeout < 0 ||
		c.SessionTimeout < 0 {
		return fault.New(fault.Invalid, "ws.Config: limits and times must not be negative")
	}
	if c.Info == nil {
		c.Info = func(context.Context) Info { return Info{} }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	def(&c.MaxConnections, 10_000)
	def(&c.FrameBytes, 32<<20)
	def(&c.MessageBytes, 256<<10)
	def(&c.FileBytes, 32<<20)
	def(&c.UploadBytes, 256<<20)
	def(&c.UserUploadBytes, max(c.UploadBytes/uploadShare, 2*int64(c.FileBytes+envelope+1)))
	def(&c.OutboxBytes, 1<<20)
	def(&c.LongOutboxBytes, 64<<20)
	def(&c.Rate, 20)
	def(&c.Burst, 60)
	def(&c.UserConnections, 100)
	def(&c.UserRate, 100)
	def(&c.UserBurst, 300)
	if c.Metrics == nil {
		c.Metrics = metrics.NewSet()
	}
	def(&c.PingEvery, 25*time.Second)
	def(&c.Silence, 60*time.Second)
	def(&c.Stall, 30*time.Second)
	def(&c.WriteTimeout, 10*time.Second)
	def(&c.HelloTimeout, 10*time.Second)
	def(&c.SessionTimeout, 30*time.Minute)
	return nil
}

// uploadShare is the part of UploadBytes that one may have.
const uploadShare = 4

// def sets v to its default if it is zero.
func def[T comparable](v *T, value T) {
	var zero T
	if *v == zero {
		*v = value
	}
}

// Server upgrades requests at any path and serves the connections. It is safe
// for concurrent use.
type Server struct {
	cfg      Config
	meters   *meters
	anyone   auth.Principal // while authentication is off
	upgrader websocket.Upgrader
	// served waits for the connections' goroutines.
	served  sync.WaitGroup
	uploads uploads
	// recheck wakes watch.
	recheck chan struct{}
	// listening counts the recordings that are being transcribed.
	listening atomic.Int64

	mu      sync.Mutex // guards what follows
	closed  bool
	pending int // handshakes on the way
	conns   map[*connection]struct{}
	ledger  ledger
	beating *lifetime                // of heartbeat and watch; nil while there are no connections
	dozer   *dozer                   // nil until somebody dozes
	typed   map[string][]*connection // of TypedPath, by the session's id
}

// NewServer returns a server without connections.
func NewServer(cfg Config) (*Server, error) {
	if cfg.Runtime == nil {
		return nil, fault.New(fault.Invalid, "ws.Config.Runtime is required")
	}
	if err := cfg.defaults(); err != nil {
		return nil, err
	}
	return newServer(cfg), nil
}

func newServer(cfg Config) *Server {
	upgrader := websocket.Upgrader{
		HandshakeTimeout: cfg.WriteTimeout,
		// We read and write through wire; the library keeps no buffers but a
		// small one.
		WriteBufferPool: &sync.Pool{},
		CheckOrigin:     cfg.CheckOrigin,
		Error:           upgradeFailed,
	}
	s := &Server{cfg: cfg, upgrader: upgrader, meters: newMeters(cfg.Metrics), anyone: auth.Anyone(), ledger: newLedger(cfg), conns: map[*connection]struct{}{}, typed: map[string][]*connection{}}
	s.recheck = make(chan struct{}, 1)
	s.uploads.most, s.uploads.share, s.uploads.of = cfg.UploadBytes, cfg.UserUploadBytes, map[string]int64{}
	s.gauges(cfg.Metrics)
	return s
}

// ServeHTTP upgrades a request and returns; the connection lives on.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	typed := r.URL.Path == TypedPath
	if typed && !IsUpgrade(r) {
		http.Error(w, "Expected WebSocket request", http.StatusBadRequest)
		return
	}
	if !IsUpgrade(r) {
		w.Header().Set("Upgrade", "websocket")
		writeRefusal(w, http.StatusUpgradeRequired, fault.Invalid, "this address speaks WebSocket")
		return
	}
	who, err := s.principal(r)
	request := s.openRequest(r)
	if err == nil {
		err = request.Validate()
	}
	if err == nil {
		err = checkProtocol(r)
	}
	if err != nil {
		s.refuseHandshake(w, err)
		return
	}
	remote := auth.Remote(r)
	account, err := s.reserve(who, remote)
	if err != nil {
		s.refuseHandshake(w, err)
		return
	}
	var answer http.Header
	if p := chosenProtocol(r); p != "" {
		answer = http.Header{"Sec-Websocket-Protocol": {p}}
	}
	hijacked := &hijacker{ResponseWriter: w}
	socket, err := s.upgrader.Upgrade(hijacked, r, answer) // answers errors itself
	if err != nil {
		s.cfg.Logger.DebugContext(r.Context(), "upgrade", "error", err)
		count(s.meters.refused, refusedHandshake)
		s.unreserve(account)
		return
	}
	c := &connection{
		server: s, socket: socket, wire: hijacked.wire, opening: &opening{request: request, remote: remote, refusal: auth.Refusal(r.Context())}, who: who, v1: wantsV1(r), typed: typed,
		rate: pace{account: account},
	}
	if s.cfg.Authenticate == nil {
		c.from = unique.Make(remote)
	}
	c.gui.Store(wantsGUI(r))
	c.prepare()
	if !s.add(c) {
		_ = socket.Close()
		return
	}
	s.meters.accepted[c.dialect()].Inc()
	go c.serve(&c.life)
}

// add makes a handshake a connection; false if the server has been shut down
// meanwhile.
func (s *Server) add(c *connection) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending--
	if s.closed {
		s.ledger.part(c.rate.account)
		return false
	}
	s.conns[c] = struct{}{}
	s.served.Add(1)
	if s.beating == nil {
		s.beat()
	}
	return true
}

// beat begins what looks after the connections.
func (s *Server) beat() {
	s.beating = &lifetime{done: make(chan struct{})}
	s.served.Add(1)
	go s.heartbeat(s.beating)
	if s.cfg.Valid != nil {
		s.served.Add(1)
		go s.watch(s.beating)
	}
}

func (s *Server) remove(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	s.ledger.part(c.rate.account)
	if len(s.conns) == 0 {
		s.beating.end()
		s.dozer.end()
		s.beating, s.dozer = nil, nil
	}
}

// Connections counts the connections.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// Of the time that Shutdown has, a part is kept from the turns for telling the
// clients, and at least farewell is taken for that.
const (
	farewellShare = 4
	maxFarewell   = 3 * time.Second
	farewell      = time.Second
)

// drainContext ends before ctx does.
func drainContext(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-min(maxFarewell, time.Until(deadline)/farewellShare)))
}

// Shutdown refuses new connections, shuts the runtime down, so that the turns
// that run are finished and heard, and then closes every connection with
// CloseGoingAway. It waits until all is sent and ended, or ctx ends, but at
// least a second. It may be called more than once.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	drain, cancel := drainContext(ctx)
	defer cancel()
	err := s.cfg.Runtime.Shutdown(drain)
	s.mu.Lock()
	conns := make([]*connection, 0, len(s.conns))
	for c := range s.conns {
		conns = append(conns, c)
	}
	s.mu.Unlock()
	for _, c := range conns {
		c.close(CloseGoingAway)
	}
	told := time.After(farewell)
	done := make(chan struct{})
	go func() { // ends with the last connection
		s.served.Wait()
		close(done)
	}()
	select {
	case <-done:
		return err
	case <-ctx.Done():
		select {
		case <-done:
			return err
		case <-told:
		}
	}
	for _, c := range conns {
		_ = c.socket.Close()
	}
	<-done
	return errors.Join(err, ctx.Err())
}
