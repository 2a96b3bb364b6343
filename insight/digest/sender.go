package digest

import (
	"context"
	"errors"
	"log/slog"
	"time"

	gomail "github.com/wneessen/go-mail"

	"docent/config"
	"docent/insight"
	"docent/internal/fault"
	"docent/internal/lease"
)

const (
	// job is the name of the lease.
	job = "digest"
	// lookEvery is the time between two looks at the plan.
	lookEvery = 15 * time.Second
	// lateFor is the time after which a digest is no longer sent, because all servers were off.
	lateFor = 24 * time.Hour
	// retryAfter is the time between two attempts for one recipient.
	retryAfter = 15 * time.Minute
	// maxAttempts bounds the attempts for one recipient in a week.
	maxAttempts = 6
	// maxRun bounds one round for all recipients.
	maxRun = 5 * time.Minute
	// keptFor is the time for which the last attempt for a former recipient is kept.
	keptFor = 60 * 24 * time.Hour
	// monthDays and weekDays are the days of the totals.
	monthDays, weekDays = 30, 7
)

// Config configures a Sender. All fields except Now and Logger are required.
type Config struct {
	Store  Store
	Leases lease.Jobs
	Today  Today
	Totals Totals
	// Server is the mail server.
	Server config.Mail
	// Managed returns the collections of a user, and those that the user may read; nil means all. It fails for somebody who manages none.
	Managed func(ctx context.Context, user string) (managed, readable []string, err error)
	// Notify tells webhooks about a digest of everything. It reports whether one wants it.
	Notify func(ctx context.Context, subject, text string, things int) (bool, error)
	// Record records a problem in the log of the console.
	Record func(ctx context.Context, recipient string)
	// Plan returns the present plan.
	Plan func() Plan
	// Now returns the time, in the time zone of the plan. Default: time.Now.
	Now func() time.Time
	// Logger receives failures. Default: none.
	Logger *slog.Logger
}

// Sender sends digests by a plan and on demand. Several processes may have one. It is safe for
// concurrent use.
type Sender struct{ cfg Config }

// New returns a Sender.
func New(cfg Config) (*Sender, error) {
	if cfg.Store == nil || cfg.Leases == nil || cfg.Today == nil || cfg.Totals == nil || cfg.Managed == nil ||
		cfg.Notify == nil || cfg.Record == nil || cfg.Plan == nil {
		return nil, errors.New("digest: a field of Config is missing")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Sender{cfg}, nil
}

// Run sends digests by the plan until ctx ends. It records and logs failures.
func (s *Sender) Run(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := s.Step(ctx); err != nil && ctx.Err() == nil {
			s.cfg.Logger.WarnContext(ctx, "weekly digest", "error", err)
		}
	}
}

// Step sends the digests that are due.
func (s *Sender) Step(ctx context.Context) error {
	plan, now := s.cfg.Plan(), s.cfg.Now()
	due := plan.Latest(now)
	if due.IsZero() || now.Sub(due) > lateFor {
		return nil
	}
	if waiting, err := s.waiting(ctx, plan, due); err != nil || len(waiting) == 0 {
		return err
	}
	owner, err := lease.Take(ctx, s.cfg.Leases, job, s.cfg.Now)
	if err != nil || owner == "" {
		return err //nolint:wrapcheck // the store names the operation
	}
	return lease.Hold(ctx, s.cfg.Leases, job, owner, s.cfg.Now, func(ctx context.Context) error { //nolint:wrapcheck // send names the step
		waiting, err := s.waiting(ctx, plan, due) // another process may have been faster
		if err != nil {
			return err
		}
		_, err = s.send(ctx, plan, due, waiting)
		return err
	})
}

// waiting returns the recipients who have not got the digest of a time, with the number of attempts.
func (s *Sender) waiting(ctx context.Context, plan Plan, due time.Time) (map[config.Recipient]int, error) {
	sent, err := s.cfg.Store.Digests(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // the store names the operation
	}
	out := map[config.Recipient]int{}
	for _, r := range plan.all() {
		out[r] = 0
		for _, last := range sent {
			if last.Recipient != r.Address || last.Due.Before(due) {
				continue
			}
			out[r] = last.Attempts
			if last.Problem.IsZero() || last.Attempts >= maxAttempts || s.cfg.Now().Sub(last.At) < retryAfter {
				delete(out, r)
			}
		}
	}
	return out, nil
}

// all returns the recipients of mail and the webhooks.
func (p Plan) all() []config.Recipient {
	return append(append([]config.Recipient{}, p.Recipients...), config.Recipient{Address: Webhooks})
}

// errRunning is the error for a second round at the same time.
var errRunning = fault.New(fault.Conflict, "digest_running", "the digest is already being sent; wait a moment")

// errNobody is the error without recipients.
var errNobody = fault.New(fault.Conflict, "digest_nobody", "nobody gets the digest; enter recipients first, or add a webhook for digest.weekly")

// Send sends the digest to all recipients now. State tells who did not get it. It fails with
// fault.Conflict while another process sends the digest, and without recipients.
func (s *Sender) Send(ctx context.Context) error {
	plan := s.cfg.Plan()
	owner, err := lease.Take(ctx, s.cfg.Leases, job, s.cfg.Now)
	if err != nil {
		return err //nolint:wrapcheck // the store names the operation
	}
	if owner == "" {
		return errRunning
	}
	all := map[config.Recipient]int{}
	for _, r := range plan.all() {
		all[r] = 0
	}
	return lease.Hold(ctx, s.cfg.Leases, job, owner, s.cfg.Now, func(ctx context.Context) error { //nolint:wrapcheck // send names the step
		attempts, err := s.send(ctx, plan, s.cfg.Now(), all)
		if err == nil && attempts == 0 {
			err = errNobody
		}
		return err
	})
}

// send sends the digest to recipients, and records each attempt at once, so that a killed process
// repeats at most one. It returns the number of attempts.
func (s *Sender) send(ctx context.Context, plan Plan, due time.Time, recipients map[config.Recipient]int) (done int, err error) {
	ctx, cancel := context.WithTimeout(ctx, maxRun)
	defer cancel()
	var client *gomail.Client
	var unreachable error
	defer func() {
		if client != nil {
			_ = client.Close() // the server has the letters
		}
	}()
	for _, r := range plan.all() {
		attempts, wants := recipients[r]
		if !wants {
			continue
		}
		var failed error
		switch r.Address {
		case Webhooks:
			told, err := s.notify(ctx, plan)
			if err == nil && !told {
				continue // nobody wants it
			}
			failed = err
		default:
			if client == nil && unreachable == nil {
				client, unreachable = s.connect(ctx)
			}
			if failed = unreachable; failed == nil {
				failed = s.mail(ctx, client, plan, r)
			}
		}
		if ctx.Err() != nil {
			return done, context.Cause(ctx) // the next round sends it
		}
		if err := s.keep(ctx, Sent{Recipient: r.Address, Due: due, At: s.cfg.Now(), Attempts: attempts + 1}, failed); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

func (s *Sender) connect(ctx context.Context) (*gomail.Client, error) {
	if s.cfg.Server.URL == "" {
		return nil, fault.New(fault.Conflict, "digest_no_server", "this server sends no mail; start docent with --smtp-url and --smtp-from")
	}
	return connect(ctx, s.cfg.Server)
}

// keep stores an attempt, and reports a failed one.
func (s *Sender) keep(ctx context.Context, sent Sent, failed error) error {
	if failed != nil {
		sent.Problem = fault.TextOf(failed)
		if kind := fault.KindOf(failed); !kind.Retryable() {
			sent.Attempts = maxAttempts // another attempt would fail, too
		}
		s.cfg.Logger.WarnContext(ctx, "the weekly digest was not sent", "recipient", sent.Recipient, "error", failed)
		s.cfg.Record(ctx, sent.Recipient)
	}
	return s.cfg.Store.KeepDigest(ctx, sent, s.cfg.Now().Add(-keptFor)) //nolint:wrapcheck // the store names the operation
}

// mail sends the digest of a recipient.
func (s *Sender) mail(ctx context.Context, client *gomail.Client, plan Plan, r config.Recipient) error {
	var collections, readable []string
	if r.User != "" {
		var err error
		if collections, readable, err = s.cfg.Managed(ctx, r.User); err != nil {
			return err
		}
	}
	d, err := s.Digest(ctx, collections, readable)
	if err != nil {
		return err
	}
	return post(s.cfg.Server, client, letter{r, d.Subject(plan.Language), d.Text(plan.Language)}, s.cfg.Now())
}

func (s *Sender) notify(ctx context.Context, plan Plan) (bool, error) {
	d, err := s.Digest(ctx, nil, nil)
	if err != nil {
		return false, err
	}
	return s.cfg.Notify(ctx, d.Subject(plan.Language), d.Text(plan.Language), len(d.Things))
}

// Digest returns the present digest of collections. It uses only the readable collections. If readable is nil, all are.
func (s *Sender) Digest(ctx context.Context, collections, readable []string) (Digest, error) {
	d := Digest{Collections: collections, At: s.cfg.Now()}
	var err error
	if d.Things, err = s.cfg.Today.Things(ctx, collections, readable); err != nil {
		return d, err //nolint:wrapcheck // the store names the operation
	}
	now := s.cfg.Now().UTC()
	first, week := now.AddDate(0, 0, 1-monthDays).Format(time.DateOnly), now.AddDate(0, 0, 1-weekDays).Format(time.DateOnly)
	totals, err := s.cfg.Totals.AnswerTotals(ctx, first, collections)
	if err != nil {
		return d, err //nolint:wrapcheck // the store names the operation
	}
	for _, t := range totals {
		add(&d.Month, t)
		if t.Day >= week {
			add(&d.Week, t)
		}
	}
	return d, nil
}

func add(to *insight.Totals, t insight.Totals) {
	to.Questions += t.Questions
	to.Answered += t.Answered
	to.Unsure += t.Unsure
	to.NotFound += t.NotFound
	to.RatedDown += t.RatedDown
}

// State describes the digests of a server.
type State struct {
	Plan

	// Mail reports that the server can send mail.
	Mail bool
	// Next is the time of the next digest, or zero.
	Next time.Time
	// Sent are the last attempts for the recipients of the plan, and for webhooks.
	Sent []Sent
	// Subject and Text are those of the present digest of everything.
	Subject, Text string
}

// State returns the state.
func (s *Sender) State(ctx context.Context) (State, error) {
	plan := s.cfg.Plan()
	out := State{Plan: plan, Mail: s.cfg.Server.URL != "", Next: plan.Next(s.cfg.Now())}
	d, err := s.Digest(ctx, nil, nil)
	if err != nil {
		return out, err
	}
	out.Subject, out.Text = d.Subject(plan.Language), d.Text(plan.Language)
	sent, err := s.cfg.Store.Digests(ctx)
	for _, r := range plan.all() {
		for _, last := range sent {
			if last.Recipient == r.Address {
				out.Sent = append(out.Sent, last)
			}
		}
	}
	return out, err //nolint:wrapcheck // the store names the operation
}
