package sql

import (
	"context"
	"fmt"
	"strings"
	"time"

	"docent/agent/session/journal"
	"docent/auth"
	"docent/internal/lease"
	"docent/store"
)

var _ journal.Triggers = Store{}

// triggers stores what the triggers of agents have done.
type triggers struct{ db Database }

// LastTrigger returns the last time of a trigger; see journal.Triggers.
func (s triggers) LastTrigger(ctx context.Context, key journal.TriggerKey, plan string, now time.Time) (at time.Time, err error) {
	late := now.Add(lease.Max)
	err = s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		agent, event := store.Text(key.Agent), store.Text(key.Event)
		if _, err := tx.Exec(ctx, `INSERT INTO trigger_run (agent_name, event, plan, done_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (agent_name, event) DO UPDATE SET plan = excluded.plan, done_at = excluded.done_at
			WHERE trigger_run.plan <> excluded.plan OR trigger_run.done_at > $5`, agent, event, store.Text(plan), now, late); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM trigger_delivery WHERE agent_name = $1 AND event = $2 AND due_at > $3`, agent, event, late); err != nil {
			return err
		}
		return row(ctx, tx, `SELECT done_at FROM trigger_run WHERE agent_name = $1 AND event = $2`, agent, event).Scan(Time(&at))
	})
	return at, s.db.Fail("read a trigger", err)
}

// EndTrigger stores that a time is done; see journal.Triggers.
func (s triggers) EndTrigger(ctx context.Context, key journal.TriggerKey, due time.Time) error {
	return s.db.Fail("end a trigger", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		agent, event := store.Text(key.Agent), store.Text(key.Event)
		if _, err := tx.Exec(ctx, `UPDATE trigger_run SET done_at = $3 WHERE agent_name = $1 AND event = $2 AND done_at < $3`, agent, event, due); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM trigger_delivery WHERE agent_name = $1 AND event = $2 AND due_at <= $3`, agent, event, due)
		return err
	}))
}

// KeepTriggers removes what other triggers have done; see journal.Triggers.
func (s triggers) KeepTriggers(ctx context.Context, agent string, events []string) error {
	return s.db.Fail("remove old triggers", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		for _, table := range []string{"trigger_run", "trigger_delivery"} {
			if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE agent_name = $1 AND event NOT IN (SELECT unnest($2::text[]))`,
				store.Text(agent), store.Texts(events)); err != nil {
				return err
			}
		}
		return nil
	}))
}

// triggered selects the sessions s that have an event of a trigger.
const triggered = `EXISTS (SELECT 1 FROM event t WHERE t.session_id = s.id AND t.client_id LIKE '` + journal.TriggerID + `%')`

// spoken selects the sessions s with a message of the user.
const spoken = `EXISTS (SELECT 1 FROM chat c WHERE c.session_id = s.id AND c.is_user AND c.sender = '')`

// Recipients returns the users of an audience; see journal.Triggers.
func (s triggers) Recipients(ctx context.Context, agent, audience, after string, limit int) ([]journal.Recipient, error) {
	var p parameters
	of := p.add(store.Text(agent))
	kind, name, _ := strings.Cut(audience, ":")
	var from string
	known := `(o.owner LIKE 'oidc:%' OR EXISTS (SELECT 1 FROM app_user u WHERE 'user:' || u.username = o.owner AND NOT u.disabled))`
	switch kind {
	case "":
		from, known = `SELECT '' AS owner`, `true`
	case "everyone":
		from = `SELECT DISTINCT owner FROM session WHERE owner <> '' AND agent_name = ` + of
	case "user":
		from = `SELECT 'user:' || username AS owner FROM app_user WHERE username = ` + p.add(store.Text(auth.UserName(name)))
	case "group":
		group := p.add(store.Text(name))
		from = `SELECT m.member AS owner FROM group_member m JOIN user_group g ON g.id = m.group_id WHERE g.name = ` + group + `
			UNION SELECT member FROM issuer_group WHERE name = ` + group + ` AND expires_at > ` + p.add(s.db.Now())
	default:
		return nil, fmt.Errorf("%q is not an audience", audience)
	}
	if after != "" {
		known += ` AND o.owner COLLATE "C" > ` + p.add(store.Text(after))
	}
	out, err := list(ctx, s.db, func(r Row) (to journal.Recipient, err error) {
		err = r.Scan(&to.Owner, &to.Session)
		return to, err
	}, `SELECT o.owner, coalesce((SELECT s.session_id FROM session s WHERE s.agent_name = `+of+` AND s.owner = o.owner AND NOT s.archived
			AND s.channel <> 'api' AND (`+spoken+` OR `+triggered+`) ORDER BY s.updated_at DESC, s.id DESC LIMIT 1), '')
		FROM (`+from+`) AS o WHERE `+known+` ORDER BY o.owner COLLATE "C" LIMIT `+p.add(limit), p...)
	return out, s.db.Fail("find the users of a trigger", err)
}

// BeginDelivery returns a delivery; see journal.Triggers.
func (s triggers) BeginDelivery(
	ctx context.Context, key journal.TriggerKey, owner string, due time.Time, session string,
) (d journal.TriggerDelivery, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		agent, event, owner := store.Text(key.Agent), store.Text(key.Event), store.Text(owner)
		var last time.Time // the lock keeps it until the transaction ends
		_, err := found(ctx, tx, []any{Time(&last)}, `SELECT done_at FROM trigger_run
			WHERE agent_name = $1 AND event = $2 FOR SHARE`, agent, event)
		if d = (journal.TriggerDelivery{Done: !last.Before(due)}); err != nil || d.Done {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO trigger_delivery (agent_name, event, owner, due_at, session_id, done) VALUES ($1, $2, $3, $4, $5, false)
			ON CONFLICT (agent_name, event, owner) DO UPDATE
			SET due_at = excluded.due_at, session_id = excluded.session_id, done = false WHERE trigger_delivery.due_at < excluded.due_at`,
			agent, event, owner, due, store.Text(session)); err != nil {
			return err
		}
		return row(ctx, tx, `SELECT session_id, done FROM trigger_delivery WHERE agent_name = $1 AND event = $2 AND owner = $3`,
			agent, event, owner).Scan(&d.Session, &d.Done)
	})
	return d, s.db.Fail("begin a delivery of a trigger", err)
}

// EndDelivery ends a delivery; see journal.Triggers.
func (s triggers) EndDelivery(ctx context.Context, key journal.TriggerKey, owner string, due time.Time) error {
	return s.db.Fail("end a delivery of a trigger", change(ctx, s.db, nil,
		`UPDATE trigger_delivery SET done = true WHERE agent_name = $1 AND event = $2 AND owner = $3 AND due_at = $4`,
		store.Text(key.Agent), store.Text(key.Event), store.Text(owner), due))
}

// EventWaits looks for a waiting event; see journal.Triggers.
func (s triggers) EventWaits(ctx context.Context, key journal.SessionKey, event string) (bool, error) {
	one := 0
	waits, err := found(ctx, s.db, []any{&one}, `SELECT 1 FROM event e JOIN session s ON s.id = e.session_id
		WHERE s.agent_name = $1 AND s.session_id = $2 AND NOT e.handled AND e.event = $3 LIMIT 1`,
		store.Text(key.Agent), store.Text(key.ID), store.Text(event))
	return waits, s.db.Fail("look for a waiting event", err)
}
