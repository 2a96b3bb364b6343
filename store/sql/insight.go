package sql

import (
	"context"
	"time"

	"docent/insight"
	"docent/store"
)

var _ insight.Store = Store{}

// insights stores facts about answers.
type insights struct{ db Database }

// addAnswer stores an entry with its totals. It does nothing if the facts of the message are stored.
func addAnswer(ctx context.Context, tx Tx, e insight.Entry) error {
	collections, err := collectionsOf(ctx, tx, e)
	if err != nil {
		return err
	}
	if !e.Forgotten {
		stored, err := insertAnswer(ctx, tx, e, collections)
		if err != nil || !stored {
			return err
		}
	}
	if err := countCitations(ctx, tx, e.Cited); err != nil {
		return err
	}
	return countAnswer(ctx, tx, e.Time, collections, totalsOf(e))
}

// countCitations counts an answer for each document that it cites.
func countCitations(ctx context.Context, tx Tx, documents []int64) error {
	if len(documents) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `INSERT INTO citation (document_id, answers)
		SELECT id, 1 FROM document WHERE id IN (SELECT unnest($1::bigint[])) ORDER BY id
		ON CONFLICT (document_id) DO UPDATE SET answers = citation.answers + 1`, documents)
	return err
}

// insertAnswer stores the facts of an entry. It returns false if they are stored already.
func insertAnswer(ctx context.Context, tx Tx, e insight.Entry, collections []int64) (bool, error) {
	var id int64
	stored, err := found(ctx, tx, []any{&id}, `INSERT INTO answer
			(session_id, chat_id, turn, at, question, outcome, rating, channel, asker, language, evidence, private)
		VALUES (nullif($1, 0), nullif($2, 0), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (chat_id) DO NOTHING RETURNING id`,
		e.Session, e.Chat, e.Turn, e.Time, store.Text(e.Question), string(e.Outcome), e.Rating, string(e.Channel),
		store.Text(e.Asker), e.Language, e.Evidence, e.Private)
	if err != nil || !stored {
		return false, err
	}
	for _, c := range collections {
		if _, err := tx.Exec(ctx, `INSERT INTO answer_collection (answer_id, collection_id, outcome, at) VALUES ($1, $2, $3, $4)`,
			id, c, string(e.Outcome), e.Time); err != nil {
			return false, err
		}
	}
	if len(e.Content) > 0 {
		_, err = tx.Exec(ctx, `INSERT INTO answer_text (answer_id, content) VALUES ($1, $2)`, id, store.Text(string(e.Content)))
	}
	return true, err
}

// collectionsOf returns the ids of the collections in the question. If it names none, it returns
// those of the passages.
func collectionsOf(ctx context.Context, tx Tx, e insight.Entry) ([]int64, error) {
	if len(e.Asked) > 0 {
		return list(ctx, tx, scanID, `SELECT id FROM collection WHERE name IN (SELECT unnest($1::text[]))`, store.Texts(e.Asked))
	}
	if len(e.Documents) == 0 {
		return nil, nil
	}
	return list(ctx, tx, scanID, `SELECT DISTINCT collection_id FROM document WHERE id IN (SELECT unnest($1::bigint[]))`, e.Documents)
}

// found runs a query for a single row, and returns false if there is none.
func found(ctx context.Context, q querier, dest []any, statement string, args ...any) (bool, error) {
	err := row(ctx, q, statement, args...).Scan(dest...)
	return err == nil, missing(err, nil)
}

// AddAnswers implements insight.Store.
func (s insights) AddAnswers(ctx context.Context, entries ...insight.Entry) error {
	err := s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		for _, e := range entries {
			if err := addAnswer(ctx, tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	return s.db.Fail("add facts about an answer", err)
}

// ExpireAnswers implements insight.Store.
func (s insights) ExpireAnswers(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := s.db.Exec(ctx, `DELETE FROM answer WHERE id IN (SELECT id FROM answer WHERE at < $1 AND mark <> $2 ORDER BY at, id LIMIT $3)`,
		before, string(insight.Test), limit)
	return int(n), s.db.Fail("remove old facts about answers", err)
}

// MarkAnswer implements insight.Store.
func (s insights) MarkAnswer(ctx context.Context, id int64, mark insight.Mark) error {
	err := s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		err := change(ctx, tx, insight.NoQuestion(), `UPDATE answer SET mark = $2 WHERE id = $1`, id, string(mark))
		if err == nil && mark != insight.Test {
			_, err = tx.Exec(ctx, `DELETE FROM kept_question WHERE answer_id = $1`, id)
		}
		if err != nil || mark != insight.OffTopic {
			return err
		}
		return leaveGap(ctx, tx, id)
	})
	return s.db.Fail("mark a question", err)
}
