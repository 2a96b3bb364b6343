// Package digest sends things to do and the numbers of questions once a week, as mail and to webhooks.
package digest

import (
	"context"
	"time"

	"docent/config"
	"docent/insight"
	"docent/insight/today"
	"docent/internal/fault"
)

// Webhooks is the recipient of the digest for webhooks.
const Webhooks = "webhooks"

// at is the time of day at which the digest is sent, after midnight.
const at = 7 * time.Hour

// Plan has the settings of a Sender that can change while it runs.
type Plan struct {
	// Day is the weekday of the digest. On reports that it is sent.
	Day time.Weekday
	On  bool
	// Recipients get it as mail.
	Recipients []config.Recipient
	// Language is the language of the texts: en or de.
	Language string
}

// Latest returns the latest time of the plan that is not after now, in the time zone of now. It
// returns the zero time for a plan without digests.
func (p Plan) Latest(now time.Time) time.Time {
	if !p.On {
		return time.Time{}
	}
	back := (int(now.Weekday()) - int(p.Day) + 7) % 7
	latest := p.on(now, -back)
	if latest.After(now) {
		latest = p.on(now, -back-7)
	}
	return latest
}

// Next returns the time of the plan after Latest, or the zero time.
func (p Plan) Next(now time.Time) time.Time {
	latest := p.Latest(now)
	if latest.IsZero() {
		return latest
	}
	return p.on(latest, 7)
}

// on returns the time of a digest some days after a time.
func (p Plan) on(t time.Time, days int) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day()+days, int(at/time.Hour), 0, 0, 0, t.Location())
}

// Sent is the last attempt for a recipient.
type Sent struct {
	// Recipient is an address, or Webhooks.
	Recipient string
	// Due is the time of the plan, or the time at which somebody asked for the digest.
	Due time.Time
	// At is the time of the attempt.
	At time.Time
	// Attempts counts the attempts for Due.
	Attempts int
	// Problem says why it failed. It is zero for a sent digest.
	Problem fault.Text
}

// Store keeps the last attempts. It is safe for concurrent use.
type Store interface {
	// Digests returns the last attempt for each recipient, ordered by recipient.
	Digests(ctx context.Context) ([]Sent, error)
	// KeepDigest stores the last attempt for a recipient. It removes those from before a time.
	KeepDigest(ctx context.Context, s Sent, before time.Time) error
}

// Failed returns the recipients of a plan whose last digest was not sent, in the order of the plan.
func Failed(p Plan, sent []Sent) (out []Sent) {
	if !p.On {
		return nil
	}
	for _, r := range p.all() {
		for _, s := range sent {
			if s.Recipient == r.Address && !s.Problem.IsZero() {
				out = append(out, s)
			}
		}
	}
	return out
}

// Today finds things to do. *today.List implements it.
type Today interface {
	// Things returns things to do, worst first, for people who see some collections, and may read documents in others. nil means all.
	Things(ctx context.Context, collections, readable []string) ([]today.Thing, error)
}

// Totals counts questions. insight.Store implements it.
type Totals interface {
	// AnswerTotals returns the totals of each day from a day on. nil means all questions.
	AnswerTotals(ctx context.Context, since string, collections []string) ([]insight.Totals, error)
}

// Disabled is the error for a disabled user among the recipients.
func Disabled(user string) error {
	return fault.New(fault.Forbidden, "digest_user_disabled", "the user %q is disabled", user)
}

// ManagesNothing is the error for a recipient without a collection to manage.
func ManagesNothing(user string) error {
	return fault.New(fault.Forbidden, "digest_user_manages_nothing",
		"the user %q manages no collection; give the right to manage one, or remove the recipient", user)
}
