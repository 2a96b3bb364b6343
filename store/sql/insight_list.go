package sql

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"docent/insight"
	"docent/payload"
	"docent/store"
)

const factColumns = `a.id, coalesce(a.session_id, 0), coalesce(a.chat_id, 0), a.turn, a.at, a.question, a.outcome, a.rating, a.channel, a.asker,
	a.language, a.evidence, a.private, a.mark, coalesce(a.gap_id, 0)`

func scanFact(r Row, more ...any) (insight.Answer, error) {
	var a insight.Answer
	err := r.Scan(append([]any{
		&a.ID, &a.Session, &a.Chat, &a.Turn, Time(&a.Time), &a.Question, &a.Outcome, &a.Rating, &a.Channel, &a.Asker,
		&a.Language, &a.Evidence, &a.Private, &a.Mark, &a.Gap,
	}, more...)...)
	return a, err
}

// conditions are the conditions of a query and their arguments.
type conditions struct {
	all  []string
	args []any
}

func (c *conditions) arg(v any) string {
	c.args = append(c.args, v)
	return fmt.Sprint("$", len(c.args))
}

func (c *conditions) add(condition string) { c.all = append(c.all, condition) }

func (c *conditions) where() string {
	if len(c.all) == 0 {
		return ""
	}
	return ` WHERE ` + strings.Join(c.all, ` AND `)
}

// times adds the conditions for the time. The columns order the list.
func (c *conditions) times(f insight.Filter, at, id string) {
	if !f.Since.IsZero() {
		c.add(at + ` >= ` + c.arg(f.Since))
	}
	if !f.Until.IsZero() {
		c.add(at + ` < ` + c.arg(f.Until))
	}
	if f.Before != nil {
		c.add(`(` + at + `, ` + id + `) < (` + c.arg(f.Before.Time) + `, ` + c.arg(f.Before.ID) + `)`)
	}
}

// outcomes adds the condition for the outcome.
func (c *conditions) outcomes(all []payload.AnswerOutcome, column string) {
	if len(all) == 0 {
		return
	}
	args := make([]string, len(all))
	for i, o := range all {
		args[i] = c.arg(string(o))
	}
	c.add(column + ` IN (` + strings.Join(args, `, `) + `)`)
}

// rest adds the conditions for the columns that only the table answer has.
func (c *conditions) rest(f insight.Filter) {
	if f.Channel != "" {
		c.add(`a.channel = ` + c.arg(string(f.Channel)))
	}
	if f.Rating != 0 { // a constant, so that the partial index fits
		c.add(`a.rating = ` + strconv.Itoa(f.Rating))
	}
	if f.Gap != 0 {
		c.add(`a.gap_id = ` + c.arg(f.Gap))
	}
	if f.Mark != "" {
		c.add(`a.mark = ` + c.arg(string(f.Mark)))
	}
}

// listQuery returns the query for a page. Each of its parts reads one index in order.
func listQuery(f insight.Filter) (string, []any) {
	c := &conditions{}
	limit := min(max(f.Limit, 1), insight.MaxPage+1)
	const order = ` ORDER BY a.at DESC, a.id DESC LIMIT `
	collections := f.Collections[:min(len(f.Collections), insight.MaxCollections)]
	if f.Collections == nil || f.Rating != 0 {
		c.times(f, `a.at`, `a.id`)
		c.outcomes(f.Outcomes, `a.outcome`)
		c.rest(f)
		if f.Collections != nil {
			c.add(`EXISTS (SELECT 1 FROM answer_collection k JOIN collection n ON n.id = k.collection_id
				WHERE k.answer_id = a.id AND n.name IN (SELECT unnest(` + c.arg(store.Texts(collections)) + `::text[])))`)
		}
		return `SELECT ` + factColumns + ` FROM answer a` + c.where() + order + strconv.Itoa(limit), c.args
	}
	parts := make([]string, len(collections))
	for i, name := range collections {
		c.all = nil
		c.add(`k.collection_id = (SELECT id FROM collection WHERE name = ` + c.arg(store.Text(name)) + `)`)
		c.times(f, `k.at`, `k.answer_id`)
		c.outcomes(f.Outcomes, `k.outcome`)
		from := `answer_collection k`
		if f.Channel != "" || f.Mark != "" || f.Gap != 0 {
			from += ` JOIN answer a ON a.id = k.answer_id`
			c.rest(f)
		}
		parts[i] = `SELECT * FROM (SELECT k.answer_id FROM ` + from + c.where() + ` ORDER BY k.at DESC, k.answer_id DESC LIMIT ` +
			strconv.Itoa(limit) + `) p` + strconv.Itoa(i)
	}
	ids := strings.Join(parts, ` UNION `)
	return `SELECT ` + factColumns + ` FROM answer a WHERE a.id IN (` + ids + `)` + order + strconv.Itoa(limit), c.args
}

// Answers implements insight.Store.
func (s insights) Answers(ctx context.Context, f insight.Filter) ([]insight.Answer, error) {
	if f.Collections != nil && len(f.Collections) == 0 {
		return nil, nil
	}
	query, args := listQuery(f)
	found, err := list(ctx, s.db, func(r Row) (insight.Answer, error) { return scanFact(r) }, query, args...)
	if err == nil {
		err = s.addCollections(ctx, found)
	}
	return found, s.db.Fail("list questions", err)
}

// addCollections fills the names of the collections.
func (s insights) addCollections(ctx context.Context, answers []insight.Answer) error {
	if len(answers) == 0 {
		return nil
	}
	ids, at := make([]int64, len(answers)), map[int64]int{}
	for i, a := range answers {
		ids[i], at[a.ID] = a.ID, i
	}
	_, err := list(ctx, s.db, func(r Row) (struct{}, error) {
		var id int64
		var name string
		err := r.Scan(&id, &name)
		if i, ok := at[id]; ok {
			answers[i].Collections = append(answers[i].Collections, name)
		}
		return struct{}{}, err
	}, `SELECT k.answer_id, n.name FROM answer_collection k JOIN collection n ON n.id = k.collection_id
		WHERE k.answer_id IN (SELECT unnest($1::bigint[])) ORDER BY n.name`, ids)
	return err
}

// Answer implements insight.Store.
func (s insights) Answer(ctx context.Context, id int64) (insight.Answer, error) {
	found, err := list(ctx, s.db, func(r Row) (insight.Answer, error) {
		var agent, session, content, reason string
		a, err := scanFact(r, &agent, &session, &content, &reason)
		a.Agent, a.SessionID, a.Reason = agent, session, reason
		if content != "" {
			a.Content = []byte(content)
		}
		return a, err
	}, `SELECT `+factColumns+`, coalesce(s.agent_name, ''), coalesce(s.session_id, ''), coalesce(t.content, CAST(c.content AS text), ''),
			coalesce((SELECT f.reason FROM feedback f WHERE f.session_id = a.session_id AND f.turn = a.turn AND f.rating IS NOT NULL
				ORDER BY f.id DESC LIMIT 1), '')
		FROM answer a LEFT JOIN session s ON s.id = a.session_id LEFT JOIN chat c ON c.id = a.chat_id
			LEFT JOIN answer_text t ON t.answer_id = a.id WHERE a.id = $1`, id)
	if err == nil && len(found) == 0 {
		err = insight.NoQuestion()
	}
	if err == nil {
		err = s.addCollections(ctx, found)
	}
	if err != nil {
		return insight.Answer{}, s.db.Fail("read a question", err)
	}
	return found[0], nil
}
