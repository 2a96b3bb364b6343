package sql

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"docent/insight"
	"docent/rag"
	"docent/store"
)

var _ insight.Approvals = Store{}

// approvals stores approved answers.
type approvals struct{ db Database }

// PutApproved stores an approved answer; see insight.Approvals.
func (s approvals) PutApproved(ctx context.Context, a insight.Approved) error {
	err := s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO approved_answer (document_id, questions, text, signed, owner, review, at)
			VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (document_id) DO UPDATE SET questions = excluded.questions, text = excluded.text,
			signed = excluded.signed, owner = excluded.owner, review = excluded.review, at = excluded.at`,
			a.Document, store.Text(strings.Join(a.Questions, "\n")), store.Text(a.Text), store.Text(a.Signed), store.Text(a.Owner), a.Review,
			a.At); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM approved_link WHERE document_id = $1`, a.Document); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO approved_link (document_id, linked, sha256)
			SELECT $1, id, sha256 FROM document WHERE id IN (SELECT unnest($2::bigint[])) AND id <> $1`, a.Document, a.Documents)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM approved_passage WHERE document_id = $1`, a.Document); err != nil {
			return err
		}
		var passages [][]any
		for i, p := range a.Passages {
			passages = append(passages, []any{a.Document, i, p.Document, p.Revision, store.Text(p.Quote)})
		}
		return tx.ExecAll(ctx, `INSERT INTO approved_passage (document_id, place, linked, revision, quote) VALUES ($1, $2, $3, $4, $5)`, passages)
	})
	return s.db.Fail("store an approved answer", err)
}

// approvedColumns are the columns that scanApproved reads.
const approvedColumns = `a.document_id, a.questions, a.text, a.signed, a.owner, a.review, a.at, c.name, d.source
	FROM approved_answer a JOIN document d ON d.id = a.document_id JOIN collection c ON c.id = d.collection_id`

func scanApproved(r Row) (a insight.Approved, err error) {
	var questions string
	err = r.Scan(&a.Document, &questions, &a.Text, &a.Signed, &a.Owner, &a.Review, Time(&a.At), &a.Collection, &a.Source)
	a.Questions = strings.Split(questions, "\n")
	return a, err
}

// changedLink is the condition of links l whose documents changed.
const changedLink = `NOT EXISTS (SELECT 1 FROM document t WHERE t.id = l.linked AND t.sha256 = l.sha256)`

// linkedPassage are passages p with their documents t, and changedPassage is the condition that the document is missing or has another
// text there. It reads the text only if the document was stored again.
const (
	linkedPassage  = ` FROM approved_passage p LEFT JOIN document t ON t.id = p.linked `
	changedPassage = `CASE WHEN t.id IS NULL THEN true WHEN t.version = p.revision THEN false ELSE strpos(t.text, p.quote) = 0 END`
)

// addDue selects the answers of a filter.
func (c *conditions) addDue(f insight.ApprovedFilter) {
	if f.Collections != nil {
		c.add(`c.name IN (SELECT unnest(` + c.arg(store.Texts(f.Collections)) + `::text[]))`)
	}
	if f.Due == "" {
		return
	}
	link, passage := changedLink, changedPassage
	if f.Readable != nil {
		readable := ` IN (SELECT r.id FROM document r JOIN collection k ON k.id = r.collection_id
			WHERE k.name IN (SELECT unnest(` + c.arg(store.Texts(f.Readable)) + `::text[]))) AND `
		link, passage = `l.linked`+readable+link, `p.linked`+readable+passage
	}
	c.add(`(a.review <> '' AND a.review < ` + c.arg(f.Due) + ` OR EXISTS (SELECT 1 FROM approved_link l
		WHERE l.document_id = a.document_id AND ` + link + `)
		OR EXISTS (SELECT 1` + linkedPassage + `WHERE p.document_id = a.document_id AND ` + passage + `))`)
}

// CountDue counts approved answers; see insight.Approvals.
func (s approvals) CountDue(ctx context.Context, f insight.ApprovedFilter) (n int64, err error) {
	c := &conditions{}
	c.addDue(f)
	err = row(ctx, s.db, `SELECT count(*) FROM approved_answer a JOIN document d ON d.id = a.document_id
		JOIN collection c ON c.id = d.collection_id`+c.where(), c.args...).Scan(&n)
	return n, s.db.Fail("count approved answers", err)
}

// Approved lists approved answers; see insight.Approvals.
func (s approvals) Approved(ctx context.Context, f insight.ApprovedFilter) ([]insight.Approved, error) {
	c := &conditions{}
	c.addDue(f)
	if f.Before != 0 {
		c.add(`a.document_id < ` + c.arg(f.Before))
	}
	out, err := list(ctx, s.db, scanApproved, `SELECT `+approvedColumns+c.where()+
		` ORDER BY a.document_id DESC LIMIT `+strconv.Itoa(min(max(f.Limit, 1), insight.MaxPage+1)), c.args...)
	if err == nil {
		err = s.addLinks(ctx, out)
	}
	return out, s.db.Fail("list approved answers", err)
}

// ApprovedAnswer returns an approved answer; see insight.Approvals.
func (s approvals) ApprovedAnswer(ctx context.Context, document int64) (insight.Approved, error) {
	out, err := list(ctx, s.db, scanApproved, `SELECT `+approvedColumns+` WHERE a.document_id = $1`, document)
	if err == nil && len(out) == 0 {
		err = insight.NoApproved()
	}
	if err == nil {
		err = s.addLinks(ctx, out)
	}
	if err != nil {
		return insight.Approved{}, s.db.Fail("read an approved answer", err)
	}
	return out[0], nil
}

// addLinks fills the links of answers.
func (s approvals) addLinks(ctx context.Context, answers []insight.Approved) error {
	ids, at := make([]int64, len(answers)), map[int64]int{}
	for i, a := range answers {
		ids[i], at[a.Document] = a.Document, i
	}
	_, err := list(ctx, s.db, func(r Row) (struct{}, error) {
		var id, linked int64
		var changed bool
		err := r.Scan(&id, &linked, &changed)
		if i, ok := at[id]; ok {
			answers[i].Documents = append(answers[i].Documents, linked)
			if changed {
				answers[i].Changed = append(answers[i].Changed, linked)
			}
		}
		return struct{}{}, err
	}, `SELECT l.document_id, l.linked, `+changedLink+` FROM approved_link l
		WHERE l.document_id IN (SELECT unnest($1::bigint[])) ORDER BY l.linked`, ids)
	if err != nil {
		return err
	}
	_, err = list(ctx, s.db, func(r Row) (struct{}, error) {
		var id int64
		var p insight.Passage
		err := r.Scan(&id, &p.Document, &p.Quote, &p.Revision, &p.Title, &p.Changed, &p.Deleted)
		if i, ok := at[id]; ok {
			answers[i].Passages = append(answers[i].Passages, p)
		}
		return struct{}{}, err
	}, `SELECT p.document_id, p.linked, p.quote, p.revision, coalesce(t.title, ''), `+changedPassage+`, t.id IS NULL`+linkedPassage+
		`WHERE p.document_id IN (SELECT unnest($1::bigint[])) ORDER BY p.document_id, p.place`, ids)
	return err
}

// ApprovedAnswers returns approved answers for questions; see insight.Approvals.
func (s approvals) ApprovedAnswers(ctx context.Context, documents []int64) ([]rag.Approved, error) {
	out, err := list(ctx, s.db, func(r Row) (rag.Approved, error) {
		a, err := scanApproved(r)
		return a.Approved, err
	}, `SELECT `+approvedColumns+` WHERE a.document_id IN (SELECT unnest($1::bigint[]))`, documents)
	if err != nil || len(out) == 0 {
		return out, s.db.Fail("read approved answers", err)
	}
	_, err = list(ctx, s.db, func(r Row) (struct{}, error) {
		var id int64
		var l rag.Link
		var place int
		err := r.Scan(&id, &l.Document, &l.Quote, &place)
		if i := slices.IndexFunc(out, func(a rag.Approved) bool { return a.Document == id }); i >= 0 {
			out[i].Links = append(out[i].Links, l)
		}
		return struct{}{}, err
	}, `SELECT document_id, linked, quote, place FROM approved_passage WHERE document_id IN (SELECT unnest($1::bigint[]))
		UNION ALL SELECT document_id, linked, '', 1000 FROM approved_link WHERE document_id IN (SELECT unnest($1::bigint[]))
		ORDER BY 1, 4, 2`, documents)
	return out, s.db.Fail("read the links of approved answers", err)
}
