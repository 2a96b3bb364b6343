package sqlite

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
	_ source.Sources = (*Store)(nil)
	_ source.Items   = (*Store)(nil)
	_ source.Leases  = (*Store)(nil)
)

// sourceColumns are the columns that scanSource reads.
const sourceColumns = `s.id, s.name, s.kind, s.location, s.options, s.secret, s.collection, s.schedule, s.paused, s.created_at,
	coalesce(s.next_at, 0), s.requested, s.errors, s.begun, s.last_sync, coalesce(s.lease_until, 0), s.lease_owner, s.done, s.total,
	(SELECT count(*) FROM source_item i WHERE i.source_id = s.id),
	(SELECT count(*) FROM source_item i WHERE i.source_id = s.id AND i.status IN ('failed', 'unreachable')) FROM source s`

func scanSource(row scanner) (source.Record, error) {
	var r source.Record
	var options string
	var last *string
	var created, next, busy int64
	err := row.Scan(&r.ID, &r.Name, &r.Kind, &r.Location, &options, &r.Secret, &r.Collection, &r.Schedule, &r.Paused, &created,
		&next, &r.Requested, &r.Errors, &r.Begun, &last, &busy, &r.BusyBy, &r.Progress.Done, &r.Progress.Total, &r.Items, &r.Failed)
	if err != nil {
		return r, err
	}
	r.CreatedAt, r.NextAt, r.BusyUntil = micro(created), instant(next), instant(busy)
	return r, store.ReadSource(&r, options, last)
}

// AddSource stores a source; see source.Sources.
func (s *sources) AddSource(ctx context.Context, r source.Record) (id int64, err error) {
	if err := store.CheckSource(r); err != nil {
		return 0, err
	}
	options, err := store.SourceOptions(r.Options)
	if err != nil {
		return 0, err
	}
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		err := w.row(ctx, `INSERT INTO source (name, kind, location, options, secret, collection, schedule, paused, created_at, next_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING RETURNING id`,
			store.Text(r.Name), store.Text(r.Kind), store.Text(r.Location), store.Text(options), r.Secret,
			store.Text(r.Collection), store.Text(r.Schedule),
			r.Paused, store.Time(r.CreatedAt, s.config.Now()).UnixMicro(), optional(r.NextAt)).Scan(&id)
		return missing(err, store.SourceTaken(r.Name))
	})
	return id, fail("add source", err)
}

// Source returns a source; see source.Sources.
func (s *sources) Source(ctx context.Context, id int64) (source.Record, error) {
	r, err := scanSource(s.reader.QueryRowContext(ctx, `SELECT `+sourceColumns+` WHERE s.id = ?`, id))
	return r, fail("read source", missing(err, store.NoSource(id)))
}

// ListSources returns all sources; see source.Sources.
func (s *sources) ListSources(ctx context.Context) ([]source.Record, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT `+sourceColumns+` ORDER BY s.name`)
	if err != nil {
		return nil, fail("list sources", err)
	}
	out, err := collect(rows, func(rows *sql.Rows) (source.Record, error) { return scanSource(rows) })
	return out, fail("list sources", err)
}

// ChangeSource changes a source; see source.Sources.
func (s *sources) ChangeSource(ctx context.Context, id int64, c source.Change) error {
	return fail("change source", s.write(ctx, func(ctx context.Context, w *writer) error {
		if c.Name != nil {
			var other int64
			err := w.row(ctx, `SELECT id FROM source WHERE name = ? AND id <> ?`, store.Text(*c.Name), id).Scan(&other)
			if err == nil {
				return store.SourceTaken(*c.Name)
			}
			if !errors.Is(err, sql.ErrNoRows) {
				return err
			}
		}
		var next any
		if c.NextAt != nil {
			next = optional(*c.NextAt)
		}
		return w.change(ctx, store.NoSource(id), `UPDATE source SET name = coalesce(?, name), schedule = coalesce(?, schedule), paused = coalesce(?, paused),
			begun = CASE WHEN ? THEN 0 ELSE begun END, next_at = CASE WHEN ? THEN ? ELSE next_at END WHERE id = ?`,
			textOrNull(c.Name), textOrNull(c.Schedule), c.Paused, c.Resumes(), c.NextAt != nil, next, id)
	}))
}

// textOrNull returns the stored form of a text: NULL for nil.
func textOrNull(s *string) any {
	if s == nil {
		return nil
	}
	return store.Text(*s)
}

// RemoveSource removes a source; see source.Sources.
func (s *sources) RemoveSource(ctx context.Context, id int64) error {
	return fail("remove source", s.alter(ctx, store.NoSource(id), `DELETE FROM source WHERE id = ?`, id))
}

// itemColumns are the columns that scanItem reads.
const itemColumns = `key, document, address, state, status, owned, reason, sentence, tries, at FROM source_item`

func scanItem(rows *sql.Rows) (source.ItemRecord, error) {
	var it source.ItemRecord
	var at int64
	err := rows.Scan(&it.Key, &it.Document, &it.Address, &it.State, &it.Status, &it.Owned,
		&it.Reason.Message, &it.Reason.Sentence, &it.Tries, &at)
	it.At = micro(at)
	return it, err
}

// SourceItems returns the items of a source; see source.Items.
func (s *sources) SourceItems(ctx context.Context, id int64) ([]source.ItemRecord, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT `+itemColumns+` WHERE source_id = ? ORDER BY key`, id)
	if err != nil {
		return nil, fail("list items", err)
	}
	out, err := collect(rows, scanItem)
	return out, fail("list items", err)
}

// FailedItems returns items that could not be read; see source.Items.
func (s *sources) FailedItems(ctx context.Context, id int64, after string, limit int) ([]source.ItemRecord, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT `+itemColumns+` WHERE source_id = ? AND status IN ('failed', 'unreachable') AND key > ? ORDER BY key LIMIT ?`,
		id, store.Text(after), store.Page(limit))
	if err != nil {
		return nil, fail("list failed items", err)
	}
	out, err := collect(rows, scanItem)
	return out, fail("list failed items", err)
}

// PutSourceItems stores items; see source.Items.
func (s *sources) PutSourceItems(ctx context.Context, id int64, items []source.ItemRecord) error {
	if err := store.CheckItems(items); err != nil {
		return err
	}
	return fail("store items", s.write(ctx, func(ctx context.Context, w *writer) error {
		var there int64
		if err := w.row(ctx, `SELECT id FROM source WHERE id = ?`, id).Scan(&there); err != nil {
			return missing(err, store.NoSource(id))
		}
		for _, it := range items {
			_, err := w.exec(ctx, `INSERT INTO source_item (source_id, key, document, address, state, status, owned, reason, sentence, tries, at)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (source_id, key) DO UPDATE SET
				document = excluded.document, address = excluded.address,
				state = excluded.state, status = excluded.status, owned = excluded.owned, reason = excluded.reason, sentence = excluded.sentence, tries = excluded.tries, at = excluded.at`,
				id, store.Text(it.Key), store.Text(it.Document), store.Text(it.Address), it.State, string(it.Status), it.Owned,
				store.Text(it.Reason.Message), it.Reason.Sentence, it.Tries,
				store.Time(it.At, s.config.Now()).UnixMicro())
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// RemoveSourceItems removes items; see source.Items.
func (s *sources) RemoveSourceItems(ctx context.Context, id int64, keys []string) error {
	return fail("remove items", s.write(ctx, func(ctx context.Context, w *writer) error {
		for _, key := range keys {
			if _, err := w.exec(ctx, `DELETE FROM source_item WHERE source_id = ? AND key = ?`, id, store.Text(key)); err != nil {
				return err
			}
		}
		return nil
	}))
}

// HandOver gives documents to other sources; see source.Items.
func (s *sources) HandOver(ctx context.Context, id int64, documents []string) (given []string, err error) {
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		given = nil
		for _, d := range documents {
			var to int64
			var key string
			err := w.row(ctx, `SELECT i.source_id, i.key FROM source_item i JOIN source s ON s.id = i.source_id
				WHERE i.document = ? AND i.source_id <> ? AND s.collection = (SELECT collection FROM source WHERE id = ?) ORDER BY i.owned DESC, i.source_id LIMIT 1`,
				store.Text(d), id, id).Scan(&to, &key)
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err == nil {
				_, err = w.exec(ctx, `UPDATE source_item SET owned = 1 WHERE source_id = ? AND key = ?`, to, key)
			}
			if err != nil {
				return err
			}
			given = append(given, d)
		}
		return nil
	})
	return given, fail("hand documents over", err)
}

// checkFence fails with source.ErrLost if ctx has a fence and its lease is lost.
func checkFence(ctx context.Context, w *writer) error {
	f, ok := source.FenceOf(ctx)
	if !ok {
		return nil
	}
	var owner string
	err := w.row(context.WithoutCancel(ctx), `SELECT lease_owner FROM source WHERE id = ?`, f.Source).Scan(&owner)
	if err == nil && owner != f.Owner {
		err = source.ErrLost
	}
	return missing(err, store.NoSource(f.Source))
}

// DueSources returns the sources to sync; see source.Leases.
func (s *sources) DueSources(ctx context.Context, now time.Time) ([]int64, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT id FROM source WHERE (requested > 0 OR NOT paused AND (next_at <= ?1 OR lease_until IS NOT NULL))
		AND (lease_until IS NULL OR lease_until <= ?1) AND begun <= ?2 ORDER BY requested DESC, next_at, id`, now.UnixMicro(), source.MaxBegun)
	if err != nil {
		return nil, fail("list due sources", err)
	}
	out, err := collect(rows, func(rows *sql.Rows) (id int64, err error) {
		err = rows.Scan(&id)
		return id, err
	})
	return out, fail("list due sources", err)
}

// RequestSync asks for a sync; see source.Leases.
func (s *sources) RequestSync(ctx context.Context, id int64, request source.Request) error {
	return fail("request sync", s.alter(ctx, store.NoSource(id),
		`UPDATE source SET requested = max(requested, ?) WHERE id = ?`, int(request), id))
}

// StartSync takes the lease; see source.Leases.
func (s *sources) StartSync(ctx context.Context, id int64, l source.Lease) (begun int, err error) {
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		var until int64
		if err := w.row(ctx, `SELECT coalesce(lease_until, 0) FROM source WHERE id = ?`, id).Scan(&until); err != nil {
			return missing(err, store.NoSource(id))
		}
		if until > l.Now.UnixMicro() {
			return nil
		}
		return w.row(ctx, `UPDATE source SET lease_owner = ?, lease_until = ?, requested = 0, begun = begun + 1, done = 0, total = 0
			WHERE id = ? RETURNING begun`, l.Owner, l.Until.UnixMicro(), id).Scan(&begun)
	})
	if err != nil {
		begun = 0
	}
	return begun, fail(fmt.Sprintf("start sync of source %d", id), err)
}

// KeepSync extends the lease; see source.Leases.
func (s *sources) KeepSync(ctx context.Context, id int64, l source.Lease, p source.Progress) (ok bool, err error) {
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		result, err := w.exec(ctx, `UPDATE source SET lease_until = ?, done = ?, total = ? WHERE id = ? AND lease_owner = ?`,
			l.Until.UnixMicro(), p.Done, p.Total, id, l.Owner)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		ok = n > 0
		return err
	})
	return ok && err == nil, fail(fmt.Sprintf("keep sync of source %d", id), err)
}

// EndSync gives the lease back; see source.Leases.
func (s *sources) EndSync(ctx context.Context, id int64, owner string, end *source.End) error {
	return fail(fmt.Sprintf("end sync of source %d", id), s.write(ctx, func(ctx context.Context, w *writer) error {
		if end == nil {
			_, err := w.exec(ctx, `UPDATE source SET lease_owner = '', lease_until = NULL, begun = 0 WHERE id = ? AND lease_owner = ?`, id, owner)
			return err
		}
		last, err := store.SourceEnd(end)
		if err != nil {
			return err
		}
		_, err = w.exec(ctx, `UPDATE source SET lease_owner = '', lease_until = NULL, last_sync = ?1, next_at = ?2, errors = ?3,
			paused = paused OR ?4, begun = CASE WHEN ?4 THEN begun ELSE 0 END WHERE id = ?5 AND lease_owner = ?6`,
			last, optional(end.NextAt), end.Errors, end.Stops, id, owner)
		return err
	}))
}

// FreeSync releases the lease of a killed process; see source.Leases.
func (s *sources) FreeSync(ctx context.Context, id int64, owner string) error {
	return fail(fmt.Sprintf("free source %d", id), s.write(ctx, func(ctx context.Context, w *writer) error {
		_, err := w.exec(ctx, `UPDATE source SET lease_owner = '', lease_until = NULL WHERE id = ? AND lease_owner = ?`, id, owner)
		return err
	}))
}
