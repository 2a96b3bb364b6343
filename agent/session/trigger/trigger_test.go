package trigger_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"docent/agent"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/agent/session/trigger"
	"docent/auth"
	"docent/auth/rights"
	"docent/internal/lease"
	"docent/internal/pgtest"
	"docent/internal/sqlitetest"
	"docent/internal/storetest"
	"docent/store/postgres"
	"docent/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }

// database is the part of a database that the tests use.
type database interface {
	journal.Store
	journal.Unused
	journal.Directory
	journal.Triggers
	lease.Jobs
	auth.Users
	rights.Store
}

// each runs a test on both databases.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Parallel()
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		s, err := postgres.Open(t.Context(), postgres.Config{URL: pgtest.URL(t)})
		storetest.OK(t, err)
		t.Cleanup(func() { storetest.OK(t, s.Close()) })
		test(t, newWorld(t, s))
	})
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		s, err := sqlite.Open(t.Context(), sqlite.Config{Path: sqlitetest.Path(t)})
		storetest.OK(t, err)
		t.Cleanup(func() { storetest.OK(t, s.Close()) })
		test(t, newWorld(t, s))
	})
}

// world is an agent with triggers, whose clock the test sets.
type world struct {
	db database
	rt *session.Runtime

	mu  sync.Mutex // guards now
	now time.Time
}

// newWorld returns a world on Monday, 2026-01-05, at 8:00.
func newWorld(t *testing.T, db database) *world {
	t.Helper()
	w := &world{db: db, now: time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)}
	var err error
	w.rt, err = session.NewRuntime(session.RuntimeConfig{Agent: desk(), Store: db, Unused: db, Now: w.time, Location: time.UTC})
	storetest.OK(t, err)
	t.Cleanup(func() { storetest.OK(t, w.rt.Shutdown(context.WithoutCancel(t.Context()))) })
	return w
}

// desk returns the agent.
func desk() *agent.Agent {
	a := agent.New("desk")
	idle, tell, lock := a.State("idle", agent.Initial), a.State("tell"), a.State("lock")
	tell.Body(func(ctx context.Context, s *agent.Session) error {
		var data struct{ At time.Time }
		if err := json.Unmarshal(s.Event().Data, &data); err != nil {
			return err
		}
		return s.Reply(ctx, s.Event().Name+" of "+data.At.UTC().Format("Mon 15:04"))
	})
	idle.OnEvent("morning", "sales", "ann").GoTo(tell)
	tell.GoTo(idle)
	idle.OnMessage().WhenMatches(regexp.MustCompile("^lock$")).GoTo(lock)
	idle.OnMessage().GoTo(idle)
	lock.OnMessage().GoTo(idle)
	at := func(hour int, days ...time.Weekday) agent.Clock { return agent.Clock{Hour: hour, Days: days} }
	a.Trigger(agent.Trigger{Event: "morning", Clock: at(9, agent.Workdays...), For: agent.Everyone})
	a.Trigger(agent.Trigger{Event: "sales", Clock: at(10, time.Friday), For: "group:sales"})
	a.Trigger(agent.Trigger{Event: "ann", Clock: at(11), For: "user:Ann"})
	return a
}

func (w *world) time() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// at sets the clock to a time of January.
func (w *world) at(day, hour, minute int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = time.Date(2026, 1, day, hour, minute, 0, 0, time.UTC)
}

// runner returns a runner, as another process has it.
func (w *world) runner(t *testing.T, change func(*trigger.Config)) *trigger.Runner {
	t.Helper()
	cfg := trigger.Config{Agents: []*session.Runtime{w.rt}, Store: w.db, Leases: w.db, Now: w.time}
	if change != nil {
		change(&cfg)
	}
	r, err := trigger.New(cfg)
	storetest.OK(t, err)
	return r
}

// user adds users.
func (w *world) users(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		storetest.OK(t, w.db.AddUser(t.Context(), auth.UserRecord{Name: name, Password: "hash", Scopes: auth.Scopes{auth.Ask}, CreatedAt: w.time()}))
	}
}

// group adds members to the group sales.
func (w *world) group(t *testing.T, members ...string) {
	t.Helper()
	storetest.OK(t, w.db.AddGroup(t.Context(), "sales"))
	for _, m := range members {
		storetest.OK(t, w.db.SetMember(t.Context(), "sales", m, true))
	}
}

// talk sends a message in a session.
func (w *world) talk(t *testing.T, id, owner, channel, text string) {
	t.Helper()
	sub, err := w.rt.Open(t.Context(), session.OpenRequest{ID: id, Owner: owner, Channel: channel}, silent{})
	storetest.OK(t, err)
	defer sub.Close()
	content, err := json.Marshal(text)
	storetest.OK(t, err)
	storetest.OK(t, sub.Send(t.Context(), session.Message{Content: content, Human: true}))
	storetest.OK(t, w.rt.AwaitIdle(t.Context(), id))
}

// said returns what the agent has said to an owner in all sessions.
func (w *world) said(t *testing.T, owner string) string {
	t.Helper()
	sessions, err := w.db.Sessions(t.Context(), journal.SessionFilter{})
	storetest.OK(t, err)
	var out []string
	for _, s := range sessions {
		if s.Owner != owner {
			continue
		}
		messages, err := w.db.Messages(t.Context(), s.RowID, journal.MessageQuery{})
		storetest.OK(t, err)
		for _, m := range messages {
			if !m.IsUser {
				out = append(out, strings.Trim(string(m.Content), `"`))
			}
		}
	}
	return strings.Join(out, ", ")
}

// want checks what the agent has said.
func (w *world) want(t *testing.T, when string, said map[string]string) {
	t.Helper()
	for owner, want := range said {
		if got := w.said(t, owner); got != want {
			t.Errorf("%s, the agent has said %q to %q, not %q", when, got, owner, want)
		}
	}
}

// TestAudiences sends events to everyone, a group, and a user, once, also with two runners and after times at which
// none ran.
func TestAudiences(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.users(t, "ann", "bob", "cyd", "dan")
		storetest.OK(t, w.db.SetDisabled(ctx, "dan", true))
		w.group(t, "user:ann", "user:bob", "user:dan")
		w.talk(t, "a1", "user:ann", "page", "hi")
		w.talk(t, "c1", "user:cyd", "page", "hi")
		w.talk(t, "d1", "user:dan", "page", "hi")
		w.talk(t, "bot", "token:bot", "api", "hi")
		r, other := w.runner(t, nil), w.runner(t, nil)
		step := func() {
			var group sync.WaitGroup
			for _, r := range []*trigger.Runner{r, other} {
				group.Go(func() { r.Step(ctx) })
			}
			group.Wait()
		}
		step()
		w.want(t, "before the time", map[string]string{"user:ann": "", "user:cyd": ""})
		w.at(5, 9, 0)
		step()
		step()
		everyone := map[string]string{"user:ann": "morning of Mon 09:00", "user:bob": "", "user:cyd": "morning of Mon 09:00", "user:dan": "", "token:bot": ""}
		w.want(t, "on Monday at 9", everyone)
		w.at(5, 11, 0)
		step()
		w.want(t, "at 11", map[string]string{"user:ann": "morning of Mon 09:00, ann of Mon 11:00", "user:cyd": "morning of Mon 09:00"})
		w.at(11, 8, 0) // on Sunday, after five mornings and one Friday that nobody ran
		r, other = w.runner(t, nil), w.runner(t, nil)
		step()
		ann := "morning of Mon 09:00, ann of Mon 11:00, "
		got := w.said(t, "user:ann")
		for _, one := range []string{"morning of Fri 09:00", "sales of Fri 10:00", "ann of Sat 11:00"} {
			if strings.Count(got, one) != 1 {
				t.Errorf("after a stop, the agent has said %q to ann, without one %q", got, one)
			}
		}
		if len(strings.Split(got, ", ")) != 5 || !strings.HasPrefix(got, ann) {
			t.Errorf("after a stop, the agent has said %q to ann", got)
		}
		w.want(t, "after a stop", map[string]string{
			"user:bob": "sales of Fri 10:00", "user:cyd": "morning of Mon 09:00, morning of Fri 09:00", "user:dan": "",
		})
		listed, err := w.db.Sessions(ctx, journal.SessionFilter{Owner: "user:bob", Spoken: true})
		storetest.OK(t, err)
		if len(listed) != 1 || listed[0].Name != "sales" || listed[0].Username != "bob" {
			t.Errorf("the new conversation of bob is %+v", listed)
		}
	})
}

// TestAnonymous sends events to the last conversation while authentication is off.
func TestAnonymous(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.talk(t, "one", "", "page", "hi")
		w.at(5, 8, 1)
		w.talk(t, "two", "", "page", "hi")
		r := w.runner(t, func(c *trigger.Config) { c.Anonymous = true })
		r.Step(t.Context())
		w.at(10, 8, 0)
		r.Step(t.Context())
		w.want(t, "without authentication", map[string]string{"": "morning of Fri 09:00"})
	})
}

// errKilled ends a runner like a signal.
var errKilled = errors.New("killed")

// mortal is a store that ends the runner before a call.
type mortal struct {
	journal.Triggers

	at string
}

func (m mortal) EventWaits(ctx context.Context, key journal.SessionKey, event string) (bool, error) {
	if m.at == "begun" {
		return false, errKilled
	}
	return m.Triggers.EventWaits(ctx, key, event)
}

func (m mortal) EndDelivery(ctx context.Context, key journal.TriggerKey, owner string, due time.Time) error {
	if m.at == "sent" {
		return errKilled
	}
	return m.Triggers.EndDelivery(ctx, key, owner, due)
}

func (m mortal) EndTrigger(ctx context.Context, key journal.TriggerKey, due time.Time) error {
	if m.at == "delivered" {
		return errKilled
	}
	return m.Triggers.EndTrigger(ctx, key, due)
}

// TestKilled ends a runner between its steps. The next one sends what is left, to the same conversation, although the user
// has begun another one since.
func TestKilled(t *testing.T) {
	for _, at := range []string{"begun", "sent", "delivered"} {
		t.Run(at, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				w.users(t, "ann", "bob")
				w.group(t, "user:ann", "user:bob")
				w.talk(t, "a1", "user:ann", "page", "hi")
				w.runner(t, nil).Step(t.Context())
				w.at(9, 10, 0)
				w.runner(t, func(c *trigger.Config) { c.Store = mortal{w.db, at} }).Step(t.Context())
				w.at(9, 10, 1)
				w.talk(t, "a2", "user:ann", "page", "hi")
				w.runner(t, nil).Step(t.Context())
				w.runner(t, nil).Step(t.Context())
				for owner, want := range map[string][]string{
					"user:ann": {"morning of Fri 09:00", "sales of Fri 10:00", "ann of Thu 11:00"}, "user:bob": {"sales of Fri 10:00"},
				} {
					got := w.said(t, owner)
					for _, one := range want {
						if strings.Count(got, one) != 1 {
							t.Errorf("the agent has said %q to %s, without one %q", got, owner, one)
						}
					}
				}
			})
		})
	}
}

// TestWaiting sends no second event to a conversation whose state has not taken the first.
func TestWaiting(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.users(t, "cyd")
		w.talk(t, "c1", "user:cyd", "page", "lock")
		r := w.runner(t, nil)
		r.Step(t.Context())
		for day := 5; day < 9; day++ {
			w.at(day, 9, 0)
			r.Step(t.Context())
		}
		w.want(t, "while the state takes no event", map[string]string{"user:cyd": ""})
		w.talk(t, "c1", "user:cyd", "page", "unlock")
		w.want(t, "in the other state", map[string]string{"user:cyd": "morning of Mon 09:00"})
	})
}

// TestLeftBehind has a conversation take an event that a killed process had sent, but that no turn had handled.
func TestLeftBehind(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.users(t, "cyd")
		r := w.runner(t, nil)
		r.Step(t.Context())
		w.at(5, 9, 0)
		key := journal.SessionKey{Agent: "desk", ID: "c1"}
		record, _, err := w.db.OpenSession(t.Context(), journal.SessionRecord{Key: key, Owner: "user:cyd", CreatedAt: w.time(), UpdatedAt: w.time()})
		storetest.OK(t, err)
		at := w.time().Format(time.RFC3339)
		_, err = w.db.Receive(t.Context(), journal.Incoming{
			Session: record.RowID, ClientID: journal.TriggerID + "morning " + at,
			Event: journal.EventRecord{Name: "morning", Data: json.RawMessage(`{"at": "` + at + `"}`), Time: w.time()},
		})
		storetest.OK(t, err)
		r.Step(t.Context())
		w.want(t, "after the start", map[string]string{"user:cyd": "morning of Mon 09:00"})
	})
}

// TestRecipients selects users.
func TestRecipients(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.users(t, "ann", "bob", "cyd")
		storetest.OK(t, w.db.SetDisabled(ctx, "cyd", true))
		w.group(t, "user:ann", "user:cyd", "oidc:https://id.example#7")
		storetest.OK(t, w.db.SetIssuerGroups(ctx, "oidc:https://id.example#8", []string{"sales"}, time.Now().Add(time.Hour)))
		storetest.OK(t, w.db.SetIssuerGroups(ctx, "oidc:https://id.example#9", []string{"sales"}, time.Now().Add(-time.Hour)))
		w.talk(t, "a1", "user:ann", "page", "hi")
		w.at(5, 8, 1)
		w.talk(t, "a2", "user:ann", "page", "hi")
		w.at(5, 8, 2)
		w.talk(t, "a3", "user:ann", "api", "hi")
		yes := true
		storetest.OK(t, w.db.ChangeSession(ctx, journal.SessionKey{Agent: "desk", ID: "a2"}, journal.SessionChange{Archived: &yes}))
		w.talk(t, "o1", "oidc:https://id.example#9", "page", "hi")
		w.talk(t, "x1", "user:gone", "page", "hi")
		for _, c := range []struct {
			audience, after string
			limit           int
			want            string
		}{
			{"everyone", "", 9, "oidc:https://id.example#9 o1, user:ann a1"},
			{"everyone", "", 1, "oidc:https://id.example#9 o1"},
			{"everyone", "oidc:https://id.example#9", 9, "user:ann a1"},
			{"group:sales", "", 9, "oidc:https://id.example#7 , oidc:https://id.example#8 , user:ann a1"},
			{"group:none", "", 9, ""},
			{"user:BOB", "", 9, "user:bob "},
			{"user:cyd", "", 9, ""},
			{"user:gone", "", 9, ""},
			{"", "", 9, " "},
		} {
			to, err := w.db.Recipients(ctx, "desk", c.audience, c.after, c.limit)
			storetest.OK(t, err)
			var got []string
			for _, r := range to {
				got = append(got, r.Owner+" "+r.Session)
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("%+v: %q", c, got)
			}
		}
		if _, err := w.db.Recipients(ctx, "desk", "token:x", "", 9); err == nil {
			t.Error("there is an audience of tokens")
		}
	})
}

// TestPlan does not send the event of a time that lies before a change of the clock.
func TestPlan(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		key := journal.TriggerKey{Agent: "desk", Event: "morning"}
		last := func(plan string, at time.Time) string {
			got, err := w.db.LastTrigger(ctx, key, plan, at)
			storetest.OK(t, err)
			return got.Format("15:04")
		}
		at := func(hour int) time.Time { return time.Date(2026, 1, 5, hour, 0, 0, 0, time.UTC) }
		got := []string{last("a", at(8)), last("a", at(9)), last("b", at(10)), last("b", at(11))}
		storetest.OK(t, w.db.EndTrigger(ctx, key, at(12)))
		storetest.OK(t, w.db.EndTrigger(ctx, key, at(9)))
		got = append(got, last("b", at(13)))
		if want := "[08:00 08:00 10:00 10:00 12:00]"; fmt.Sprint(got) != want {
			t.Errorf("the last times are %v, not %s", got, want)
		}
	})
}

// TestSetBack sends events after a clock that was far ahead is set back: in the same process, after a restart, and if the process
// was killed before the end.
func TestSetBack(t *testing.T) {
	for _, how := range []string{"running", "restarted", "killed"} {
		t.Run(how, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				w.users(t, "cyd")
				w.talk(t, "c1", "user:cyd", "page", "hi")
				r := w.runner(t, func(c *trigger.Config) {
					if how == "killed" {
						c.Store = mortal{w.db, "delivered"}
					}
				})
				r.Step(t.Context())
				w.at(21, 9, 0)
				r.Step(t.Context())
				w.want(t, "while the clock is ahead", map[string]string{"user:cyd": "morning of Wed 09:00"})
				if how != "running" {
					r = w.runner(t, nil)
				}
				w.at(5, 9, 0)
				r.Step(t.Context())
				w.at(6, 9, 0)
				r.Step(t.Context())
				got := w.said(t, "user:cyd")
				if strings.Count(got, "morning of Tue 09:00") != 1 {
					t.Errorf("after the clock was set back, the agent has said %q", got)
				}
			})
		})
	}
}

// paused is a store that pauses the runner after it has read the users of a group.
type paused struct {
	journal.Triggers

	meanwhile func()
}

func (p paused) Recipients(ctx context.Context, agent, audience, after string, limit int) ([]journal.Recipient, error) {
	to, err := p.Triggers.Recipients(ctx, agent, audience, after, limit)
	if audience == "group:sales" {
		p.meanwhile()
	}
	return to, err
}

// TestPaused sends nothing twice if a process is paused while another one ends the trigger.
func TestPaused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.users(t, "bob")
		w.group(t, "user:bob")
		w.runner(t, nil).Step(t.Context())
		w.at(9, 10, 0)
		w.runner(t, func(c *trigger.Config) {
			c.Store = paused{w.db, func() { w.runner(t, nil).Step(t.Context()) }}
		}).Step(t.Context())
		w.want(t, "after the pause", map[string]string{"user:bob": "sales of Fri 10:00"})
	})
}

// TestRemoved forgets a trigger that the agent no longer has. If it is added again, it begins with the next time, in the same
// process and after a restart. The triggers of other agents stay.
func TestRemoved(t *testing.T) {
	for _, how := range []string{"running", "restarted"} {
		t.Run(how, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				ctx := t.Context()
				other := journal.TriggerKey{Agent: "other", Event: "morning"}
				_, err := w.db.LastTrigger(ctx, other, "plan", w.time())
				storetest.OK(t, err)
				w.users(t, "cyd")
				w.talk(t, "c1", "user:cyd", "page", "hi")
				r := w.runner(t, nil)
				step := func(triggers bool, day, hour, minute int) {
					w.at(day, hour, minute)
					a := desk()
					if !triggers {
						a = agent.New("desk")
						a.State("idle", agent.Initial)
					}
					storetest.OK(t, w.rt.Replace(session.Program{Agent: a}))
					if how == "restarted" {
						r = w.runner(t, nil)
					}
					r.Step(ctx)
				}
				step(true, 5, 8, 0)
				step(true, 5, 9, 0)
				step(false, 5, 9, 5)
				step(true, 5, 9, 10)
				step(true, 6, 9, 0)
				step(false, 6, 9, 5)
				step(true, 8, 8, 0)
				w.want(t, "after the trigger was removed twice", map[string]string{"user:cyd": "morning of Mon 09:00, morning of Tue 09:00"})
				at, err := w.db.LastTrigger(ctx, other, "plan", w.time())
				storetest.OK(t, err)
				if got := at.Format("Mon 15:04"); got != "Mon 08:00" {
					t.Errorf("the trigger of another agent is done at %s", got)
				}
			})
		})
	}
}

// silent is a session.Listener that ignores all frames.
type silent struct{}

func (silent) Opened(session.Opened)    {}
func (silent) Deliver(session.Delivery) {}
