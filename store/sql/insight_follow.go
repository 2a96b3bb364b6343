package sql

import (
	"context"
	"time"

	"docent/insight"
)

const (
	// window bounds the messages of one step by their ids.
	window = 10 * insight.Batch
	// overlap is the number of ratings that a step reads again, because a rating with a lower id can
	// become visible later.
	overlap = 100
)

// position is how far the facts follow the conversations.
type position struct{ chat, feedback, mark, markXID int64 }

// FollowAnswers implements insight.Store.
func (s insights) FollowAnswers(ctx context.Context, entry func(insight.Said) (insight.Entry, bool)) (more bool, err error) {
	idle, err := s.upToDate(ctx)
	if err != nil || idle {
		return false, s.db.Fail("follow conversations", err)
	}
	err = s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		p, err := lock(ctx, tx)
		if err != nil {
			return err
		}
		if more, err = s.followMessages(ctx, tx, &p, entry); err != nil {
			return err
		}
		if err := followRatings(ctx, tx, &p); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE answer_follower SET chat_id = $1, feedback_id = $2, mark = $3, mark_xid = $4`,
			p.chat, p.feedback, p.mark, p.markXID)
		return err
	})
	return more, s.db.Fail("follow conversations", err)
}

// upToDate reports whether there is nothing to follow, without a write.
func (s insights) upToDate(ctx context.Context) (bool, error) {
	var same bool
	ok, err := found(ctx, s.db, []any{&same}, `SELECT chat_id >= (SELECT coalesce(max(id), 0) FROM chat)
		AND feedback_id >= (SELECT coalesce(max(id), 0) FROM feedback) FROM answer_follower`)
	return ok && same, err
}

// lock makes other processes wait until the transaction ends.
func lock(ctx context.Context, tx Tx) (p position, err error) {
	if _, err = tx.Exec(ctx, `INSERT INTO answer_follower (name, chat_id, feedback_id, mark, mark_xid) VALUES ('answers', 0, 0, 0, 0)
		ON CONFLICT DO NOTHING`); err != nil {
		return p, err
	}
	_, err = found(ctx, tx, []any{&p.chat, &p.feedback, &p.mark, &p.markXID},
		`UPDATE answer_follower SET name = name RETURNING chat_id, feedback_id, mark, mark_xid`)
	return p, err
}

// followMessages adds the answers among the next messages.
//
// Postgres gives a message its id before the transaction commits, so a lower id can become visible
// later. A commit of a turn locks its session first and so has its transaction number before its
// messages have ids. Once all transactions have ended that had a number when the mark was the newest
// message, no lower message is missing.
func (s insights) followMessages(
	ctx context.Context, tx Tx, p *position, entry func(insight.Said) (insight.Entry, bool),
) (more bool, err error) {
	var oldestXID, nextXID, newest int64
	if _, err := found(ctx, tx, []any{&oldestXID, &nextXID, &newest},
		`SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
		(SELECT coalesce(max(id), 0) FROM chat)`); err != nil {
		return false, err
	}
	if p.chat >= p.mark || p.markXID > nextXID { // the latter in a restored database
		p.mark, p.markXID = newest, nextXID
	}
	if oldestXID < p.markXID {
		return false, nil
	}
	upTo := min(p.mark, p.chat+window)
	said, err := list(ctx, tx, scanSaid, `SELECT c.id, c.session_id, c.turn, c."timestamp", CAST(c.content AS text),
			s.channel, s.owner, s.username, s.session_id,
			coalesce((SELECT u.sender FROM chat u WHERE u.session_id = c.session_id AND u.turn = c.turn AND u.is_user ORDER BY u.seq LIMIT 1), '')
		FROM chat c JOIN session s ON s.id = c.session_id
		WHERE c.id > $1 AND c.id <= $2 AND c.type = 'rag_answer' AND NOT c.is_user
			AND (s.copied = 0 OR c.turn > s.copied) ORDER BY c.id LIMIT $3`, p.chat, upTo, insight.Batch)
	if err != nil {
		return false, err
	}
	p.chat = upTo
	if len(said) == insight.Batch {
		p.chat = said[len(said)-1].Answer.Chat
	}
	for _, m := range said {
		e, ok := entry(m)
		if !ok {
			continue
		}
		if e.Rating, err = lastRating(ctx, tx, e.Session, e.Turn); err != nil {
			return false, err
		}
		if err := addAnswer(ctx, tx, e); err != nil {
			return false, err
		}
	}
	return p.chat < newest, nil
}

func scanSaid(r Row) (insight.Said, error) {
	var s insight.Said
	var channel, owner, id string
	var username *string
	a := &s.Answer
	err := r.Scan(&a.Chat, &a.Session, &a.Turn, Time(&a.Time), &s.Content, &channel, &owner, &username, &id, &s.Sender)
	a.Channel = insight.Channel(channel)
	switch {
	case a.Channel == insight.Widget: // all visitors have the same token
		a.Asker = "visitor:" + id
	case owner != "":
		a.Asker = owner
	case username != nil:
		a.Asker = *username
	default:
		a.Asker = "visitor:" + id
	}
	return s, err
}

// lastRating returns the sign of the last rating of a turn.
func lastRating(ctx context.Context, tx Tx, session, turn int64) (int, error) {
	var rating int
	_, err := found(ctx, tx, []any{&rating}, `SELECT CASE WHEN rating < 0 THEN -1 WHEN rating > 0 THEN 1 ELSE 0 END FROM feedback
		WHERE session_id = $1 AND turn = $2 AND rating IS NOT NULL ORDER BY id DESC LIMIT 1`, session, turn)
	return rating, err
}

// followRatings applies the next ratings to the stored facts.
func followRatings(ctx context.Context, tx Tx, p *position) error {
	type rated struct{ id, session, turn int64 }
	all, err := list(ctx, tx, func(r Row) (v rated, err error) {
		err = r.Scan(&v.id, &v.session, &v.turn)
		return v, err
	}, `SELECT id, session_id, turn FROM feedback WHERE id > $1 AND rating IS NOT NULL ORDER BY id LIMIT $2`,
		max(0, p.feedback-overlap), overlap+insight.Batch)
	if err != nil {
		return err
	}
	for _, v := range all {
		rating, err := lastRating(ctx, tx, v.session, v.turn)
		if err == nil {
			err = rate(ctx, tx, v.session, v.turn, rating)
		}
		if err != nil {
			return err
		}
		p.feedback = max(p.feedback, v.id)
	}
	if len(all) < overlap+insight.Batch { // comments without a rating may follow
		_, err = found(ctx, tx, []any{&p.feedback}, `SELECT coalesce(max(id), 0) FROM feedback`)
	}
	return err
}

// rate sets the rating of the answers of a turn.
func rate(ctx context.Context, tx Tx, session, turn int64, rating int) error {
	type fact struct {
		id     int64
		at     time.Time
		rating int
	}
	facts, err := list(ctx, tx, func(r Row) (f fact, err error) {
		err = r.Scan(&f.id, Time(&f.at), &f.rating)
		return f, err
	}, `SELECT id, at, rating FROM answer WHERE session_id = $1 AND turn = $2 AND rating <> $3`, session, turn, rating)
	if err != nil {
		return err
	}
	for _, f := range facts {
		if _, err := tx.Exec(ctx, `UPDATE answer SET rating = $2 WHERE id = $1`, f.id, rating); err != nil {
			return err
		}
		collections, err := list(ctx, tx, scanID, `SELECT collection_id FROM answer_collection WHERE answer_id = $1`, f.id)
		if err != nil {
			return err
		}
		delta := insight.Totals{RatedDown: down(rating) - down(f.rating)}
		if delta.RatedDown == 0 {
			continue
		}
		if err := countAnswer(ctx, tx, f.at, collections, delta); err != nil {
			return err
		}
	}
	return nil
}
