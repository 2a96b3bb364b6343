// Package replica connects the processes that share a database. Each process is a replica with a
// lease, which it renews. A client of one replica uses a session of another one through a [Link],
// which carries calls and frames in both directions.
//
// The database is the record of all sessions, so a link may break at any time: its client opens the
// session again and reads the rest from the database. A link breaks if a packet is missing.
package replica

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"docent/internal/fault"
)

// Leases is the part of a database with the leases; see journal.Leases.
type Leases interface {
	// JoinReplicas adds a new replica.
	JoinReplicas(ctx context.Context, id string, ttl time.Duration) error
	// RenewReplica keeps a replica and returns the others. It returns false if the replica was
	// removed.
	RenewReplica(ctx context.Context, id string, ttl time.Duration) (others []string, renewed bool, err error)
	// LeaveReplicas removes a replica.
	LeaveReplicas(ctx context.Context, id string) error
}

// MaxPayload bounds one payload of a Bus in bytes. Postgres refuses notifications of 8,000 bytes.
const MaxPayload = 7900

// Bus carries payloads between replicas.
type Bus interface {
	// Listen receives the payloads for a replica, in the order of each sender, until ctx ends or
	// the connection breaks. It calls ready once it listens. Payloads before that are lost.
	Listen(ctx context.Context, id string, ready func(), receive func(payload string)) error
	// Post sends all payloads to a replica in order, or none. A replica that does not listen
	// misses them. If Post fails, the payloads may still arrive.
	Post(ctx context.Context, to string, payloads []string) error
}

// Host is the program that a Member belongs to.
type Host interface {
	// Lost is called when the replica has lost its lease and has a new id. Other replicas may run
	// its sessions now.
	Lost(ctx context.Context)
	// Left is called when another replica is gone.
	Left(ctx context.Context, replica string)
	// Beat is called after each renewal of the lease.
	Beat()
	// Told receives a message of another replica; see Member.Tell. It must not block.
	Told(from, op string, message json.RawMessage)
	// Accept opens a session for a client of another replica. The client receives the messages of
	// stream. ctx ends with the link.
	Accept(ctx context.Context, request json.RawMessage, stream *Stream) (Guest, error)
}

// Guest is a client of another replica.
type Guest interface {
	// Call runs an operation. It may be called concurrently.
	Call(ctx context.Context, op Op, in json.RawMessage) (out any, err error)
	// Close ends the use of the session.
	Close()
}

// Config configures a Member.
type Config struct {
	// Leases is required.
	Leases Leases
	// Bus is required.
	Bus Bus
	// Logger receives failures of the database. Default: slog.Default.
	Logger *slog.Logger
	// Causes are the errors that a caller on another replica recognizes with errors.Is.
	Causes []error
	// Lease is the time after which a replica without a sign of life loses its sessions.
	// Default: DefaultLease.
	Lease time.Duration
}

// DefaultLease is the default of Config.Lease.
const DefaultLease = 3 * time.Second

// Fixed bounds.
const (
	// beat is the interval of renewals.
	beat = 500 * time.Millisecond
	// callTimeout bounds a call. It is longer than any wait of a session.
	callTimeout = time.Minute
	// openTimeout bounds the opening of a link.
	openTimeout = 5 * time.Second
	// stopTimeout bounds Stop's writes.
	stopTimeout = 2 * time.Second
	// maxCalls bounds the calls that run for one link.
	maxCalls = 64
	// maxLinks bounds the links in each direction.
	maxLinks = 20_000
)

// Member is this process among the replicas. It is safe for concurrent use.
type Member struct {
	cfg    Config
	host   Host
	stop   context.CancelFunc
	tasks  sync.WaitGroup    // the goroutines of Start
	work   sync.WaitGroup    // calls, and goroutines that post
	base   context.Context   //nolint:containedctx // of work for other replicas; ends with Stop
	ready  chan struct{}     // closed when the member listens for the first time
	pieces map[string]*piece // only the listening goroutine uses it

	mu        sync.Mutex // guards the following fields
	id        string
	relisten  context.CancelFunc
	alive     []string
	links     map[string]*Link
	streams   map[string]*Stream
	outboxes  map[string]*outbox
	listening bool          // it has listened before with this id
	renewed   time.Time     // the lease lasts at least from then
	beats     chan struct{} // closed and replaced after each renewal
	stopped   bool
}

// New returns a member that has not joined.
func New(cfg Config) (*Member, error) {
	if cfg.Leases == nil || cfg.Bus == nil {
		return nil, fault.New(fault.Invalid, "config_replica_incomplete", "replica.Config: Leases and Bus are required")
	}
	cfg.Logger = cmp.Or(cfg.Logger, slog.Default())
	cfg.Lease = cmp.Or(cfg.Lease, DefaultLease)
	return &Member{
		cfg: cfg, id: uuid.NewString(), ready: make(chan struct{}), pieces: map[string]*piece{},
		beats: make(chan struct{}), links: map[string]*Link{}, streams: map[string]*Stream{}, outboxes: map[string]*outbox{},
	}, nil
}

// ID returns the current id of this replica.
func (m *Member) ID() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.id
}

// Start joins the replicas and begins to work for host. It may be called once. The work goes on
// after the end of ctx, until Stop.
func (m *Member) Start(ctx context.Context, host Host) error {
	began := time.Now()
	if err := m.cfg.Leases.JoinReplicas(ctx, m.ID(), m.cfg.Lease); err != nil {
		return fmt.Errorf("replicas: %w", err)
	}
	m.renews(began)
	m.mu.Lock()
	m.host = host
	m.mu.Unlock()
	m.base, m.stop = context.WithCancel(context.WithoutCancel(ctx))
	m.tasks.Go(func() { m.listen(m.base) })
	m.tasks.Go(func() { m.renew(m.base) })
	select {
	case <-m.ready:
		return nil
	case <-ctx.Done():
	case <-time.After(2 * openTimeout):
	}
	m.Stop(ctx)
	return fault.New(fault.Unavailable, "replica_not_listening", "docent cannot listen for notifications of the database")
}

// Others returns the number of other live replicas.
func (m *Member) Others() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.alive)
}

// renews records a renewal that began at a time.
func (m *Member) renews(began time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.renewed = began
	close(m.beats)
	m.beats = make(chan struct{})
}

// Await returns once this replica surely has its lease. It waits only if the last renewal is too
// long ago, such as after a stop of the process. It fails with fault.Unavailable if the database
// does not answer. Sessions in memory may be out of date before.
func (m *Member) Await(ctx context.Context) error {
	timeout := time.NewTimer(openTimeout)
	defer timeout.Stop()
	for {
		m.mu.Lock()
		valid, beats := time.Since(m.renewed) < m.cfg.Lease, m.beats
		m.mu.Unlock()
		if valid {
			return nil
		}
		select {
		case <-beats:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timeout.C:
			return gone()
		}
	}
}

// Stop breaks all links and leaves the replicas. The sessions of this replica are then free. It may
// be called more than once, and before Start.
func (m *Member) Stop(ctx context.Context) {
	if m.stop == nil {
		return
	}
	m.mu.Lock()
	done := m.stopped
	m.stopped = true
	m.mu.Unlock()
	if done {
		return
	}
	m.breakAll(func(string) bool { return true })
	m.stop()
	m.tasks.Wait()
	m.work.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := m.cfg.Leases.LeaveReplicas(ctx, m.ID()); err != nil {
		m.cfg.Logger.WarnContext(ctx, "leave the replicas", "error", err)
	}
}

// renew renews the lease until ctx ends.
func (m *Member) renew(ctx context.Context) {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	failed := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := m.beat(ctx)
		if err != nil && !failed && ctx.Err() == nil {
			m.cfg.Logger.WarnContext(ctx, "renew the lease of this replica", "error", err)
		}
		failed = err != nil
	}
}

// beat renews the lease once. It breaks the links to replicas that are gone.
func (m *Member) beat(ctx context.Context) error {
	m.mu.Lock()
	id := m.id
	known := map[string]bool{} // replicas that may be gone; a link that opens now is too new
	for _, l := range m.links {
		known[l.to] = true
	}
	for _, s := range m.streams {
		known[s.from] = true
	}
	m.mu.Unlock()
	within, cancel := context.WithTimeout(ctx, m.cfg.Lease)
	defer cancel()
	began := time.Now()
	others, renewed, err := m.cfg.Leases.RenewReplica(within, id, m.cfg.Lease)
	if err != nil {
		return fmt.Errorf("renew: %w", err)
	}
	if !renewed {
		return m.rejoin(ctx)
	}
	m.renews(began)
	m.mu.Lock()
	left := slices.DeleteFunc(m.alive, func(id string) bool { return slices.Contains(others, id) })
	m.alive = others
	m.mu.Unlock()
	m.breakAll(func(id string) bool { return known[id] && !slices.Contains(others, id) })
	for _, id := range left {
		m.host.Left(ctx, id)
	}
	m.host.Beat()
	return nil
}

// rejoin joins with a new id, because others may run the sessions of the old one.
func (m *Member) rejoin(ctx context.Context) error {
	id, began := uuid.NewString(), time.Now()
	within, cancel := context.WithTimeout(ctx, m.cfg.Lease)
	defer cancel()
	if err := m.cfg.Leases.JoinReplicas(within, id, m.cfg.Lease); err != nil {
		return fmt.Errorf("join again: %w", err)
	}
	m.cfg.Logger.WarnContext(ctx, "this replica was silent for too long; other replicas may run its sessions now")
	m.mu.Lock()
	m.id = id
	m.relisten()
	m.mu.Unlock()
	m.breakAll(func(string) bool { return true })
	m.host.Lost(ctx)
	m.renews(began)
	return nil
}

// listen receives payloads until ctx ends. It breaks all links after an interruption, because
// packets may be missing.
func (m *Member) listen(ctx context.Context) {
	pause := 0 * time.Millisecond
	for ctx.Err() == nil {
		within, cancel := context.WithCancel(ctx)
		m.mu.Lock()
		id := m.id
		m.relisten = cancel
		m.mu.Unlock()
		err := m.cfg.Bus.Listen(within, id, func() {
			pause = 0
			m.listens()
		}, func(payload string) { m.receive(payload) })
		again := within.Err() != nil
		cancel()
		if ctx.Err() != nil || again {
			continue
		}
		m.cfg.Logger.WarnContext(ctx, "listening for other replicas was interrupted", "error", err)
		m.breakAll(func(string) bool { return true })
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(max(2*pause, 100*time.Millisecond), 2*time.Second)
	}
}

// listens records that the member listens.
func (m *Member) listens() {
	clear(m.pieces)
	m.mu.Lock()
	first := !m.listening
	m.listening = true
	m.mu.Unlock()
	if first {
		close(m.ready)
	}
	m.breakAll(func(string) bool { return !first })
}

// ErrGone is the cause of an error about a link that broke, or a session that the other replica
// does not run. The caller opens the session again.
var ErrGone = errors.New("the other replica does not answer")

// gone is the error of a link that broke.
func gone() error {
	return fault.Wrap(fault.Unavailable, ErrGone, "replica_gone", "the connection to another server broke; connect again")
}

// Tell sends a message to all other replicas. It may be lost.
func (m *Member) Tell(op string, message any) {
	body, err := encode(message)
	if err != nil {
		m.cfg.Logger.Warn("tell other replicas", "error", err)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopped {
		return
	}
	for _, to := range m.alive {
		_ = m.postLocked(to, packet{Link: m.id, Kind: kindTell, Op: op, Body: body}) // it may be lost
	}
}

// breakAll ends the links and streams with replicas.
func (m *Member) breakAll(with func(replica string) bool) {
	m.mu.Lock()
	var links []*Link
	for _, l := range m.links {
		if with(l.to) {
			links = append(links, l)
		}
	}
	var streams []*Stream
	for _, s := range m.streams {
		if with(s.from) {
			streams = append(streams, s)
		}
	}
	m.mu.Unlock()
	for _, l := range links {
		l.end(gone())
	}
	for _, s := range streams {
		s.end(true)
	}
}
