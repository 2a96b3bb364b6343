package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

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
	s.next_at, s.requested, s.errors, s.begun, s.last_sync, s.lease_until, s.lease_owner, s.done, s.total,
	(SELECT count(*) FROM source_item i WHERE i.source_id = s.id),
	(SELECT count(*) FROM source_item i WHERE i.source_id = s.id AND i.status IN ('failed', 'unreachable')) FROM source s`

func scanSource(row pgx.Row) (source.Record, error) {
	var r source.Record
	var options string
	var last *string
	var next, busy *time.Time
	err := row.Scan(&r.ID, &r.Name, &r.Kind, &r.Location, &options, &r.Secret, &r.Collection, &r.Schedule, &r.Paused, &r.CreatedAt,
		&next, &r.Requested, &r.Errors, &r.Begun, &last, &busy, &r.BusyBy, &r.Progress.Done, &r.Progress.Total, &r.Items, &r.Failed)
	if err != nil {
		return r, fmt.Errorf("scan: %w", err)
	}
	r.CreatedAt, r.NextAt, r.BusyUntil = r.CreatedAt.UTC(), instant(next), instant(busy)
	return r, store.ReadSource(&r, options, last) //nolint:wrapcheck // fail names the operation
}

// AddSource stores a source; see source.Sources.
func (s *sources) AddSource(ctx context.Context, r source.Record) (id int64, err error) {
	if err := store.CheckSource(r); err != nil {
		return 0, err //nolint:wrapcheck // the error is complete
	}
	options, err := store.SourceOptions(r.Options)
	if err != nil {
		return 0, err //nolint:wrapcheck // fail names the operation
	}
	err = s.pool.QueryRow(ctx, `INSERT INTO source (name, kind, location, options, secret, collection, schedule, paused, created_at, next_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (name) DO NOTHING RETURNING id`,
		store.Text(r.Name), store.Text(r.Kind), store.Text(r.Location), store.Text(options), r.Secret,
		store.Text(r.Collection), store.Text(r.Schedule),
		r.Paused, store.Time(r.CreatedAt, s.config.Now()), optional(r.NextAt)).Scan(&id)
	return id, fail("add source", missing(err, store.SourceTaken(r.Name)))
}

// Source returns a source; see source.Sources.
func (s *sources) Source(ctx context.Context, id int64) (source.Record, error) {
	r, err := scanSource(s.pool.QueryRow(ctx, `SELECT `+sourceColumns+` WHERE s.id = $1`, id))
	return r, fail("read source", missing(err, store.NoSource(id)))
}

// ListSources returns all sources; see source.Sources.
func (s *sources) ListSources(ctx context.Context) ([]source.Record, error) {
	out, err := query(ctx, s, func(row pgx.CollectableRow) (source.Record, error) { return scanSource(row) },
		`SELECT `+sourceColumns+` ORDER BY s.name COLLATE "C"`)
	return out, fail("list sources", err)
}

// ChangeSource changes a source; see source.Sources.
func (s *sources) ChangeSource(ctx context.Context, id int64, c source.Change) error {
	return fail("change source", s.write(ctx, func(tx pgx.Tx) error {
		if c.Name != nil {
			var other int64
			err := tx.QueryRow(ctx, `SELECT id FROM source WHERE name = $1 AND id <> $2`, store.Text(*c.Name), id).Scan(&other)
			if err == nil {
				return store.SourceTaken(*c.Name)
			}
			if !errors.Is(err, pgx.ErrNoRows) {
				return fmt.Errorf("look for the name: %w", err)
			}
		}
		var next *time.Time
		if c.NextAt != nil {
			next = optional(*c.NextAt)
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
func (s *sources) RemoveSource(ctx context.Context, id int64) error {
	return fail("remove source", s.alter(ctx, store.NoSource(id), `DELETE FROM source WHERE id = $1`, id))
}

// itemColumns are the columns that scanItem reads.
const itemColumns = `key, document, address, state, status, owned, reason, sentence, tries, at FROM source_item`

func scanItem(row pgx.CollectableRow) (source.ItemRecord, error) {
	var it source.ItemRecord
	err := row.Scan(&it.Key, &it.Document, &it.Address, &it.State, &it.Status, &it.Owned,
		&it.Reason.Message, &it.Reason.Sentence, &it.Tries, &it.At)
	it.At = it.At.UTC()
	return it, err //nolint:wrapcheck // fail names the operation
}

// SourceItems returns the items of a source; see source.Items.
func (s *sources) SourceItems(ctx context.Context, id int64) ([]source.ItemRecord, error) {
	out, err := query(ctx, s, scanItem, `SELECT `+itemColumns+` WHERE source_id = $1 ORDER BY key`, id)
	return out, fail("list items", err)
}

// FailedItems returns items that could not be read; see source.Items.
func (s *sources) FailedItems(ctx context.Context, id int64, after string, limit int) ([]source.ItemRecord, error) {
	out, err := query(ctx, s, scanItem, `SELECT `+itemColumns+` WHERE source_id = $1 AND status IN ('failed', 'unreachable') AND key > $2 ORDER BY key LIMIT $3`,
		id, store.Text(after), store.Page(limit))
	return out, fail("list failed items", err)
}

// PutSourceItems stores items; see source.Items.
func (s *sources) PutSourceItems(ctx context.Context, id int64, items []source.ItemRecord) error {
	if err := store.CheckItems(items); err != nil {
		return err //nolint:wrapcheck // the error is complete
	}
	return fail("store items", s.write(ctx, func(tx pgx.Tx) error {
		var there int64
		if err := tx.QueryRow(ctx, `SELECT id FROM source WHERE id = $1 FOR KEY SHARE`, id).Scan(&there); err != nil {
			return missing(err, store.NoSource(id))
		}
		batch := &pgx.Batch{}
		for _, it := range items {
			batch.Queue(`INSERT INTO source_item (source_id, key, document, address, state, status, owned, reason, sentence, tries, at)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (source_id, key) DO UPDATE SET
				document = excluded.document, address = excluded.address,
				state = excluded.state, status = excluded.status, owned = excluded.owned, reason = excluded.reason, sentence = excluded.sentence, tries = excluded.tries, at = excluded.at`,
				id, store.Text(it.Key), store.Text(it.Document), store.Text(it.Address), it.State, string(it.Status), it.Owned,
				store.Text(it.Reason.Message), it.Reason.Sentence, it.Tries,
				store.Time(it.At, s.config.Now()))
		}
		return tx.SendBatch(ctx, batch).Close()
	}))
}

// RemoveSourceItems removes items; see source.Items.
func (s *sources) RemoveSourceItems(ctx context.Context, id int64, keys []string) error {
	return fail("remove items", s.write(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM source_item WHERE source_id = $1 AND key = ANY($2)`, id, store.Texts(keys))
		return err
	}))
}

// HandOver gives documents to other sources; see source.Items.
func (s *sources) HandOver(ctx context.Context, id int64, documents []string) (out []string, err error) {
	err = s.write(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `UPDATE source_item SET owned = true FROM (
				SELECT DISTINCT ON (i.document) i.source_id, i.key FROM source_item i JOIN source s ON s.id = i.source_id
				WHERE i.document = ANY($2) AND i.source_id <> $1 AND s.collection = (SELECT collection FROM source WHERE id = $1)
				ORDER BY i.document, i.owned DESC, i.source_id
			) heir WHERE source_item.source_id = heir.source_id AND source_item.key = heir.key RETURNING document`, id, store.Texts(documents))
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return out, fail("hand documents over", err)
}

// checkFence fails with source.ErrLost if ctx has a fence and its lease is lost. The lock
// keeps the lease until the transaction ends.
func checkFence(ctx context.Context, tx pgx.Tx) error {
	f, ok := source.FenceOf(ctx)
	if !ok {
		return nil
	}
	var owner string
	err := tx.QueryRow(ctx, `SELECT lease_owner FROM source WHERE id = $1 FOR SHARE`, f.Source).Scan(&owner)
	if err == nil && owner != f.Owner {
		err = source.ErrLost
	}
	return missing(err, store.NoSource(f.Source))
}

// DueSources returns the sources to sync; see source.Leases.
func (s *sources) DueSources(ctx context.Context, now time.Time) ([]int64, error) {
	out, err := query(ctx, s, pgx.RowTo[int64], `SELECT id FROM source WHERE (requested > 0 OR NOT paused AND (next_at <= $1 OR lease_until IS NOT NULL))
		AND (lease_until IS NULL OR lease_until <= $1) AND begun <= $2 ORDER BY requested DESC, next_at NULLS FIRST, id`, now, source.MaxBegun)
	return out, fail("list due sources", err)
}

// RequestSync asks for a sync; see source.Leases.
func (s *sources) RequestSync(ctx context.Context, id int64, request source.Request) error {
	return fail("request sync", s.alter(ctx, store.NoSource(id),
		`UPDATE source SET requested = greatest(requested, $2) WHERE id = $1`, id, int(request)))
}

// StartSync takes the lease; see source.Leases.
func (s *sources) StartSync(ctx context.Context, id int64, l source.Lease) (begun int, err error) {
	err = s.pool.QueryRow(ctx, `UPDATE source SET lease_owner = $2, lease_until = $4, requested = 0, begun = begun + 1, done = 0, total = 0
		WHERE id = $1 AND (lease_until IS NULL OR lease_until <= $3) RETURNING begun`, id, l.Owner, l.Now, l.Until).Scan(&begun)
	if errors.Is(err, pgx.ErrNoRows) {
		var there int64
		err = missing(s.pool.QueryRow(ctx, `SELECT id FROM source WHERE id = $1`, id).Scan(&there), store.NoSource(id))
	}
	return begun, fail(fmt.Sprintf("start sync of source %d", id), err)
}

// KeepSync extends the lease; see source.Leases.
func (s *sources) KeepSync(ctx context.Context, id int64, l source.Lease, p source.Progress) (ok bool, err error) {
	tag, err := s.pool.Exec(ctx, `UPDATE source SET lease_until = $3, done = $4, total = $5 WHERE id = $1 AND lease_owner = $2`, id, l.Owner, l.Until, p.Done, p.Total)
	return err == nil && tag.RowsAffected() > 0, fail(fmt.Sprintf("keep sync of source %d", id), err)
}

// EndSync gives the lease back; see source.Leases.
func (s *sources) EndSync(ctx context.Context, id int64, owner string, end *source.End) error {
	operation := fmt.Sprintf("end sync of source %d", id)
	if end == nil {
		_, err := s.pool.Exec(ctx, `UPDATE source SET lease_owner = '', lease_until = NULL, begun = 0 WHERE id = $1 AND lease_owner = $2`, id, owner)
		return fail(operation, err)
	}
	last, err := store.SourceEnd(end)
	if err != nil {
		return fail(operation, err)
	}
	_, err = s.pool.Exec(ctx, `UPDATE source SET lease_owner = '', lease_until = NULL, last_sync = $3, next_at = $4, errors = $5,
		paused = paused OR $6, begun = CASE WHEN $6 THEN begun ELSE 0 END WHERE id = $1 AND lease_owner = $2`,
		id, owner, last, optional(end.NextAt), end.Errors, end.Stops)
	return fail(operation, err)
}

// FreeSync releases the lease of a killed process; see source.Leases.
func (s *sources) FreeSync(ctx context.Context, id int64, owner string) error {
	_, err := s.pool.Exec(ctx, `UPDATE source SET lease_owner = '', lease_until = NULL WHERE id = $1 AND lease_owner = $2`, id, owner)
	return fail(fmt.Sprintf("free source %d", id), err)
}
