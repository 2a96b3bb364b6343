package sql_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/backup"
	"docent/ingest/intake"
	"docent/ingest/source"
	"docent/ingest/source/syncer"
	"docent/ingest/work"
	"docent/insight"
	"docent/insight/digest"
	"docent/insight/quality"
	"docent/internal/fault"
	"docent/internal/lease"
	"docent/internal/pgtest"
	"docent/internal/sqlitetest"
	"docent/internal/storetest"
	"docent/payload"
	"docent/rag/corpus"
	"docent/rag/describe"
	"docent/settings"
	"docent/store/postgres"
	"docent/store/sqlite"
	"docent/webhook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }

// database is the part of a database that the tests use.
type database interface {
	journal.Store
	journal.Directory
	AddFeedback(ctx context.Context, session int64, r journal.FeedbackRecord) error
	PutDocuments(ctx context.Context, puts []intake.Put) ([]int64, error)
	RemoveDocuments(ctx context.Context, ids []int64) (int, error)
	Documents(ctx context.Context, filter corpus.DocumentFilter) ([]corpus.Document, error)
	Document(ctx context.Context, id int64) (corpus.Document, error)
	insight.Store
	insight.Gaps
	insight.Solutions
	insight.Approvals
	quality.Store
	backup.Runs
	lease.Jobs
	digest.Store
	syncer.Secrets
	describe.Store
	webhook.Store
	settings.Store
	work.Store
	work.Documents
	source.Sources
	source.Items
}

// each runs a test on both databases.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Parallel()
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		s, err := postgres.Open(t.Context(), postgres.Config{URL: pgtest.URL(t)})
		storetest.OK(t, err)
		t.Cleanup(func() { storetest.OK(t, s.Close()) })
		w := newWorld(t, s)
		w.behind = func() (behind bool) {
			pool, _ := s.Connections()
			storetest.OK(t, pool.QueryRow(t.Context(), `SELECT NOT EXISTS (SELECT FROM answer_follower
				WHERE chat_id >= (SELECT coalesce(max(id), 0) FROM chat))`).Scan(&behind))
			return behind
		}
		test(t, w)
	})
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		s, err := sqlite.Open(t.Context(), sqlite.Config{Path: sqlitetest.Path(t)})
		storetest.OK(t, err)
		t.Cleanup(func() { storetest.OK(t, s.Close()) })
		test(t, newWorld(t, s))
	})
}

// world is a database with facts.
type world struct {
	database

	facts    *insight.Follower
	insights insight.Store
	gaps     insight.Gaps
	backups  backup.Runs
	jobs     lease.Jobs
	digests  digest.Store
	turns    map[int64]int64
	// behind reports whether transactions of other tests, which share the server, delay the facts.
	behind func() bool
}

const kept = 30 * 24 * time.Hour

func newWorld(t *testing.T, db database) *world {
	w := &world{
		database: db, insights: db, gaps: db, backups: db, jobs: db, digests: db,
		turns: map[int64]int64{}, behind: func() bool { return false },
	}
	var err error
	w.facts, err = insight.NewFollower(insight.FollowerConfig{Store: w.insights, Keep: kept})
	storetest.OK(t, err)
	return w
}

// session opens a session.
func (w *world) session(t *testing.T, id, owner string, channel insight.Channel) int64 {
	t.Helper()
	r, _, err := w.OpenSession(t.Context(), journal.SessionRecord{
		Key: journal.SessionKey{Agent: "a", ID: id}, Platform: "P", Owner: owner, Channel: string(channel),
	})
	storetest.OK(t, err)
	return r.RowID
}

// turn stores a question with its answer.
func (w *world) turn(t *testing.T, session int64, m payload.RAGMessage, at time.Time) (turn int64) {
	t.Helper()
	content, err := json.Marshal(m)
	storetest.OK(t, err)
	receipt, err := w.Receive(t.Context(), journal.Incoming{
		Session: session, Type: payload.TypeStr, Content: chat.JSONString(m.Question),
		Event: journal.EventRecord{Name: chat.EventText, Human: true},
	})
	storetest.OK(t, err)
	turn = receipt.Event.Turn
	_, err = w.CommitTurn(t.Context(), journal.TurnRecord{
		Session: session, Turn: turn, State: "s", Handled: []int64{receipt.Event.ID},
		Entries: []journal.Entry{{Message: &chat.Message{Type: payload.TypeRAG, Content: content, Time: at}}},
	})
	storetest.OK(t, err)
	return turn
}

// document stores a document and returns its id.
func (w *world) document(t *testing.T, collection string) int64 {
	t.Helper()
	ids, err := w.PutDocuments(t.Context(), []intake.Put{{
		Document: corpus.Document{Collection: collection, Source: "upload:" + collection + ".md", Title: collection, Status: corpus.Ready},
		Chunks:   []corpus.Chunk{{Kind: corpus.Prose, Text: "The pump stops.", End: 15}},
	}})
	storetest.OK(t, err)
	return ids[0]
}

// follow derives the facts of all stored turns.
func (w *world) follow(t *testing.T) {
	t.Helper()
	// Postgres first marks the newest message, and then reads up to the mark.
	for range 3 {
		for more := true; more; {
			var err error
			more, err = w.facts.Step(t.Context())
			storetest.OK(t, err)
		}
	}
	for w.behind() {
		_, err := w.facts.Step(t.Context())
		storetest.OK(t, err)
	}
}

// list returns the questions that a filter selects.
func (w *world) list(t *testing.T, f insight.Filter) []string {
	t.Helper()
	f.Limit = max(f.Limit, 1)
	if f.Limit == 1 {
		f.Limit = 50
	}
	found, err := w.insights.Answers(t.Context(), f)
	storetest.OK(t, err)
	out := []string{}
	for _, a := range found {
		out = append(out, a.Question)
	}
	return out
}

func message(question string, outcome payload.AnswerOutcome, documents ...int64) payload.RAGMessage {
	evidence := .25
	m := payload.RAGMessage{LLMName: "extractive", Question: question, Answer: "Because.", Outcome: outcome, Evidence: &evidence}
	for _, id := range documents {
		m.Docs = append(m.Docs, payload.RAGDoc{Content: "The pump stops.", Metadata: payload.RAGMetadata{DocumentID: id}})
	}
	return m
}

func (w *world) rate(t *testing.T, session, turn int64, rating int) {
	t.Helper()
	storetest.OK(t, w.AddFeedback(t.Context(), session, journal.FeedbackRecord{Feedback: journal.Feedback{Turn: turn, Rating: &rating}}))
}

func TestFollow(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		now := time.Now().UTC().Truncate(time.Microsecond)
		manual, hr := w.document(t, "manual"), w.document(t, "hr")
		ann := w.session(t, "one", "user:ann", insight.Page)
		w.turn(t, ann, message("When does the pump stop?", payload.Answered, manual, manual), now)
		bad := w.turn(t, ann, message("Wer darf heute früher gehen?", payload.AnswerNotFound, hr, manual), now)
		w.turn(t, ann, message("Hello!", payload.AnswerReplied, manual), now)
		visitor := w.session(t, "two", "token:shop", insight.Widget)
		named := message("And the fan?", payload.AnswerUnsure, manual)
		named.Collections = []string{"hr", "gone"}
		w.turn(t, visitor, named, now)
		private := message("And in my file?", payload.Answered, -1)
		private.Docs[0].Metadata.File = 3
		w.turn(t, visitor, private, now)
		w.rate(t, ann, bad, -3)
		w.follow(t)

		storetest.Want(t, "questions", w.list(t, insight.Filter{}),
			[]string{"And in my file?", "And the fan?", "Wer darf heute früher gehen?", "When does the pump stop?"})
		found, err := w.insights.Answers(t.Context(), insight.Filter{Rating: -1, Limit: 5})
		storetest.OK(t, err)
		evidence := .25
		storetest.Want(t, "facts", found, []insight.Answer{{
			ID: found[0].ID, Session: ann, Chat: found[0].Chat, Turn: bad, Time: now, Question: "Wer darf heute früher gehen?",
			Outcome: payload.AnswerNotFound, Rating: -1, Channel: insight.Page, Asker: "user:ann", Language: "de",
			Evidence: &evidence, Collections: []string{"hr", "manual"},
		}})
		rating := -3
		again := journal.Feedback{Turn: bad, Rating: &rating, Reason: "outdated"}
		storetest.OK(t, w.AddFeedback(t.Context(), ann, journal.FeedbackRecord{Feedback: again}))
		one, err := w.insights.Answer(t.Context(), found[0].ID)
		storetest.OK(t, err)
		storetest.Want(t, "reason", one.Reason, "outdated")
		storetest.Want(t, "of hr", w.list(t, insight.Filter{Collections: []string{"hr"}}), []string{"And the fan?", "Wer darf heute früher gehen?"})
		day := now.Format(time.DateOnly)
		totals := func(collections []string) insight.Totals {
			t.Helper()
			days, err := w.insights.AnswerTotals(t.Context(), day, collections)
			storetest.OK(t, err)
			if len(days) != 1 {
				t.Fatalf("the totals have %d days, want 1: %v", len(days), days)
			}
			return days[0]
		}
		storetest.Want(t, "totals", totals(nil), insight.Totals{Day: day, Questions: 4, Answered: 2, Unsure: 1, NotFound: 1, RatedDown: 1})
		storetest.Want(t, "totals of hr", totals([]string{"hr"}), insight.Totals{Day: day, Questions: 2, Unsure: 1, NotFound: 1, RatedDown: 1})

		w.rate(t, ann, bad, 1) // after its facts
		w.follow(t)
		storetest.Want(t, "rated down", w.list(t, insight.Filter{Rating: -1}), []string{})
		storetest.Want(t, "totals after another rating", totals(nil).RatedDown, 0)

		one, err = w.insights.Answer(t.Context(), found[0].ID)
		storetest.OK(t, err)
		var m payload.RAGMessage
		storetest.OK(t, json.Unmarshal(one.Content, &m))
		storetest.Want(t, "the answer and its session", []string{m.Answer, one.Agent, one.SessionID}, []string{"Because.", "a", "one"})

		storetest.OK(t, w.DeleteSession(t.Context(), journal.SessionKey{Agent: "a", ID: "one"}))
		storetest.Want(t, "questions after the deletion", w.list(t, insight.Filter{}), []string{"And in my file?", "And the fan?"})
		storetest.Want(t, "totals after the deletion", totals(nil).Questions, 4)
		_, err = w.insights.Answer(t.Context(), found[0].ID)
		storetest.WantKind(t, "a deleted question", err, fault.NotFound)
	})
}

// TestFollowTogether lets processes follow at once: each answer counts once.
func TestFollowTogether(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const turns = 40
		at := time.Now()
		var running sync.WaitGroup
		for i := range 4 {
			session := w.session(t, fmt.Sprint(i), "", insight.WebSocket)
			running.Go(func() {
				for n := range turns / 4 {
					w.turn(t, session, message(fmt.Sprint(n), payload.Answered), at)
				}
			})
		}
		for range 3 {
			running.Go(func() {
				for range 20 {
					if _, err := w.facts.Step(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		running.Wait()
		w.follow(t)
		days, err := w.insights.AnswerTotals(t.Context(), "", nil)
		storetest.OK(t, err)
		n := len(w.list(t, insight.Filter{}))
		if len(days) != 1 || days[0].Questions != turns || n != turns {
			t.Errorf("%d facts and the totals %v, want %d", n, days, turns)
		}
	})
}

func TestWithoutConversation(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		now := time.Now().UTC().Truncate(time.Microsecond)
		old := now.Add(-2 * kept)
		add := func(question string, at time.Time, content string) {
			t.Helper()
			storetest.OK(t, w.insights.AddAnswers(t.Context(), insight.Entry{Answer: insight.Answer{
				Time: at, Question: question, Outcome: payload.Answered, Channel: insight.MCP, Content: []byte(content),
			}}))
		}
		add("first", old, `{"answer":"a"}`)
		add("second", old, "")
		add("third", now, "")
		found, err := w.insights.Answers(t.Context(), insight.Filter{Channel: insight.MCP, Until: now, Limit: 5})
		storetest.OK(t, err)
		one, err := w.insights.Answer(t.Context(), found[1].ID)
		storetest.OK(t, err)
		storetest.Want(t, "content", string(one.Content), `{"answer":"a"}`)
		storetest.OK(t, w.insights.MarkAnswer(t.Context(), found[1].ID, insight.Test))
		storetest.WantKind(t, "mark nothing", w.insights.MarkAnswer(t.Context(), 1<<40, insight.Test), fault.NotFound)
		removed, err := w.facts.Expire(t.Context())
		storetest.OK(t, err)
		storetest.Want(t, "removed", removed, 1)
		storetest.Want(t, "kept", w.list(t, insight.Filter{}), []string{"third", "first"})
		storetest.Want(t, "tests", w.list(t, insight.Filter{Mark: insight.Test}), []string{"first"})

		session := w.session(t, "old", "", insight.Page)
		w.turn(t, session, message("long ago", payload.Answered), old)
		w.follow(t)
		storetest.Want(t, "old turns have totals only", w.list(t, insight.Filter{}), []string{"third", "first"})
		days, err := w.insights.AnswerTotals(t.Context(), "", nil)
		storetest.OK(t, err)
		storetest.Want(t, "totals of the old day", days[0].Questions, 3)
	})
}

func TestPages(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := time.Now().UTC().Truncate(time.Hour)
		w.document(t, "manual")
		w.document(t, "hr")
		want := []string{}
		for i := range 20 {
			asked := []string{"manual", "hr"}[:1+i%2]
			outcome := []payload.AnswerOutcome{payload.Answered, payload.AnswerUnsure, payload.AnswerNotFound}[i%3]
			e := insight.Entry{Asked: asked, Answer: insight.Answer{
				Time: at.Add(time.Duration(i/4) * time.Minute), Question: fmt.Sprint(i), Outcome: outcome, Channel: insight.API,
			}}
			storetest.OK(t, w.insights.AddAnswers(t.Context(), e))
			if i%3 > 0 {
				want = append([]string{e.Question}, want...)
			}
		}
		for name, f := range map[string]insight.Filter{
			"all":               {},
			"collections":       {Collections: []string{"manual", "hr"}},
			"with the channel":  {Collections: []string{"hr", "manual"}, Channel: insight.API},
			"since the first":   {Since: at},
			"before the end":    {Until: at.Add(time.Hour), Collections: []string{"manual"}},
			"of the other kind": {Channel: insight.API},
		} {
			f.Outcomes, f.Limit = []payload.AnswerOutcome{payload.AnswerUnsure, payload.AnswerNotFound}, 3
			got := []string{}
			for {
				page, err := w.insights.Answers(t.Context(), f)
				storetest.OK(t, err)
				if len(page) == 0 {
					break
				}
				for _, a := range page {
					got = append(got, a.Question)
				}
				f.Before = &page[len(page)-1]
			}
			storetest.Want(t, name, got, want)
		}
		storetest.Want(t, "no collections", w.list(t, insight.Filter{Collections: []string{}}), []string{})
		storetest.Want(t, "another channel", w.list(t, insight.Filter{Collections: []string{"hr"}, Channel: insight.Page}), []string{})
	})
}

// TestCitations checks that each answer counts once for each document that it cites, and that the numbers stay.
func TestCitations(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		often, once, never := w.document(t, "often"), w.document(t, "once"), w.document(t, "never")
		cites := func(question string, outcome payload.AnswerOutcome, places ...int) payload.RAGMessage {
			m := message(question, outcome, often, once, never)
			for _, n := range places {
				m.Sentences = append(m.Sentences, payload.RAGSentence{Docs: []int{n}})
			}
			return m
		}
		session := w.session(t, "s", "user:1", insight.Page)
		w.turn(t, session, cites("one", payload.Answered, 1, 1, 2, 9), time.Now())
		w.turn(t, session, cites("two", payload.AnswerUnsure, 1), time.Now())
		w.turn(t, session, cites("three", payload.AnswerNotFound, 3), time.Now())
		w.follow(t)
		want := func(filter corpus.DocumentFilter, want string) {
			t.Helper()
			found, err := w.Documents(t.Context(), filter)
			storetest.OK(t, err)
			var out []string
			for _, d := range found {
				out = append(out, fmt.Sprint(d.Collection, d.Cited))
			}
			storetest.Want(t, fmt.Sprintf("documents of %+v", filter), fmt.Sprint(out), want)
		}
		byCitations := corpus.DocumentFilter{Order: corpus.ByCited, Descending: true}
		want(byCitations, "[often2 once1 never0]")
		want(corpus.DocumentFilter{NeverCited: true}, "[never0]")
		want(corpus.DocumentFilter{Cited: true, Order: corpus.ByCited, Descending: true}, "[often2 once1]")
		storetest.OK(t, w.insights.AddAnswers(t.Context(), insight.Entry{
			Answer: insight.Answer{Time: time.Now(), Question: "four", Outcome: payload.Answered}, Cited: []int64{once, 1 << 60},
		}))
		storetest.OK(t, w.DeleteSession(t.Context(), journal.SessionKey{Agent: "a", ID: "s"}))
		_, err := w.RemoveDocuments(t.Context(), []int64{never})
		storetest.OK(t, err)
		want(byCitations, "[once2 often2]")
	})
}
