package sql

import (
	"context"
	"strconv"
	"strings"
	"time"

	"docent/insight"
	"docent/store"
)

var (
	_ insight.Gaps      = Store{}
	_ insight.Solutions = Store{}
)

// LeaseGaps leases the work on gaps; see insight.Gaps.
func (s insights) LeaseGaps(ctx context.Context, owner string, until time.Time) (bool, error) {
	n, err := s.db.Exec(ctx, `INSERT INTO gap_lease (name, owner, until) VALUES ('gaps', $1, $2) ON CONFLICT (name) DO UPDATE
		SET owner = excluded.owner, until = excluded.until WHERE gap_lease.owner = $1 OR gap_lease.until < $3 OR gap_lease.until > $4`,
		owner, until, s.db.Now(), s.db.Now().Add(insight.MaxLease))
	return n > 0, s.db.Fail("lease the work on gaps", err)
}

// Ungrouped returns questions without a gap; see insight.Gaps.
func (s insights) Ungrouped(ctx context.Context, limit int) ([]insight.Ungrouped, error) {
	out, err := list(ctx, s.db, func(r Row) (u insight.Ungrouped, err error) {
		err = r.Scan(&u.ID, &u.Question, &u.Asker, Time(&u.Time))
		return u, err
	}, `SELECT id, question, asker, at FROM answer
		WHERE gap_id IS NULL AND mark = '' AND (outcome IN ('unsure', 'not_found') OR rating < 0) ORDER BY id LIMIT $1`, limit)
	return out, s.db.Fail("read questions without a gap", err)
}

// Clusters returns the vectors of gaps; see insight.Gaps.
func (s insights) Clusters(ctx context.Context, model string) ([]insight.Gap, error) {
	out, err := list(ctx, s.db, func(r Row) (g insight.Gap, err error) {
		var vector []byte
		if err = r.Scan(&g.ID, &vector, &g.Count, &g.Owner, &g.State); err != nil {
			return g, err
		}
		g.Model = model
		g.Sum, err = store.Vector(vector)
		return g, err
	}, `SELECT id, vector, questions, owner, state FROM gap WHERE model = $1 ORDER BY last_at DESC LIMIT $2`, model, insight.MaxCompared)
	return out, s.db.Fail("read the vectors of gaps", err)
}

// Group stores questions with their gaps; see insight.Gaps.
func (s insights) Group(ctx context.Context, questions []insight.Grouped) error {
	var fresh []*insight.Gap
	for _, q := range questions {
		if q.Gap.ID == 0 {
			fresh = append(fresh, q.Gap)
		}
	}
	err := s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		for _, g := range fresh {
			g.ID = 0 // an earlier attempt has set it
		}
		for _, q := range questions {
			if err := joinGap(ctx, tx, q); err != nil {
				return err
			}
		}
		return nil
	})
	return s.db.Fail("group questions", err)
}

// joinGap puts a question into its gap.
func joinGap(ctx context.Context, tx Tx, q insight.Grouped) error {
	g := q.Gap
	vector := store.AppendVector(nil, g.Sum)
	if g.ID == 0 {
		if err := row(ctx, tx, `INSERT INTO gap (model, vector, questions, people, first_at, last_at, typical, typical_score)
			VALUES ($1, $2, 0, 0, $3, $3, $4, $5) RETURNING id`, g.Model, vector, q.Time, q.ID, q.Score).Scan(&g.ID); err != nil {
			return err
		}
	}
	if err := addToGap(ctx, tx, q.ID, g.ID, q.Asker, q.Time); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE gap SET vector = $2 WHERE id = $1`, g.ID, vector); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE gap SET typical = $3, typical_score = $2 WHERE id = $1
		AND (typical_score < $2 OR NOT EXISTS (SELECT 1 FROM answer a WHERE a.id = gap.typical))`, g.ID, q.Score, q.ID)
	if err != nil || q.Merged == 0 {
		return err
	}
	return mergeGap(ctx, tx, g.ID, q.Merged)
}

// addToGap counts a question in a gap. It does nothing if the question is in a gap already, or
// missing.
func addToGap(ctx context.Context, tx Tx, question, gap int64, asker string, at time.Time) error {
	n, err := tx.Exec(ctx, `UPDATE gap SET questions = questions + 1, last_at = CASE WHEN last_at < $3 THEN $3 ELSE last_at END,
		state = CASE WHEN state = 'solved' THEN 'open' ELSE state END,
		people = people + CASE WHEN EXISTS (SELECT 1 FROM answer WHERE gap_id = $1 AND asker = $4) THEN 0 ELSE 1 END
		WHERE id = $1 AND EXISTS (SELECT 1 FROM answer WHERE id = $2 AND gap_id IS NULL)`, gap, question, at, asker)
	if err != nil || n == 0 {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE answer SET gap_id = $2 WHERE id = $1`, question, gap); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO gap_collection (gap_id, collection_id, state, first_at)
		SELECT g.id, a.collection_id, g.state, g.first_at FROM answer_collection a JOIN gap g ON g.id = $2 WHERE a.answer_id = $1
		ON CONFLICT DO NOTHING`, question, gap); err != nil {
		return err
	}
	return copyState(ctx, tx, gap)
}

// copyState copies the state and the time of a gap to its collections, which count it by them.
func copyState(ctx context.Context, tx Tx, gap int64) error {
	_, err := tx.Exec(ctx, `UPDATE gap_collection SET state = (SELECT g.state FROM gap g WHERE g.id = $1),
		first_at = (SELECT g.first_at FROM gap g WHERE g.id = $1)
		WHERE gap_id = $1 AND EXISTS (SELECT 1 FROM gap g WHERE g.id = $1 AND (g.state <> gap_collection.state OR g.first_at <> gap_collection.first_at))`, gap)
	return err
}

// mergeGap moves the questions of another gap into a gap, and removes it.
func mergeGap(ctx context.Context, tx Tx, gap, other int64) error {
	for _, statement := range []string{
		`UPDATE answer SET gap_id = $1 WHERE gap_id = $2`,
		`INSERT INTO gap_collection (gap_id, collection_id, state, first_at) SELECT $1, collection_id, state, first_at
			FROM gap_collection WHERE gap_id = $2 ON CONFLICT DO NOTHING`,
		`UPDATE gap SET questions = questions + (SELECT o.questions FROM gap o WHERE o.id = $2),
			people = (SELECT count(DISTINCT asker) FROM answer WHERE gap_id = $1),
			first_at = (SELECT min(b.first_at) FROM gap b WHERE b.id IN ($1, $2)), last_at = (SELECT max(b.last_at) FROM gap b WHERE b.id IN ($1, $2))
			WHERE id = $1 AND EXISTS (SELECT 1 FROM gap o WHERE o.id = $2)`,
	} {
		if _, err := tx.Exec(ctx, statement, gap, other); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, `DELETE FROM gap WHERE id = $1`, other); err != nil {
		return err
	}
	return copyState(ctx, tx, gap)
}

// leaveGap takes a question out of its gap. A gap without questions has no use.
func leaveGap(ctx context.Context, tx Tx, question int64) error {
	var gap int64
	in, err := found(ctx, tx, []any{&gap}, `SELECT gap_id FROM answer WHERE id = $1 AND gap_id IS NOT NULL`, question)
	if err != nil || !in {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE answer SET gap_id = NULL WHERE id = $1`, question); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE gap SET questions = questions - 1, typical = CASE WHEN typical = $2 THEN 0 ELSE typical END,
		people = (SELECT count(DISTINCT asker) FROM answer WHERE gap_id = $1) WHERE id = $1`, gap, question); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `DELETE FROM gap WHERE id = $1 AND questions <= 0`, gap)
	return err
}

// JoinGap moves a question into a gap; see insight.Gaps.
func (s insights) JoinGap(ctx context.Context, question, gap int64) error {
	err := s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		var asker string
		var at time.Time
		err := row(ctx, tx, `SELECT asker, at FROM answer WHERE id = $1`, question).Scan(&asker, Time(&at))
		if err != nil {
			return missing(err, insight.NoQuestion())
		}
		var id int64
		if err := missing(row(ctx, tx, `SELECT id FROM gap WHERE id = $1`, gap).Scan(&id), insight.NoGap()); err != nil {
			return err
		}
		if in, err := found(ctx, tx, []any{&id}, `SELECT id FROM answer WHERE id = $1 AND gap_id = $2`, question, gap); err != nil || in {
			return err
		}
		if err := leaveGap(ctx, tx, question); err != nil {
			return err
		}
		return addToGap(ctx, tx, question, gap, asker, at)
	})
	return s.db.Fail("move a question to a gap", err)
}

// gapColumns are the columns of gap g that scanGap reads. The wording is that of the typical question,
// or of the newest one.
const gapColumns = `g.id, g.questions, g.people, g.first_at, g.last_at,
	coalesce((SELECT a.id FROM answer a WHERE a.id = g.typical), (SELECT max(a.id) FROM answer a WHERE a.gap_id = g.id), 0),
	coalesce((SELECT a.question FROM answer a WHERE a.id = g.typical),
		(SELECT a.question FROM answer a WHERE a.gap_id = g.id ORDER BY a.id DESC LIMIT 1), ''),
	g.title, g.owner, g.state, g.note, g.proposal, g.asked, g.solution`

func scanGap(r Row) (insight.Gap, error) {
	var g insight.Gap
	var proposal string
	err := r.Scan(&g.ID, &g.Count, &g.People, Time(&g.First), Time(&g.Last), &g.Typical, &g.Wording,
		&g.Title, &g.Owner, &g.State, &g.Note, &proposal, &g.Asked, &g.Solution)
	if proposal != "" {
		g.Proposal = []byte(proposal)
	}
	return g, err
}

// Gaps lists gaps; see insight.Gaps.
func (s insights) Gaps(ctx context.Context, f insight.GapFilter) ([]insight.Gap, error) {
	c := &conditions{}
	if f.State != "" {
		c.add(`g.state = ` + c.arg(string(f.State)))
	}
	if f.Collections != nil {
		c.add(`EXISTS (SELECT 1 FROM gap_collection k WHERE k.gap_id = g.id AND k.collection_id IN ` + c.collectionIDs(f.Collections) + `)`)
	}
	if f.Before != nil {
		c.add(`(g.questions, g.id) < (` + c.arg(f.Before.Count) + `, ` + c.arg(f.Before.ID) + `)`)
	}
	c.add(hasQuestions)
	out, err := list(ctx, s.db, scanGap, `SELECT `+gapColumns+` FROM gap g`+c.where()+
		` ORDER BY g.questions DESC, g.id DESC LIMIT `+strconv.Itoa(min(max(f.Limit, 1), insight.MaxPage+1)), c.args...)
	if err == nil {
		err = s.addGapCollections(ctx, out)
	}
	return out, s.db.Fail("list gaps", err)
}

// CountGaps counts gaps; see insight.Gaps. Each count reads one index from the newest gap on, and stops at
// insight.MaxCounted.
func (s insights) CountGaps(ctx context.Context, collections []string, since time.Time) (n insight.GapCounts, err error) {
	if collections != nil && len(collections) == 0 {
		return n, nil
	}
	count := func(state insight.GapState, to ...any) error {
		query, args := countQuery(state, collections[:min(len(collections), insight.MaxCollections)], since)
		return row(ctx, s.db, query, args...).Scan(to...)
	}
	var ignored int64
	err = count(insight.GapOpen, &n.Open, &n.Questions, &n.New)
	if err == nil {
		err = count(insight.GapProposed, &n.Proposed, &ignored, &ignored)
	}
	return n, s.db.Fail("count gaps", err)
}

// countQuery returns the query for the numbers of gaps, of their questions, and of gaps since a time.
func countQuery(state insight.GapState, collections []string, since time.Time) (string, []any) {
	c := &conditions{}
	recent := c.arg(since)
	limit := ` DESC LIMIT ` + strconv.Itoa(insight.MaxCounted)
	const columns = `SELECT g.id, g.questions, g.first_at FROM `
	gaps := columns + `gap g WHERE g.state = '` + string(state) + `' AND ` + hasQuestions + ` ORDER BY g.first_at` + limit
	parts := make([]string, len(collections))
	for i, name := range collections { // a part each, so that it reads the index in order
		parts[i] = `SELECT * FROM (` + columns + `gap_collection k JOIN gap g ON g.id = k.gap_id
			WHERE k.collection_id = (SELECT id FROM collection WHERE name = ` + c.arg(store.Text(name)) + `) AND k.state = '` + string(state) + `'
			AND ` + hasQuestions + ` ORDER BY k.first_at` + limit + `) p` + strconv.Itoa(i)
	}
	if len(parts) > 0 { // UNION counts a gap of several collections once
		gaps = `SELECT * FROM (` + strings.Join(parts, ` UNION `) + `) g ORDER BY first_at` + limit
	}
	return `SELECT count(*), CAST(coalesce(sum(f.questions), 0) AS bigint), CAST(coalesce(sum(CASE WHEN f.first_at >= ` + recent +
		` THEN 1 ELSE 0 END), 0) AS bigint) FROM (` + gaps + `) f`, c.args
}

// hasQuestions is the condition of gaps g that people see. Retention removes questions.
const hasQuestions = `(g.title <> '' OR EXISTS (SELECT 1 FROM answer a WHERE a.gap_id = g.id))`

// collectionIDs returns a query for the ids of collections.
func (c *conditions) collectionIDs(names []string) string {
	return `(SELECT n.id FROM collection n WHERE n.name IN (SELECT unnest(` + c.arg(store.Texts(names)) + `::text[])))`
}

// Gap returns a gap; see insight.Gaps.
func (s insights) Gap(ctx context.Context, id int64) (insight.Gap, error) {
	out, err := list(ctx, s.db, scanGap, `SELECT `+gapColumns+` FROM gap g WHERE g.id = $1`, id)
	if err == nil && len(out) == 0 {
		err = insight.NoGap()
	}
	if err == nil {
		err = s.addGapCollections(ctx, out)
	}
	if err != nil {
		return insight.Gap{}, s.db.Fail("read a gap", err)
	}
	return out[0], nil
}

// addGapCollections fills the names of the collections.
func (s insights) addGapCollections(ctx context.Context, gaps []insight.Gap) error {
	ids, at := make([]int64, len(gaps)), map[int64]int{}
	for i, g := range gaps {
		ids[i], at[g.ID] = g.ID, i
	}
	_, err := list(ctx, s.db, func(r Row) (struct{}, error) {
		var id int64
		var name string
		err := r.Scan(&id, &name)
		if i, ok := at[id]; ok {
			gaps[i].Collections = append(gaps[i].Collections, name)
		}
		return struct{}{}, err
	}, `SELECT k.gap_id, n.name FROM gap_collection k JOIN collection n ON n.id = k.collection_id
		WHERE k.gap_id IN (SELECT unnest($1::bigint[])) ORDER BY n.name`, ids)
	return err
}

// ChangeGap changes a gap; see insight.Gaps.
func (s insights) ChangeGap(ctx context.Context, id int64, wish insight.GapChange) error {
	c := &conditions{}
	where := ` WHERE id = ` + c.arg(id)
	for _, f := range []struct {
		column string
		text   *string
	}{{"title", wish.Title}, {"owner", wish.Owner}, {"note", wish.Note}, {"proposal", wish.Proposal}} {
		if f.text != nil {
			c.add(f.column + ` = ` + c.arg(store.Text(*f.text)))
		}
	}
	if wish.State != nil {
		c.add(`state = ` + c.arg(string(*wish.State)))
	}
	if wish.Asked != nil {
		c.add(`asked = ` + c.arg(*wish.Asked))
	}
	if wish.Solution != nil {
		c.add(`solution = ` + c.arg(*wish.Solution))
	}
	if len(c.all) == 0 {
		return nil
	}
	err := s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		err := change(ctx, tx, insight.NoGap(), `UPDATE gap SET `+strings.Join(c.all, `, `)+where, c.args...)
		if err != nil || wish.State == nil {
			return err
		}
		if *wish.State == insight.GapSolved {
			if _, err := tx.Exec(ctx, `UPDATE answer SET solved = true WHERE gap_id = $1 AND session_id IS NOT NULL`, id); err != nil {
				return err
			}
		}
		return copyState(ctx, tx, id)
	})
	return s.db.Fail("change a gap", err)
}

// Solutions lists solved questions; see insight.Solutions. A gap can be open again.
func (s insights) Solutions(ctx context.Context, sessions []int64) ([]insight.Solution, error) {
	out, err := list(ctx, s.db, func(r Row) (v insight.Solution, err error) {
		err = r.Scan(&v.Session, &v.Turn, &v.Document)
		return v, err
	}, `SELECT a.session_id, a.turn, g.solution FROM answer a JOIN gap g ON g.id = a.gap_id
		WHERE a.solved AND a.session_id IN (SELECT unnest($1::bigint[])) AND g.state = 'solved' AND `+
		s.db.NotReplaced("a", "a.session_id")+` ORDER BY a.session_id, a.turn`, sessions)
	return out, s.db.Fail("list solved questions", err)
}

// SeeSolution forgets that a question is solved; see insight.Solutions.
func (s insights) SeeSolution(ctx context.Context, session, turn int64) error {
	_, err := s.db.Exec(ctx, `UPDATE answer SET solved = false WHERE solved AND session_id = $1 AND turn = $2`, session, turn)
	return s.db.Fail("mark a solved question as seen", err)
}

// StaleGap returns a gap to ask again; see insight.Gaps.
func (s insights) StaleGap(ctx context.Context, revision int64) (insight.Gap, bool, error) {
	out, err := list(ctx, s.db, scanGap, `SELECT `+gapColumns+` FROM gap g WHERE g.state IN ('open', 'proposed') AND g.asked < $1
		AND EXISTS (SELECT 1 FROM answer a WHERE a.gap_id = g.id) ORDER BY g.questions DESC, g.id LIMIT 1`, revision)
	if err != nil || len(out) == 0 {
		return insight.Gap{}, false, s.db.Fail("find a gap to ask again", err)
	}
	return out[0], true, nil
}
