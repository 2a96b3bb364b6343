package sql

import (
	"context"
	"time"

	"docent/insight/digest"
	"docent/store"
)

var _ digest.Store = Store{}

// digests stores the last attempts to send the weekly digest.
type digests struct{ db Database }

// Digests returns the last attempts; see digest.Store.
func (s digests) Digests(ctx context.Context) ([]digest.Sent, error) {
	out, err := list(ctx, s.db, func(r Row) (d digest.Sent, err error) {
		err = r.Scan(&d.Recipient, Time(&d.Due), Time(&d.At), &d.Attempts, &d.Problem.Message, &d.Problem.Sentence)
		return d, err
	}, `SELECT recipient, due, at, attempts, reason, sentence FROM digest ORDER BY recipient`)
	return out, s.db.Fail("list digests", err)
}

// KeepDigest stores an attempt; see digest.Store.
func (s digests) KeepDigest(ctx context.Context, d digest.Sent, before time.Time) error {
	err := s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM digest WHERE at < $1`, before); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO digest (recipient, due, at, attempts, reason, sentence) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (recipient) DO UPDATE SET due = excluded.due, at = excluded.at, attempts = excluded.attempts,
			reason = excluded.reason, sentence = excluded.sentence`,
			store.Text(d.Recipient), d.Due, d.At, d.Attempts, store.Text(d.Problem.Message), d.Problem.Sentence)
		return err
	})
	return s.db.Fail("record a digest", err)
}
