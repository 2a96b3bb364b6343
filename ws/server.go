package ws

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"docent/auth"
	"docent/internal/fault"
)

// readBuffer is the size of a connection's read buffer, in bytes. A frame with 1
// KiB of text fits. Every idle connection has such a buffer.
const readBuffer = 1280

// Server upgrades requests and serves the connections. It is safe for concurrent
// use.
type Server struct {
	cfg      Config
	meters   *meters
	bounds   bounds
	anyone   auth.Principal // the principal of all clients without authentication
	upgrader websocket.Upgrader
	recheck  chan struct{}  // wakes watch
	served   sync.WaitGroup // the connections' and the server's goroutines
	hearing  atomic.Int64   // recordings that are being transcribed

	mu     sync.Mutex // guards the fields below
	closed bool
	conns  map[*Connection]struct{}
	rest   context.CancelFunc // ends heartbeat and watch; nil without connections
}

// NewServer returns a server without connections.
func NewServer(cfg Config) (*Server, error) {
	if cfg.Runtime == nil {
		return nil, fault.New(fault.Invalid, "config_ws_incomplete", "ws.Config.Runtime is required")
	}
	for path, d := range cfg.Dialects {
		if d.Name == "" || d.Begin == nil {
			return nil, fault.New(fault.Invalid, "config_ws_dialect", "ws.Config.Dialects: the dialect at %s needs Name and Begin", path)
		}
	}
	if err := cfg.defaults(); err != nil {
		return nil, err
	}
	return newServer(cfg), nil
}

func newServer(cfg Config) *Server {
	s := &Server{
		cfg: cfg, meters: newMeters(cfg), bounds: newBounds(cfg), anyone: auth.Anyone(),
		upgrader: websocket.Upgrader{
			HandshakeTimeout: cfg.fixed.WriteTimeout,
			ReadBufferSize:   readBuffer,
			WriteBufferPool:  &sync.Pool{}, // idle connections have no write buffer
			CheckOrigin:      cfg.CheckOrigin,
			Error:            upgradeFailed,
		},
		recheck: make(chan struct{}, 1), conns: map[*Connection]struct{}{},
	}
	s.gauges(cfg.Metrics)
	return s
}

// ServeHTTP upgrades a request to a WebSocket and returns. The connection
// continues in the background.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !IsUpgrade(r) {
		s.refuseRequest(w, r)
		return
	}
	u, err := s.upgrade(r)
	if err != nil {
		s.refuseHandshake(w, err)
		return
	}
	remote := auth.Remote(r)
	place, err := s.admit(u.who, remote)
	if err != nil {
		s.refuseHandshake(w, err)
		return
	}
	var answer http.Header
	if p := u.chosenProtocol(r); p != "" {
		answer = http.Header{"Sec-Websocket-Protocol": {p}}
	}
	socket, err := s.upgrader.Upgrade(w, r, answer) // the library writes the response to errors itself
	if err != nil {
		s.cfg.Logger.DebugContext(r.Context(), "upgrade", "error", err)
		count(s.meters.refused, refusedHandshake)
		place.free()
		return
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	c := newConnection(s, socket, u, cancel)
	c.remote, c.place = remote, place
	if !s.add(ctx, c) {
		place.free()
		cancel()
		_ = socket.Close()
		return
	}
	c.meters.accepted.Inc()
	go c.serve(ctx, &u.opening)
}

// refuseRequest answers a request that does not ask for a WebSocket.
func (s *Server) refuseRequest(w http.ResponseWriter, r *http.Request) {
	if d := s.cfg.Dialects[r.URL.Path]; d.NotWebSocket != nil {
		d.NotWebSocket(w, r)
		return
	}
	w.Header().Set("Upgrade", "websocket")
	writeRefusal(w, http.StatusUpgradeRequired, fault.Invalid, fault.NewText("websocket_needed", "this path takes WebSocket connections"))
}

// add adds a connection. It returns false if the server has been shut down.
func (s *Server) add(ctx context.Context, c *Connection) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	c.pingAt = time.Now().Add(s.cfg.PingEvery)
	s.conns[c] = struct{}{}
	s.served.Add(1)
	if s.rest == nil {
		s.attend(context.WithoutCancel(ctx))
	}
	return true
}

// attend starts the goroutines that serve all connections. They run while there
// are connections.
func (s *Server) attend(ctx context.Context) {
	ctx, s.rest = context.WithCancel(ctx)
	s.served.Add(1)
	go s.heartbeat(ctx)
	if s.cfg.Valid != nil {
		s.served.Add(1)
		go s.watch(ctx)
	}
}

// remove removes a connection that has ended.
func (s *Server) remove(c *Connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	c.place.free()
	if len(s.conns) == 0 {
		s.rest()
		s.rest = nil
	}
}

// Connections returns the number of connections.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// Shutdown reserves a part of its time for the close frames, at least farewell.
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

// Shutdown stops the server. First it refuses new connections. Then it shuts the
// runtime down, which finishes and delivers running turns. Finally it closes
// every connection with CloseGoingAway. It waits until the clients have answered
// or ctx ends, but at least a second. Shutdown may be called more than once.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	drain, cancel := drainContext(ctx)
	defer cancel()
	err := s.cfg.Runtime.Shutdown(drain)
	s.mu.Lock()
	conns := make([]*Connection, 0, len(s.conns))
	for c := range s.conns {
		conns = append(conns, c)
	}
	s.mu.Unlock()
	for _, c := range conns {
		c.Close(CloseGoingAway)
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
