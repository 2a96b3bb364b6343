// Package syncer manages sources: it adds, changes, and removes them, and
// synchronizes collections with them on a schedule.
package syncer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"docent/ingest/source"
	"docent/internal/fault"
)

// Track is called when a sync begins. at returns its progress. The returned context ends if somebody
// cancels the sync. The returned function is called with the result.
type Track func(ctx context.Context, r source.Record, at func() source.Progress) (context.Context, func(source.Summary, error))

// Config configures a Manager.
type Config struct {
	// Sources stores the sources; required.
	Sources source.Sources
	// Items stores the items of sources; required.
	Items source.Items
	// Leases ensures that one process at a time syncs a source; required.
	Leases source.Leases
	// Ingester reads documents; required.
	Ingester Ingester
	// Documents removes documents; required.
	Documents Documents
	// Vault encrypts secrets; required.
	Vault *Vault
	// Kinds are the supported kinds of sources; default none.
	Kinds []source.Kind
	// Poll is the interval at which Run looks for sources that are due; default 2s.
	Poll time.Duration
	// Lease is the time after which another process continues the syncs of a killed
	// process; default 30s.
	Lease time.Duration
	// ItemBytes bounds the memory of the stored items of one source during its sync;
	// default 256 MiB.
	ItemBytes int64
	// Longest bounds the duration of a sync, so that a slow server does not keep others
	// waiting. The next sync continues. Default 6 hours.
	Longest time.Duration
	// Track records syncs; default none.
	Track Track
	// Now returns the time; default time.Now.
	Now func() time.Time
	// Logger receives the results of background syncs; default none.
	Logger *slog.Logger
}

// concurrency is the number of sources that are synced at once.
const concurrency = 2

// Manager adds, changes, removes, and syncs sources. It is safe for concurrent
// use.
type Manager struct {
	cfg  Config
	log  *slog.Logger
	wake chan struct{} // contains a token if Run must look for due sources

	mu      sync.Mutex
	running map[int64]*running // the syncs in this process
}

// running is a sync in this process.
type running struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
	at     func() source.Progress
}

// NewManager checks the configuration and returns a manager.
func NewManager(cfg Config) (*Manager, error) {
	switch {
	case cfg.Sources == nil, cfg.Items == nil, cfg.Leases == nil:
		return nil, errors.New("syncer: Config.Sources, Items or Leases is missing")
	case cfg.Ingester == nil:
		return nil, errors.New("syncer: Config.Ingester is missing")
	case cfg.Documents == nil:
		return nil, errors.New("syncer: Config.Documents is missing")
	case cfg.Vault == nil:
		return nil, errors.New("syncer: Config.Vault is missing")
	case cfg.Poll < 0, cfg.Lease < 0, cfg.ItemBytes < 0, cfg.Longest < 0:
		return nil, errors.New("syncer: Config.Poll, Lease, ItemBytes, and Longest must not be negative")
	}
	if cfg.Poll == 0 {
		cfg.Poll = 2 * time.Second
	}
	if cfg.Lease == 0 {
		cfg.Lease = 30 * time.Second
	}
	if cfg.ItemBytes == 0 {
		cfg.ItemBytes = 256 << 20
	}
	if cfg.Longest == 0 {
		cfg.Longest = 6 * time.Hour
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Manager{cfg: cfg, log: cfg.Logger, wake: make(chan struct{}, 1), running: map[int64]*running{}}, nil
}

const (
	// maxName bounds the name of a source, in bytes.
	maxName = 200
	// maxLocation bounds the location of a source, in bytes.
	maxLocation = 4096
	// maxSetting bounds one setting of a source, in bytes.
	maxSetting = 16 << 10
	// nameTries bounds the number of similar names that are tried.
	nameTries = 100
)

// Kinds returns the supported kinds of sources.
func (m *Manager) Kinds() []source.Kind { return m.cfg.Kinds }

func (m *Manager) kind(name string) (source.Kind, error) {
	var names []string
	for _, k := range m.cfg.Kinds {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return source.Kind{}, fault.New(fault.Invalid,
		"source_kind_unknown", "there is no kind of source %.64q; there are %s", name, strings.Join(names, ", "))
}

// Add checks and stores a source. Its first sync is due at once, unless its
// schedule is Manual.
func (m *Manager) Add(ctx context.Context, n source.New) (source.Record, error) {
	kind, err := m.kind(n.Kind)
	if err != nil {
		return source.Record{}, err
	}
	if kind.Local && n.Remote {
		return source.Record{}, fault.New(fault.Forbidden,
			"source_kind_local", "a source of kind %s reads files or runs a program on the server: add it there with docent source add %s",
			kind.Name, kind.Name)
	}
	r := source.Record{
		Name: n.Name, Kind: n.Kind, Location: n.Location, Options: n.Options,
		Collection: n.Collection, Schedule: n.Schedule, CreatedAt: m.cfg.Now().UTC(),
	}
	if err := m.complete(&r, kind, n.Secret); err != nil {
		return source.Record{}, err
	}
	if r.Secret, err = m.cfg.Vault.Seal(purpose(r), n.Secret); err != nil {
		return source.Record{}, err
	}
	base := r.Name
	for try := 2; ; try++ {
		r.ID, err = m.cfg.Sources.AddSource(ctx, r)
		if err == nil {
			break
		}
		if n.Name != "" || fault.KindOf(err) != fault.Conflict || try > nameTries {
			return source.Record{}, err
		}
		r.Name = fmt.Sprintf("%s (%d)", base, try)
	}
	m.notify()
	return m.cfg.Sources.Source(ctx, r.ID)
}

// complete sets defaults and checks a record.
func (m *Manager) complete(r *source.Record, kind source.Kind, secret map[string]string) error {
	if r.Schedule == "" {
		r.Schedule = kind.Schedule
	}
	if r.Schedule == "" {
		r.Schedule = "24h"
	}
	if r.Collection == "" {
		r.Collection = defaultCollection
	}
	if r.Location == "" || len(r.Location) > maxLocation || !storable(r.Location) {
		return fault.New(fault.Invalid, "source_location_length", "the location of a source must have 1 to %d bytes of text", maxLocation)
	}
	if r.Name == "" {
		r.Name = strings.ToValidUTF8(r.Location[:min(len(r.Location), maxName-10)], "")
	}
	if err := checkName(r.Name); err != nil {
		return err
	}
	interval, err := kind.Interval(r.Schedule)
	if err != nil {
		return err
	}
	if interval > 0 {
		r.NextAt = r.CreatedAt
	}
	if err := kind.Check(r.Options, secret); err != nil {
		return err
	}
	for _, settings := range []map[string]string{r.Options, secret} {
		for name, value := range settings {
			if len(value) > maxSetting || !storable(value) {
				return fault.New(fault.Invalid,
					"source_option_too_long", "option %s may have at most %d bytes of text", name, maxSetting)
			}
		}
	}
	src, err := kind.Open(settings(*r, secret))
	if err != nil {
		return err
	}
	return closeSource(src)
}

// checkName rejects names that cannot be typed or displayed.
func checkName(name string) error {
	if name == "" || len(name) > maxName || !storable(name) || strings.TrimSpace(name) != name || strings.ContainsAny(name, "\n\r\t") {
		return fault.New(fault.Invalid,
			"source_name_invalid", "the name of a source must be a line of 1 to %d bytes without spaces around it", maxName)
	}
	return nil
}

// defaultCollection is the collection of sources that name none.
const defaultCollection = "default"

// purpose returns the place to which the secrets of a source are bound.
func purpose(r source.Record) string { return Purpose(r.Kind, r.Location) }

func settings(r source.Record, secret map[string]string) source.Settings {
	s := source.Settings{ID: r.ID, Location: r.Location, Options: map[string]string{}}
	for _, all := range []map[string]string{r.Options, secret} {
		for name, value := range all {
			s.Options[name] = value
		}
	}
	return s
}

// openSource opens the source of a record.
func (m *Manager) openSource(r source.Record) (source.Source, error) {
	kind, err := m.kind(r.Kind)
	if err != nil {
		return nil, err
	}
	secret, err := m.cfg.Vault.Open(purpose(r), r.Secret)
	if err != nil {
		return nil, err
	}
	return kind.Open(settings(r, secret))
}

// closeSource frees the resources of a source.
func closeSource(s source.Source) error {
	if c, ok := s.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// List returns all sources, by name, with the progress of running syncs.
func (m *Manager) List(ctx context.Context) ([]source.Record, error) {
	all, err := m.cfg.Sources.ListSources(ctx)
	for i := range all {
		m.overlay(&all[i])
	}
	return all, err
}

// Get returns a source.
func (m *Manager) Get(ctx context.Context, id int64) (source.Record, error) {
	r, err := m.cfg.Sources.Source(ctx, id)
	m.overlay(&r)
	return r, err
}

// overlay adds the progress of a sync in this process.
func (m *Manager) overlay(r *source.Record) {
	m.mu.Lock()
	run := m.running[r.ID]
	m.mu.Unlock()
	switch {
	case run != nil:
		r.Progress, r.BusyUntil = run.at(), m.cfg.Now().Add(m.cfg.Lease)
	case !r.BusyUntil.After(m.cfg.Now()):
		r.Progress, r.BusyUntil = source.Progress{}, time.Time{}
	}
}

// Change changes a source and returns it.
func (m *Manager) Change(ctx context.Context, id int64, p source.Patch) (source.Record, error) {
	r, err := m.cfg.Sources.Source(ctx, id)
	if err != nil {
		return source.Record{}, err
	}
	c := source.Change{Name: p.Name, Schedule: p.Schedule, Paused: p.Paused}
	if p.Name != nil {
		if err := checkName(*p.Name); err != nil {
			return source.Record{}, err
		}
	}
	if p.Schedule != nil {
		kind, err := m.kind(r.Kind)
		if err != nil {
			return source.Record{}, err
		}
		interval, err := kind.Interval(*p.Schedule)
		if err != nil {
			return source.Record{}, err
		}
		next := time.Time{}
		if interval > 0 {
			next = m.cfg.Now().UTC()
			if r.Last != nil {
				next = latest(next, r.Last.EndedAt.Add(interval))
			}
		}
		c.NextAt = &next
	}
	if c.Resumes() && r.Stopped() && c.NextAt == nil {
		if interval, _ := source.ParseSchedule(r.Schedule); interval > 0 { //nolint:errcheck // an unreadable schedule counts as manual
			now := m.cfg.Now().UTC()
			c.NextAt = &now
		}
	}
	if err := m.cfg.Sources.ChangeSource(ctx, id, c); err != nil {
		return source.Record{}, err
	}
	m.notify()
	return m.Get(ctx, id)
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Request requests a background sync. With retry, the sync reads failed items
// again even if they have not changed. It fails with ErrStopped if docent has paused
// the source.
func (m *Manager) Request(ctx context.Context, id int64, retry bool) error {
	r, err := m.cfg.Sources.Source(ctx, id)
	if err != nil {
		return err
	}
	if r.Stopped() {
		return ErrStopped
	}
	request := source.SyncRequest
	if retry {
		request = source.RetryRequest
	}
	if err := m.cfg.Leases.RequestSync(ctx, id, request); err != nil {
		return err
	}
	m.notify()
	return nil
}

// Failures returns up to limit unreadable items of a source. They are ordered by
// key and come after the given key.
func (m *Manager) Failures(ctx context.Context, id int64, after string, limit int) ([]source.ItemRecord, error) {
	if _, err := m.cfg.Sources.Source(ctx, id); err != nil {
		return nil, err
	}
	return m.cfg.Items.FailedItems(ctx, id, after, limit)
}

// errRemoved ends the sync of a source that is being removed.
var errRemoved = fault.New(fault.Canceled, "source_removed", "the source is being removed")

// Remove removes a source and, unless keep is set, its documents. It keeps
// documents that the source did not add, and documents that other sources also
// have. Remove first ends a running sync in this process.
func (m *Manager) Remove(ctx context.Context, id int64, keep bool) error {
	r, err := m.cfg.Sources.Source(ctx, id)
	if err != nil {
		return err
	}
	m.mu.Lock()
	run := m.running[id]
	m.mu.Unlock()
	if run != nil {
		run.cancel(errRemoved)
		select {
		case <-run.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	owner := newOwner()
	if _, err := m.lease(ctx, r, owner); err != nil {
		return err
	}
	if !keep {
		fenced := source.WithFence(ctx, source.Fence{Source: id, Owner: owner})
		err = m.removeDocuments(fenced, r, func(p source.Progress) error {
			now := m.cfg.Now()
			_, err := m.cfg.Leases.KeepSync(ctx, id, source.Lease{Owner: owner, Now: now, Until: now.Add(m.cfg.Lease)}, p)
			return err
		})
	}
	if err == nil {
		err = m.cfg.Sources.RemoveSource(ctx, id)
	}
	if err != nil {
		return errors.Join(err, m.cfg.Leases.EndSync(context.WithoutCancel(ctx), id, owner, nil))
	}
	m.notify()
	return nil
}

// removeDocuments removes the items of a source, and the documents that only this
// source has.
func (m *Manager) removeDocuments(ctx context.Context, r source.Record, keepLease func(source.Progress) error) error {
	items, err := m.cfg.Items.SourceItems(ctx, r.ID)
	if err != nil {
		return err
	}
	batch, err := m.cfg.Ingester.Batch(ctx, r.Collection, false)
	if err != nil {
		return err
	}
	at := source.Progress{Total: len(items)}
	for part := range slices.Chunk(items, removeItems) {
		if _, err := removeOwned(ctx, m.cfg.Items, m.cfg.Documents, batch, r.ID, part, nil); err != nil {
			return err
		}
		at.Done += len(part)
		if err := keepLease(at); err != nil {
			return err
		}
	}
	return nil
}

// notify makes Run look for due sources.
func (m *Manager) notify() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}
