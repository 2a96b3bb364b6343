// Package trigger sends events to users at times of day, for the triggers of agents.
package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"docent/agent"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/errlog"
	"docent/internal/fault"
	"docent/internal/lease"
)

const (
	// lookEvery is the time between two looks at the clock.
	lookEvery = time.Second
	// busyFor is the time after which a process looks again at a time that another process works on.
	busyFor = 5 * time.Second
	// retryAfter is the time after which failed deliveries are tried again.
	retryAfter = 30 * time.Second
	// page bounds the users that are read at once.
	page = 500
	// atOnce bounds the sessions of one trigger that a process waits for at the same time.
	atOnce = 4
	// turnFor bounds how long a session holds up others.
	turnFor = time.Minute
	// callFor bounds one call of the store.
	callFor = 10 * time.Second
	// channel is the channel of conversations that a trigger begins: users find them on the page.
	channel = "page"
)

// Config configures a Runner.
type Config struct {
	// Agents are the runtimes of the agents. Required.
	Agents []*session.Runtime
	// Store keeps what the triggers have done. Required.
	Store journal.Triggers
	// Leases let one process at a time run a trigger. Required.
	Leases lease.Jobs
	// Anonymous reports that docent does not know the users, because authentication is off.
	Anonymous bool
	// Now returns the time. Default: time.Now.
	Now func() time.Time
	// Logger receives failures. Default: none.
	Logger *slog.Logger
}

// Runner runs the triggers of agents. Several processes may have one. It is safe for concurrent use.
type Runner struct {
	cfg   Config
	group sync.WaitGroup

	mu    sync.Mutex // guards known
	known map[journal.TriggerKey]*progress

	kept map[string]kept // by the name of the agent; only start uses it
}

// kept is the last removal of the old triggers of an agent.
type kept struct {
	events []string  // of the present triggers
	after  time.Time // no attempt before it
}

// progress is the state of a trigger in this process.
type progress struct {
	plan    string
	done    time.Time // the last time that is done; zero if this process does not know it
	after   time.Time // no attempt before it
	running bool
}

// New returns a Runner.
func New(cfg Config) (*Runner, error) {
	if len(cfg.Agents) == 0 || cfg.Store == nil || cfg.Leases == nil {
		return nil, errors.New("trigger: a field of Config is missing")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Runner{cfg: cfg, known: map[journal.TriggerKey]*progress{}, kept: map[string]kept{}}, nil
}

// Run runs triggers until ctx ends. It logs failures, and tries again.
func (r *Runner) Run(ctx context.Context) error {
	defer r.group.Wait()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		r.start(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Step runs the triggers that are due, and waits for them.
func (r *Runner) Step(ctx context.Context) {
	r.start(ctx)
	r.group.Wait()
}

// start starts the triggers that are due.
func (r *Runner) start(ctx context.Context) {
	now := r.cfg.Now()
	for _, rt := range r.cfg.Agents {
		triggers, zone := session.TriggersOf(rt)
		r.keep(ctx, rt.Name(), triggers, now)
		for _, t := range triggers {
			j := job{
				Runner: r, rt: rt, trigger: t, key: journal.TriggerKey{Agent: rt.Name(), Event: t.Event},
				plan: t.Clock.String() + " " + zone.String(), due: t.Clock.Last(now.In(zone)),
			}
			if p := r.begin(j, now); p != nil {
				r.group.Go(func() { j.attempt(ctx, p) })
			}
		}
	}
}

// keep removes everything about triggers that the agent had before, at the start and when its triggers change. It does
// not do so all the time, because another process may already have the next version of the agent.
func (r *Runner) keep(ctx context.Context, name string, triggers []agent.Trigger, now time.Time) {
	events := make([]string, len(triggers))
	for i, t := range triggers {
		events[i] = t.Event
	}
	k, ok := r.kept[name]
	if ok && k.after.IsZero() && slices.Equal(k.events, events) || now.Before(k.after) && !k.after.After(now.Add(lease.Max)) {
		return
	}
	within, cancel := context.WithTimeout(ctx, callFor)
	defer cancel()
	if err := r.cfg.Store.KeepTriggers(within, name, events); err != nil {
		if ctx.Err() == nil {
			r.cfg.Logger.WarnContext(ctx, "remove old triggers", "agent", name, errlog.Attr(err))
		}
		k.after = now.Add(retryAfter)
		r.kept[name] = k
		return
	}
	r.kept[name] = kept{events: events}
	r.mu.Lock()
	defer r.mu.Unlock()
	for key := range r.known {
		if key.Agent == name && !slices.Contains(events, key.Event) {
			delete(r.known, key)
		}
	}
}

// begin marks a trigger as running, if its time has come.
func (r *Runner) begin(j job, now time.Time) *progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, late := r.known[j.key], now.Add(lease.Max) // later times are from before the clock was set back
	if p == nil || !p.running && (p.plan != j.plan || p.done.After(late) || p.after.After(late)) {
		p = &progress{plan: j.plan}
		r.known[j.key] = p
	}
	if p.running || !p.done.Before(j.due) || now.Before(p.after) {
		return nil
	}
	p.running = true
	return p
}

// job is one time of a trigger.
type job struct {
	*Runner

	rt      *session.Runtime
	key     journal.TriggerKey
	trigger agent.Trigger
	plan    string
	due     time.Time
}

// attempt runs the job, and remembers the result.
func (j job) attempt(ctx context.Context, p *progress) {
	done, pause, err := j.run(ctx)
	if err != nil && ctx.Err() == nil {
		j.cfg.Logger.WarnContext(ctx, "run a trigger", "agent", j.key.Agent, "trigger", j.key.Event, errlog.Attr(err))
		pause = retryAfter
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	p.running, p.done, p.after = false, done, j.cfg.Now().Add(pause)
}

// run sends the event to all users, unless that is done. It returns the last time that is done, and the
// pause before the next attempt.
func (j job) run(ctx context.Context) (done time.Time, pause time.Duration, err error) {
	if done, err = j.last(ctx); err != nil || !done.Before(j.due) {
		return done, 0, err
	}
	name := "trigger " + j.key.Agent + " " + j.key.Event
	owner, err := lease.Take(ctx, j.cfg.Leases, name, j.cfg.Now)
	if err != nil || owner == "" {
		return done, busyFor, err //nolint:wrapcheck // the store names the operation
	}
	err = lease.Hold(ctx, j.cfg.Leases, name, owner, j.cfg.Now, func(ctx context.Context) error { //nolint:wrapcheck // complete
		if done, err = j.last(ctx); err != nil || !done.Before(j.due) { // another process may have been faster
			return err
		}
		all, err := j.deliverAll(ctx)
		if err != nil {
			return err
		}
		if pause = retryAfter; all {
			within, cancel := context.WithTimeout(ctx, callFor)
			defer cancel()
			if err = j.cfg.Store.EndTrigger(within, j.key, j.due); err == nil {
				done = j.due
			}
		}
		return err //nolint:wrapcheck // the store names the operation
	})
	return done, pause, err
}

// last returns the last time that is done.
func (j job) last(ctx context.Context) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, callFor)
	defer cancel()
	return j.cfg.Store.LastTrigger(ctx, j.key, j.plan, j.cfg.Now()) //nolint:wrapcheck // the store names the operation
}

// deliverAll sends the event to all users. It returns false if some must be tried again.
func (j job) deliverAll(ctx context.Context) (all bool, err error) {
	audience := j.trigger.For
	if j.cfg.Anonymous {
		if audience != agent.Everyone {
			return true, nil // there are no users and groups
		}
		audience = ""
	}
	var failed atomic.Bool
	after := ""
	for {
		to, err := j.recipients(ctx, audience, after)
		if err != nil {
			return false, err
		}
		group, within := errgroup.WithContext(ctx)
		group.SetLimit(atOnce)
		for _, recipient := range to {
			group.Go(func() error {
				again, err := j.deliver(within, recipient)
				if again {
					failed.Store(true)
				}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return false, err //nolint:wrapcheck // the store names the operation
		}
		if len(to) < page {
			return !failed.Load(), nil
		}
		after = to[len(to)-1].Owner
	}
}

func (j job) recipients(ctx context.Context, audience, after string) ([]journal.Recipient, error) {
	ctx, cancel := context.WithTimeout(ctx, callFor)
	defer cancel()
	return j.cfg.Store.Recipients(ctx, j.key.Agent, audience, after, page) //nolint:wrapcheck // the store names the operation
}

// deliver sends the event to one user. The session is stored before, and the event has an id, so a process
// that is killed between the two sends nothing twice. again asks for another attempt.
func (j job) deliver(ctx context.Context, to journal.Recipient) (again bool, err error) {
	begins := j.trigger.For != agent.Everyone
	if to.Session == "" {
		if !begins {
			return false, nil
		}
		to.Session = uuid.NewString()
	}
	d, err := j.cfg.Store.BeginDelivery(ctx, j.key, to.Owner, j.due, to.Session)
	if err != nil || d.Done {
		return false, err //nolint:wrapcheck // the store names the operation
	}
	waits, err := j.cfg.Store.EventWaits(ctx, journal.SessionKey{Agent: j.key.Agent, ID: d.Session}, j.key.Event)
	if err != nil {
		return false, err //nolint:wrapcheck // the store names the operation
	}
	if waits { // its state has not taken the event before, or the process that sent it was killed
		j.await(ctx, d.Session)
	} else {
		err = j.send(ctx, to.Owner, d.Session, begins)
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if err != nil {
		j.cfg.Logger.WarnContext(ctx, "send the event of a trigger", "agent", j.key.Agent, "trigger", j.key.Event,
			"session", d.Session, errlog.Attr(err))
		if fault.KindOf(err).Retryable() {
			return true, nil
		}
	}
	return false, j.cfg.Store.EndDelivery(ctx, j.key, to.Owner, j.due) //nolint:wrapcheck // the store names the operation
}

// send sends the event to a session. begins makes a missing session.
func (j job) send(ctx context.Context, owner, id string, begins bool) error {
	data, err := json.Marshal(map[string]string{"at": j.due.Format(time.RFC3339)})
	if err != nil {
		return fmt.Errorf("data of a trigger: %w", err)
	}
	event, eventID := agent.Event{Name: j.key.Event, Data: data}, journal.TriggerID+j.key.Event+" "+j.due.UTC().Format(time.RFC3339)
	err = j.rt.DispatchOnce(ctx, id, eventID, event)
	if begins && fault.KindOf(err) == fault.NotFound {
		var s *session.Subscription
		s, err = j.rt.Open(ctx, session.OpenRequest{
			ID: id, Owner: owner, Username: nameOf(owner), Name: j.key.Event, Channel: channel,
		}, silent{})
		if err == nil {
			defer s.Close()
			err = j.rt.DispatchOnce(ctx, id, eventID, event)
		}
	}
	if err != nil {
		return err //nolint:wrapcheck // the error is complete
	}
	j.await(ctx, id)
	return nil
}

// await waits until a session has handled its events, as far as its state takes them. It loads the session.
func (j job) await(ctx context.Context, id string) {
	within, cancel := context.WithTimeout(ctx, turnFor)
	defer cancel()
	_ = j.rt.AwaitIdle(within, id) // the event is stored; another process may run the session
}

// nameOf returns the name of a principal.
func nameOf(owner string) string {
	if _, subject, ok := strings.Cut(owner, "#"); ok && strings.HasPrefix(owner, "oidc:") {
		return subject
	}
	_, name, _ := strings.Cut(owner, ":")
	return name
}

// silent is a session.Listener that ignores all frames.
type silent struct{}

func (silent) Opened(session.Opened)    {}
func (silent) Deliver(session.Delivery) {}
