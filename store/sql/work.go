package sql

import (
	"context"
	"time"

	"docent/ingest/work"
	"docent/internal/fault"
	"docent/store"
)

var (
	_ work.Store     = Store{}
	_ work.Documents = Store{}
)

// workRecords stores the work on documents.
type workRecords struct{ db Database }

// workColumns are the columns that scanWork reads.
const workColumns = `id, kind, state, stage, collection, document_id, source_id, name, asked_by, done, total, size, failed,
	reason, sentence, tries, canceled, created_at, started_at, ended_at`

func scanWork(row Row) (w work.Item, err error) {
	err = row.Scan(&w.ID, &w.Kind, &w.State, &w.Stage, &w.Collection, &w.Document, &w.Source, &w.Name, &w.By, &w.Done, &w.Total, &w.Size,
		&w.Failed, &w.Reason.Message, &w.Reason.Sentence, &w.Tries, &w.Stopping,
		Time(&w.CreatedAt), Time(&w.StartedAt), Time(&w.EndedAt))
	w.Stopping = w.Stopping && w.State == work.Running
	return w, err
}

// QueueWork adds readings that wait; see work.Store.
func (s workRecords) QueueWork(ctx context.Context, kind work.Kind, documents []int64, by string) (int, error) {
	var added int64
	err := s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		var waiting int
		if err := row(ctx, tx, `SELECT count(*) FROM work WHERE state = 'queued'`).Scan(&waiting); err != nil {
			return err
		}
		if waiting+len(documents) > work.MaxQueued {
			return fault.New(fault.Busy, "work_full", "too much waits already: at most %d documents can wait; try again later", work.MaxQueued)
		}
		var err error
		added, err = tx.Exec(ctx, `INSERT INTO work (kind, state, stage, collection, document_id, source_id, name, asked_by, size, created_at)
			SELECT CAST($2 AS text), 'queued', 'waiting', k.name, d.id, 0, d.title, CAST($3 AS text), d.size, $4::timestamptz
			FROM document d JOIN collection k ON k.id = d.collection_id
			WHERE d.id IN (SELECT unnest($1::bigint[])) ORDER BY d.id ON CONFLICT DO NOTHING`, documents, string(kind), store.Text(by), s.db.Now())
		return err
	})
	return int(added), s.db.Fail("queue work", err)
}

// ClaimWork leases the item that has waited longest; see work.Store.
func (s workRecords) ClaimWork(ctx context.Context, l work.Lease) (item work.Item, ok bool, err error) {
	var id int64
	waits, err := found(ctx, s.db, []any{&id}, `SELECT id FROM work WHERE state = 'queued' ORDER BY id LIMIT 1`) // seldom writes
	if err == nil && waits {
		err = s.db.Write(ctx, func(ctx context.Context, tx Tx) (err error) {
			item, err = scanWork(row(ctx, tx, `UPDATE work SET state = 'running', stage = 'reading', owner = $1, until = $2, started_at = $3,
				tries = tries + 1, total = 1 WHERE id = (SELECT id FROM work WHERE state = 'queued' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
				RETURNING `+workColumns, l.Owner, l.Until, l.Now))
			ok = err == nil
			return missing(err, nil)
		})
	}
	return item, ok && err == nil, s.db.Fail("claim work", err)
}

// BeginWork adds an item that runs; see work.Store.
func (s workRecords) BeginWork(ctx context.Context, w work.Item, l work.Lease) (id int64, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		return row(ctx, tx, `INSERT INTO work (kind, state, stage, collection, document_id, source_id, name, asked_by, done, total, size,
				tries, owner, until, created_at, started_at)
			VALUES ($1, 'running', $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, $11, $12, $13, $13) RETURNING id`,
			string(w.Kind), string(w.Stage), store.Text(w.Collection), w.Document, w.Source, store.Text(w.Name), store.Text(w.By),
			w.Done, w.Total, w.Size, l.Owner, l.Until, l.Now).Scan(&id)
	})
	return id, s.db.Fail("begin work", err)
}

// KeepWork extends the lease; see work.Store.
func (s workRecords) KeepWork(ctx context.Context, id int64, l work.Lease, p work.Progress) (ok bool, err error) {
	n, err := s.db.Exec(ctx, `UPDATE work SET until = $3, stage = $4, done = $5, total = $6, size = $7
		WHERE id = $1 AND owner = $2 AND state = 'running' AND NOT canceled`, id, l.Owner, l.Until, string(p.Stage), p.Done, p.Total, p.Size)
	return err == nil && n > 0, s.db.Fail("keep work", err)
}

// EndWork ends an item and removes old ones; see work.Store.
func (s workRecords) EndWork(ctx context.Context, id int64, owner string, end work.End) error {
	now := s.db.Now()
	err := s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		if end.Forget {
			_, err := tx.Exec(ctx, `DELETE FROM work WHERE id = $1 AND owner = $2 AND state = 'running'`, id, owner)
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE work SET state = $3, document_id = CASE WHEN $4 > 0 THEN $4 ELSE document_id END, failed = $5,
				reason = $6, sentence = $7, ended_at = $8, until = NULL, done = CASE WHEN $3 = 'done' THEN total ELSE done END
			WHERE id = $1 AND owner = $2 AND state = 'running'`,
			id, owner, string(end.State), end.Document, end.Failed, store.Text(end.Reason.Message), end.Reason.Sentence, now); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM work WHERE ended_at < $1`, now.Add(-work.KeepEnded)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM work WHERE ended_at IS NOT NULL AND id <= (SELECT max(id) FROM work) - $1`, work.MaxEnded)
		return err
	})
	return s.db.Fail("end work", err)
}

// ReturnWork lets an item wait again; see work.Store.
func (s workRecords) ReturnWork(ctx context.Context, id int64, owner string) error {
	_, err := s.db.Exec(ctx, `UPDATE work SET state = 'queued', stage = 'waiting', owner = '', until = NULL, started_at = NULL, tries = tries - 1
		WHERE id = $1 AND owner = $2 AND state = 'running'`, id, owner)
	return s.db.Fail("give work back", err)
}

// FreeWork frees the items of killed processes; see work.Store.
func (s workRecords) FreeWork(ctx context.Context, now time.Time) (int, error) {
	const expired = `state = 'running' AND (until <= $1 OR until > $2)`
	ids, err := list(ctx, s.db, scanID, `SELECT id FROM work WHERE `+expired+` ORDER BY id`, now, now.Add(work.MaxLease))
	if err != nil || len(ids) == 0 {
		return 0, s.db.Fail("look for interrupted work", err)
	}
	freed := int64(0)
	err = s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		again, err := tx.Exec(ctx, `UPDATE work SET state = 'queued', stage = 'waiting', owner = '', until = NULL, started_at = NULL
			WHERE `+expired+` AND kind IN ('retry', 'read_again') AND tries < $3 AND NOT canceled`, now, now.Add(work.MaxLease), work.MaxTries)
		if err != nil {
			return err
		}
		why := work.Interrupted()
		ended, err := tx.Exec(ctx, `UPDATE work SET state = CASE WHEN canceled THEN 'canceled' ELSE 'failed' END, owner = '', until = NULL,
			ended_at = $1, reason = $3, sentence = $4 WHERE `+expired, now, now.Add(work.MaxLease), why.Message, why.Sentence)
		freed = again + ended
		return err
	})
	return int(freed), s.db.Fail("free interrupted work", err)
}

// CancelWork ends an item; see work.Store.
func (s workRecords) CancelWork(ctx context.Context, id int64, collections []string) error {
	err := s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		return change(ctx, tx, fault.New(fault.NotFound, "work_unknown", "there is no such work, or it has ended"),
			`UPDATE work SET canceled = true, ended_at = CASE WHEN state = 'queued' THEN $2::timestamptz ELSE ended_at END,
				state = CASE WHEN state = 'queued' THEN 'canceled' ELSE state END
			WHERE id = $1 AND state IN ('queued', 'running') AND ($3 OR collection IN (SELECT unnest($4::text[])))`,
			id, s.db.Now(), collections == nil, store.Texts(collections))
	})
	return s.db.Fail("cancel work", err)
}

// ListWork lists work; see work.Store.
func (s workRecords) ListWork(ctx context.Context, collections []string, limit int) (out []work.Item, queued int, err error) {
	const within = `($2 OR collection IN (SELECT unnest($1::text[])))`
	names, all := store.Texts(collections), collections == nil
	for _, which := range []string{
		`state = 'running' AND ` + within + ` ORDER BY id`,
		`state = 'queued' AND ` + within + ` ORDER BY id`,
		`ended_at IS NOT NULL AND ` + within + ` ORDER BY ended_at DESC, id DESC`,
	} {
		items, err := list(ctx, s.db, scanWork, `SELECT `+workColumns+` FROM work WHERE `+which+` LIMIT $3`, names, all, limit)
		if err != nil {
			return nil, 0, s.db.Fail("list work", err)
		}
		out = append(out, items...)
	}
	err = row(ctx, s.db, `SELECT count(*) FROM work WHERE state = 'queued' AND `+within, names, all).Scan(&queued)
	return out, queued, s.db.Fail("count the work that waits", err)
}

// sourceOf selects the id of the source that read document d of collection k, or 0.
const sourceOf = `coalesce((SELECT min(i.source_id) FROM source_item i JOIN source s ON s.id = i.source_id
	WHERE s.collection = k.name AND i.document IN (d.source,
		CASE WHEN strpos(d.source, '#') > 1 THEN substr(d.source, 1, strpos(d.source, '#') - 1) ELSE d.source END)), 0)`

// Origins returns the origins of documents; see work.Documents.
func (s workRecords) Origins(ctx context.Context, ids []int64) ([]work.Origin, error) {
	out, err := list(ctx, s.db, func(r Row) (o work.Origin, err error) {
		err = r.Scan(&o.ID, &o.Collection, &o.Title, &o.Source, &o.Size, &o.Status, &o.Error.Message, &o.Error.Sentence, &o.Kept, &o.Of)
		return o, err
	}, `SELECT d.id, k.name, d.title, d.source, d.size, `+DocumentStatus+`, d.error, d.sentence, d.blob_sha256 IS NOT NULL, `+sourceOf+`
		FROM document d JOIN collection k ON k.id = d.collection_id WHERE d.id IN (SELECT unnest($1::bigint[])) ORDER BY d.id`, ids)
	return out, s.db.Fail("find the origins of documents", err)
}

// reasonID is the id of the reason of failed document d; the reason itself if it has no id.
const reasonID = `CASE WHEN d.sentence LIKE '{"id":"%' THEN substr(d.sentence, 8, strpos(substr(d.sentence, 8), '"') - 1) ELSE d.error END`

// failedIn selects the failed documents d of collections k: those in the list $1, or all with $2.
const failedIn = ` FROM document d JOIN collection k ON k.id = d.collection_id
	WHERE d.status = 'failed' AND NOT d.skipped AND ($2 OR k.name IN (SELECT unnest($1::text[])))`

// FailedIDs lists failed documents; see work.Documents.
func (s workRecords) FailedIDs(ctx context.Context, collections []string, reason string, limit int) ([]int64, error) {
	out, err := list(ctx, s.db, scanID, `SELECT d.id`+failedIn+` AND ($3 = '' OR `+reasonID+` = $3) ORDER BY d.id LIMIT $4`,
		store.Texts(collections), collections == nil, store.Text(reason), limit)
	return out, s.db.Fail("list failed documents", err)
}

// FailureGroups groups failed documents; see work.Documents.
func (s workRecords) FailureGroups(ctx context.Context, collections []string, limit int) ([]work.FailureGroup, error) {
	out, err := list(ctx, s.db, func(r Row) (g work.FailureGroup, err error) {
		err = r.Scan(&g.Count, &g.Again, Time(&g.Latest), &g.Document, &g.Title, &g.Collection, &g.Reason.Message, &g.Reason.Sentence)
		return g, err
	}, `SELECT g.documents, g.again, g.latest, d.id, d.title, k.name, d.error, d.sentence FROM (
			SELECT reason, count(*) AS documents, sum(CASE WHEN again THEN 1 ELSE 0 END) AS again, max(at) AS latest, max(id) AS last FROM (
				SELECT d.id, `+reasonID+` AS reason, d.updated_at AS at, d.blob_sha256 IS NOT NULL OR `+sourceOf+` > 0 AS again`+failedIn+`) f
			GROUP BY reason) g
		JOIN document d ON d.id = g.last JOIN collection k ON k.id = d.collection_id ORDER BY g.documents DESC, d.id DESC LIMIT $3`,
		store.Texts(collections), collections == nil, limit)
	return out, s.db.Fail("group failed documents", err)
}
