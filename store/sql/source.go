package sql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"docent/ingest/source"
	"docent/store"
)

var (
	_ source.Sources = Store{}
	_ source.Items   = Store{}
	_ source.Leases  = Store{}
)

// sources stores the sources that docent keeps documents in sync with.
type sources struct{ db Database }

// sourceColumns are the columns that scanSource reads.
const sourceColumns = `s.id, s.name, s.kind, s.location, s.options, s.secret, s.collection, s.schedule, s.paused, s.created_at,
	s.next_at, s.requested, s.errors, s.begun, s.last_sync, s.lease_until, s.lease_owner, s.done, s.total,
	(SELECT count(*) FROM source_item i WHERE i.source_id = s.id),
	(SELECT count(*) FROM source_item i WHERE i.source_id = s.id AND i.status IN ('failed', 'unreachable')) FROM source s`

func scanSource(row Row) (source.Record, error) {
	var r source.Record
	var options string
	var last *string
	err := row.Scan(&r.ID, &r.Name, &r.Kind, &r.Location, &options, &r.Secret, &r.Collection, &r.Schedule, &r.Paused,
		Time(&r.CreatedAt), Time(&r.NextAt), &r.Requested, &r.Errors, &r.Begun, &last, Time(&r.BusyUntil), &r.BusyBy,
		&r.Progress.Done, &r.Progress.Total, &r.Items, &r.Failed)
	if err != nil {
		return r, err
	}
	return r, store.ReadSource(&r, options, last)
}

// AddSource stores a source; see source.Sources.
func (s sources) AddSource(ctx context.Context, r source.Record) (id int64, err error) {
	if err := store.CheckSource(r); err != nil {
		return 0, err
	}
	options, err := store.SourceOptions(r.Options)
	if err != nil {
		return 0, err
	}
	err = s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		err := row(ctx, tx, `INSERT INTO source (name, kind, location, options, secret, collection, schedule, paused, created_at, next_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (name) DO NOTHING RETURNING id`,
			store.Text(r.Name), store.Text(r.Kind), store.Text(r.Location), store.Text(options), r.Secret,
			store.Text(r.Collection), store.Text(r.Schedule),
			r.Paused, store.Time(r.CreatedAt, s.db.Now()), r.NextAt).Scan(&id)
		return missing(err, store.SourceTaken(r.Name))
	})
	return id, s.db.Fail("add source", err)
}

// Source returns a source; see source.Sources.
func (s sources) Source(ctx context.Context, id int64) (source.Record, error) {
	r, err := scanSource(row(ctx, s.db, `SELECT `+sourceColumns+` WHERE s.id = $1`, id))
	return r, s.db.Fail("read source", missing(err, store.NoSource(id)))
}

// ListSources returns all sources; see source.Sources.
func (s sources) ListSources(ctx context.Context) ([]source.Record, error) {
	out, err := list(ctx, s.db, scanSource, `SELECT `+sourceColumns+` ORDER BY s.name COLLATE "C"`)
	return out, s.db.Fail("list sources", err)
}

// ChangeSource changes a source; see source.Sources.
func (s sources) ChangeSource(ctx context.Context, id int64, c source.Change) error {
	return s.db.Fail("change source", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		if c.Name != nil {
			var other int64
			err := row(ctx, tx, `SELECT id FROM source WHERE name = $1 AND id <> $2`, store.Text(*c.Name), id).Scan(&other)
			if err == nil {
				return store.SourceTaken(*c.Name)
			}
			if !errors.Is(err, sql.ErrNoRows) {
				return fmt.Errorf("look for the name: %w", err)
			}
		}
		var next time.Time
		if c.NextAt != nil {
			next = *c.NextAt
		}
		return change(ctx, tx, store.NoSource(id), `UPDATE source SET name = coalesce($2, name), schedule = coalesce($3, schedule), paused = coalesce($4, paused),
			next_at = CASE WHEN $5 THEN $6::timestamptz ELSE next_at END, begun = CASE WHEN $7 THEN 0 ELSE begun END WHERE id = $1`,
			id, textOrNull(c.Name), textOrNull(c.Schedule), c.Paused, c.NextAt != nil, next, c.Resumes())
	}))
}

// textOrNull returns the stored form of a text: NULL for nil.
func textOrNull(s *string) *string {
	if s == nil {
		return nil
	}
	text := store.Text(*s)
	return &text
}

// RemoveSource removes a source; see source.Sources.
func (s sources) RemoveSource(ctx context.Context, id int64) error {
	return s.db.Fail("remove source", change(ctx, s.db, store.NoSource(id), `DELETE FROM source WHERE id = $1`, id))
}

// itemColumns are the columns that scanItem reads.
const itemColumns = `key, document, address, state, status, owned, reason, sentence, tries, at FROM source_item`

func scanItem(row Row) (source.ItemRecord, error) {
	var it source.ItemRecord
	err := row.Scan(&it.Key, &it.Document, &it.Address, &it.State, &it.Status, &it.Owned,
		&it.Reason.Message, &it.Reason.Sentence, &it.Tries, Time(&it.At))
	return it, err
}

// SourceItems returns the items of a source; see source.Items.
func (s sources) SourceItems(ctx context.Context, id int64) ([]source.ItemRecord, error) {
	out, err := list(ctx, s.db, scanItem, `SELECT `+itemColumns+` WHERE source_id = $1 ORDER BY key`, id)
	return out, s.db.Fail("list items", err)
}

// FailedItems returns items that could not be read; see source.Items.
func (s sources) FailedItems(ctx context.Context, id int64, after string, limit int) ([]source.ItemRecord, error) {
	out, err := list(ctx, s.db, scanItem, `SELECT `+itemColumns+` WHERE source_id = $1 AND status IN ('failed', 'unreachable') AND key > $2 ORDER BY key LIMIT $3`,
		id, store.Text(after), store.Page(limit))
	return out, s.db.Fail("list failed items", err)
}

// PutSourceItems stores items; see source.Items.
func (s sources) PutSourceItems(ctx context.Context, id int64, items []source.ItemRecord) error {
	if err := store.CheckItems(items); err != nil {
		return err
	}
	return s.db.Fail("store items", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		var there int64
		if err := row(ctx, tx, `SELECT id FROM source WHERE id = $1 FOR KEY SHARE`, id).Scan(&there); err != nil {
			return missing(err, store.NoSource(id))
		}
		lists := make([][]any, len(items))
		for i, it := range items {
			lists[i] = []any{
				id, store.Text(it.Key), store.Text(it.Document), store.Text(it.Address), it.State, string(it.Status), it.Owned,
				store.Text(it.Reason.Message), it.Reason.Sentence, it.Tries, store.Time(it.At, s.db.Now()),
			}
		}
		return tx.ExecAll(ctx, `INSERT INTO source_item (source_id, key, document, address, state, status, owned, reason, sentence, tries, at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (source_id, key) DO UPDATE SET
			document = excluded.document, address = excluded.address, state = excluded.state, status = excluded.status,
			owned = excluded.owned, reason = excluded.reason, sentence = excluded.sentence, tries = excluded.tries, at = excluded.at`, lists)
	}))
}

// RemoveSourceItems removes items; see source.Items.
func (s sources) RemoveSourceItems(ctx context.Context, id int64, keys []string) error {
	return s.db.Fail("remove items", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		return change(ctx, tx, nil, `DELETE FROM source_item WHERE source_id = $1 AND key IN (SELECT unnest($2::text[]))`, id, store.Texts(keys))
	}))
}

// HandOver gives documents to other sources; see source.Items.
func (s sources) HandOver(ctx context.Context, id int64, documents []string) (out []string, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		out, err = list(ctx, tx, scanText, `UPDATE source_item SET owned = true FROM (
				SELECT i.source_id, i.key, row_number() OVER (PARTITION BY i.document ORDER BY i.owned DESC, i.source_id) AS place
				FROM source_item i JOIN source s ON s.id = i.source_id
				WHERE i.document IN (SELECT unnest($2::text[])) AND i.source_id <> $1 AND s.collection = (SELECT collection FROM source WHERE id = $1)
			) heir WHERE heir.place = 1 AND source_item.source_id = heir.source_id AND source_item.key = heir.key RETURNING document`,
			id, store.Texts(documents))
		return err
	})
	return out, s.db.Fail("hand documents over", err)
}

// CheckFence fails with source.ErrLost if ctx has a fence and its lease is lost. The lock keeps the
// lease until the transaction ends.
func CheckFence(ctx context.Context, tx Tx) error {
	f, ok := source.FenceOf(ctx)
	if !ok {
		return nil
	}
	var owner string
	err := row(ctx, tx, `SELECT lease_owner FROM source WHERE id = $1 FOR SHARE`, f.Source).Scan(&owner)
	if err == nil && owner != f.Owner {
		err = source.ErrLost
	}
	return missing(err, store.NoSource(f.Source))
}

// DueSources returns the sources to sync; see source.Leases.
func (s sources) DueSources(ctx context.Context, now time.Time) ([]int64, error) {
	out, err := list(ctx, s.db, scanID, `SELECT id FROM source WHERE (requested > 0 OR NOT paused AND (next_at <= $1 OR lease_until IS NOT NULL))
		AND (lease_until IS NULL OR lease_until <= $1 OR lease_until > $3) AND begun <= $2 ORDER BY requested DESC, next_at NULLS FIRST, id`,
		now, source.MaxBegun, now.Add(source.MaxLease))
	return out, s.db.Fail("list due sources", err)
}

// RequestSync asks for a sync; see source.Leases.
func (s sources) RequestSync(ctx context.Context, id int64, request source.Request) error {
	return s.db.Fail("request sync", change(ctx, s.db, store.NoSource(id),
		`UPDATE source SET requested = CASE WHEN requested < $2 THEN $2 ELSE requested END WHERE id = $1`, id, int(request)))
}

// StartSync takes the lease; see source.Leases.
func (s sources) StartSync(ctx context.Context, id int64, l source.Lease) (begun int, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		err := row(ctx, tx, `UPDATE source SET lease_owner = $2, lease_until = $4, requested = 0, begun = begun + 1, done = 0, total = 0
			WHERE id = $1 AND (lease_until IS NULL OR lease_until <= $3 OR lease_until > $5) RETURNING begun`,
			id, l.Owner, l.Now, l.Until, l.Now.Add(source.MaxLease)).Scan(&begun)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		var there int64
		return missing(row(ctx, tx, `SELECT id FROM source WHERE id = $1`, id).Scan(&there), store.NoSource(id))
	})
	if err != nil {
		begun = 0
	}
	return begun, s.db.Fail(fmt.Sprintf("start sync of source %d", id), err)
}

// KeepSync extends the lease; see source.Leases.
func (s sources) KeepSync(ctx context.Context, id int64, l source.Lease, p source.Progress) (ok bool, err error) {
	n, err := s.db.Exec(ctx, `UPDATE source SET lease_until = $3, done = $4, total = $5 WHERE id = $1 AND lease_owner = $2`,
		id, l.Owner, l.Until, p.Done, p.Total)
	return err == nil && n > 0, s.db.Fail(fmt.Sprintf("keep sync of source %d", id), err)
}

// EndSync gives the lease back; see source.Leases.
func (s sources) EndSync(ctx context.Context, id int64, owner string, end *source.End) error {
	operation := fmt.Sprintf("end sync of source %d", id)
	if end == nil {
		return s.db.Fail(operation, change(ctx, s.db, nil,
			`UPDATE source SET lease_owner = '', lease_until = NULL, begun = 0 WHERE id = $1 AND lease_owner = $2`, id, owner))
	}
	last, err := store.SourceEnd(end)
	if err != nil {
		return s.db.Fail(operation, err)
	}
	return s.db.Fail(operation, change(ctx, s.db, nil, `UPDATE source SET lease_owner = '', lease_until = NULL, last_sync = $3, next_at = $4,
		errors = $5, paused = paused OR $6, begun = CASE WHEN $6 THEN begun ELSE 0 END WHERE id = $1 AND lease_owner = $2`,
		id, owner, last, end.NextAt, end.Errors, end.Stops))
}

// FreeSync releases the lease of a killed process; see source.Leases.
func (s sources) FreeSync(ctx context.Context, id int64, owner string) error {
	return s.db.Fail(fmt.Sprintf("free source %d", id), change(ctx, s.db, nil,
		`UPDATE source SET lease_owner = '', lease_until = NULL WHERE id = $1 AND lease_owner = $2`, id, owner))
}
