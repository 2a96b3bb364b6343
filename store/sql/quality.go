package sql

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"docent/insight/quality"
	"docent/rag/talk"
	"docent/store"
)

var _ quality.Store = Store{}

// keptQuestions stores kept questions and their runs.
type keptQuestions struct{ db Database }

// keptSelect reads the columns of scanKept.
const keptSelect = `SELECT q.id, coalesce(c.name, ''), q.question, q.history, q.expect, q.file, q.quote, coalesce(q.answer_id, 0), q.edits, q.at,
	q.last_at, q.last_outcome, q.last_evidence, q.last_rank, q.before_at, q.before_outcome, q.before_evidence, q.before_rank
	FROM kept_question q LEFT JOIN collection c ON c.id = q.collection_id`

func scanKept(r Row) (q quality.Question, err error) {
	var history string
	var last, before quality.Result
	if err = r.Scan(&q.ID, &q.Collection, &q.Text, &history, &q.Expect, &q.File, &q.Quote, &q.Answer, &q.Edits, Time(&q.At),
		Time(&last.At), &last.Outcome, &last.Evidence, &last.Rank,
		Time(&before.At), &before.Outcome, &before.Evidence, &before.Rank); err != nil {
		return q, err
	}
	if !last.At.IsZero() {
		q.Last = &last
	}
	if !before.At.IsZero() {
		q.Before = &before
	}
	var turns []keptTurn
	err = json.Unmarshal([]byte(history), &turns)
	for _, t := range turns {
		q.History = append(q.History, talk.Turn(t))
	}
	return q, err
}

// keptTurn is the stored form of an earlier message.
type keptTurn struct {
	Role talk.Role `json:"role"`
	Text string    `json:"text"`
}

// historyText returns the stored form of earlier messages.
func historyText(q quality.Question) (string, error) {
	if len(q.History) == 0 {
		return `[]`, nil
	}
	turns := make([]keptTurn, len(q.History))
	for i, t := range q.History {
		turns[i] = keptTurn(t)
	}
	content, err := json.Marshal(turns)
	if err != nil {
		return "", fmt.Errorf("earlier messages: %w", err)
	}
	return store.Text(string(content)), nil
}

// Keep adds a question; see quality.Store. Concurrent calls may add a few questions too many.
func (s keptQuestions) Keep(ctx context.Context, q quality.Question) (id int64, err error) {
	history, err := historyText(q)
	if err != nil {
		return 0, err
	}
	err = s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		if kept, err := found(ctx, tx, []any{&id}, `SELECT id FROM kept_question WHERE answer_id = $1`, q.Answer); err != nil || kept {
			return err
		}
		var n int
		if err := row(ctx, tx, `SELECT count(*) FROM kept_question`).Scan(&n); err != nil {
			return err
		}
		if n >= quality.MaxKept {
			return quality.TooMany()
		}
		return row(ctx, tx, `INSERT INTO kept_question (collection_id, question, history, expect, file, quote, answer_id, at)
			VALUES ((SELECT id FROM collection WHERE name = $1), $2, $3, $4, $5, $6, nullif($7, 0), $8) RETURNING id`,
			store.Text(q.Collection), store.Text(q.Text), history, string(q.Expect), store.Text(q.File), store.Text(q.Quote), q.Answer,
			s.db.Now()).Scan(&id)
	})
	return id, s.db.Fail("keep a question", err)
}

// Kept lists questions; see quality.Store.
func (s keptQuestions) Kept(ctx context.Context, collections []string) ([]quality.Question, error) {
	c := &conditions{}
	if collections != nil {
		c.add(`q.collection_id IN ` + c.collectionIDs(collections))
	}
	out, err := list(ctx, s.db, scanKept, keptSelect+c.where()+` ORDER BY q.id DESC LIMIT `+strconv.Itoa(quality.MaxKept), c.args...)
	return out, s.db.Fail("list kept questions", err)
}

// KeptQuestion returns one question; see quality.Store.
func (s keptQuestions) KeptQuestion(ctx context.Context, id int64) (quality.Question, error) {
	out, err := list(ctx, s.db, scanKept, keptSelect+` WHERE q.id = $1`, id)
	if err == nil && len(out) == 0 {
		err = quality.NotKept()
	}
	if err != nil {
		return quality.Question{}, s.db.Fail("read a kept question", err)
	}
	return out[0], nil
}

// ChangeKept changes a question; see quality.Store.
func (s keptQuestions) ChangeKept(ctx context.Context, q quality.Question) error {
	history, err := historyText(q)
	if err != nil {
		return err
	}
	return s.db.Fail("change a kept question", change(ctx, s.db, quality.NotKept(), `UPDATE kept_question SET
		collection_id = (SELECT id FROM collection WHERE name = $2), question = $3, history = $4, expect = $5, file = $6, quote = $7,
		edits = edits + 1, at = $8, last_at = NULL, last_outcome = '', last_evidence = NULL, last_rank = 0,
		before_at = NULL, before_outcome = '', before_evidence = NULL, before_rank = 0 WHERE id = $1`,
		q.ID, store.Text(q.Collection), store.Text(q.Text), history, string(q.Expect), store.Text(q.File), store.Text(q.Quote), s.db.Now()))
}

// RemoveKept removes a question; see quality.Store.
func (s keptQuestions) RemoveKept(ctx context.Context, id int64) error {
	err := s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE answer SET mark = '' WHERE mark = 'test'
			AND id IN (SELECT answer_id FROM kept_question WHERE id = $1)`, id); err != nil {
			return err
		}
		return change(ctx, tx, quality.NotKept(), `DELETE FROM kept_question WHERE id = $1`, id)
	})
	return s.db.Fail("remove a kept question", err)
}

// SaveResult stores a result; see quality.Store.
func (s keptQuestions) SaveResult(ctx context.Context, id, edits int64, r quality.Result) error {
	_, err := s.db.Exec(ctx, `UPDATE kept_question SET before_at = last_at, before_outcome = last_outcome, before_evidence = last_evidence,
		before_rank = last_rank, last_at = $3, last_outcome = $4, last_evidence = $5, last_rank = $6 WHERE id = $1 AND edits = $2`,
		id, edits, r.At, string(r.Outcome), r.Evidence, r.Rank)
	return s.db.Fail("store the result of a kept question", err)
}

// BeginRun stores a run; see quality.Store.
func (s keptQuestions) BeginRun(ctx context.Context, r quality.Run) (id int64, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		if err := row(ctx, tx, `INSERT INTO quality_run (started_at, questions) VALUES ($1, $2) RETURNING id`,
			r.Started, r.Questions).Scan(&id); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM quality_run WHERE id <= $1`, id-quality.MaxRuns)
		return err
	})
	return id, s.db.Fail("begin a run of kept questions", err)
}

// KeepRun stores the progress of a run; see quality.Store.
func (s keptQuestions) KeepRun(ctx context.Context, r quality.Run) error {
	_, err := s.db.Exec(ctx, `UPDATE quality_run SET ended_at = $2, done = $3, failed = $4, reason = $5, sentence = $6 WHERE id = $1`,
		r.ID, r.Ended, r.Done, r.Failed, store.Text(r.Problem.Message), r.Problem.Sentence)
	return s.db.Fail("store the progress of a run", err)
}

// LastRun returns the latest run; see quality.Store.
func (s keptQuestions) LastRun(ctx context.Context) (r quality.Run, ok bool, err error) {
	ok, err = found(ctx, s.db, []any{
		&r.ID, Time(&r.Started), Time(&r.Ended), &r.Questions, &r.Done, &r.Failed, &r.Problem.Message, &r.Problem.Sentence,
	}, `SELECT id, started_at, ended_at, questions, done, failed, reason, sentence FROM quality_run ORDER BY id DESC LIMIT 1`)
	return r, ok, s.db.Fail("read the last run", err)
}

// Judged returns stored answers with evidence; see quality.Store.
func (s keptQuestions) Judged(ctx context.Context, since time.Time, collections []string) ([]quality.Judged, error) {
	c := &conditions{}
	c.add(`a.evidence IS NOT NULL`)
	if collections == nil {
		c.add(`a.at >= ` + c.arg(since))
	} else {
		c.add(`a.id IN (SELECT k.answer_id FROM answer_collection k WHERE k.at >= ` + c.arg(since) + ` AND k.collection_id IN ` +
			c.collectionIDs(collections) + ` ORDER BY k.at DESC, k.answer_id DESC LIMIT ` + strconv.Itoa(quality.MaxJudged) + `)`)
	}
	out, err := list(ctx, s.db, func(r Row) (j quality.Judged, err error) {
		err = r.Scan(&j.ID, Time(&j.Time), &j.Question, &j.Outcome, &j.Evidence)
		return j, err
	}, `SELECT a.id, a.at, a.question, a.outcome, a.evidence FROM answer a`+c.where()+
		` ORDER BY a.at DESC, a.id DESC LIMIT `+strconv.Itoa(quality.MaxJudged), c.args...)
	return out, s.db.Fail("read the evidence of answers", err)
}
