package wiring

import (
	"context"
	"fmt"
	"time"

	"docent/agent"
	"docent/auth/audit"
	"docent/auth/rights"
	"docent/config"
	"docent/eval"
	"docent/insight"
	"docent/insight/digest"
	"docent/insight/quality"
	"docent/insight/today"
	"docent/internal/disk"
	"docent/payload"
	"docent/rag"
	"docent/rag/pipeline"
)

// addInsights adds the work that keeps facts about answers, and gaps.
func (s *Server) addInsights() (err error) {
	keep := time.Duration(s.Config.KeepQuestions) * 24 * time.Hour
	s.recorder = insight.NewRecorder(s.DB.Insights, keep, s.Log)
	if s.facts, err = insight.NewFollower(insight.FollowerConfig{
		Store: s.DB.Insights, Keep: keep, Logger: s.Log,
		Expired: func(ctx context.Context, removed int) { recordExpired(ctx, s.Store, audit.QuestionsExpired, removed) },
	}); err != nil {
		return fmt.Errorf("facts about answers: %w", err)
	}
	// It reads everything. The API withholds answers from documents that a reader may not open.
	ask, err := s.newAsking(s.Config)
	if err != nil {
		return err
	}
	s.asked.Store(ask)
	cfg := insight.GrouperConfig{
		Gaps: s.DB.Gaps, Answers: s.DB.Insights, Embedder: s.static, Logger: s.Log,
		Revision: func(ctx context.Context) (int64, error) {
			revision, err := s.DB.Corpus.Revision(ctx)
			return revision.Number, err //nolint:wrapcheck // the store names the operation
		},
		Ask: func(ctx context.Context, question string) (payload.RAGMessage, error) {
			answer, err := s.asked.Load().Run(ctx, rag.Request{Question: question})
			return agent.AnswerMessage(answer), err //nolint:wrapcheck // the answering names the step
		},
	}
	switch { // the encoders group better, and the multilingual one in all languages
	case s.others != nil:
		cfg.Embedder = s.others
	case s.english != nil:
		cfg.Embedder = s.english
	}
	if s.grouper, err = insight.NewGrouper(cfg); err != nil {
		return fmt.Errorf("gaps: %w", err)
	}
	s.quality, err = quality.New(quality.Config{
		Store: s.DB.Kept, Leases: s.DB.Jobs, Answerer: present{s}, Logger: s.Log,
		Rank: func(answer rag.Answer, file, quote string) int {
			return eval.RankOf(answer, eval.Evidence{File: file, Quote: quote})
		},
	})
	if err != nil {
		return fmt.Errorf("kept questions: %w", err)
	}
	s.today = newToday(s.Store, func() []today.ModelState { return s.now().failing() },
		func() digest.Plan { return digestPlan(s.now().store.Config) })
	s.digests, err = newDigest(s, s.today)
	return err
}

// newToday returns the list of things to do. failing describes the present chat models, and plan the
// weekly digest.
func newToday(s *Store, failing func() []today.ModelState, plan func() digest.Plan) *today.List {
	return today.New(today.Config{
		Gaps: s.DB.Gaps, Approved: s.DB.Approved,
		Collections: func(ctx context.Context) (out []today.Collection, err error) {
			all, err := s.DB.Library.Collections(ctx)
			for _, c := range all {
				out = append(out, today.Collection{Name: c.Name, Failed: c.Failed})
			}
			return out, err //nolint:wrapcheck // the store names the operation
		},
		Sources: func(ctx context.Context) (out []today.Source, err error) {
			all, err := s.DB.Sources.ListSources(ctx)
			for _, r := range all {
				t := today.Source{
					Name: r.Name, Collection: r.Collection, Stopped: r.Stopped(), Paused: r.Paused, Busy: !r.BusyUntil.IsZero(),
					Errors: r.Errors, Next: r.NextAt,
				}
				if r.Last != nil {
					t.Last = r.Last.EndedAt
				}
				out = append(out, t)
			}
			return out, err //nolint:wrapcheck // the store names the operation
		},
		Models: failing, Backup: s.DB.Backups.LastBackup,
		Refused: func(ctx context.Context) (out []today.Refused, err error) {
			sent, err := s.DB.Digests.Digests(ctx)
			for _, d := range digest.Failed(plan(), sent) {
				out = append(out, today.Refused{Recipient: d.Recipient, At: d.At, Problem: d.Problem})
			}
			return out, err //nolint:wrapcheck // the store names the operation
		},
		Disk: func() (free, total uint64, known bool) { return disk.Space(s.Config.Data) },
	})
}

// newAsking returns the answering that asks gaps again.
func (s *Server) newAsking(cfg config.Config) (*pipeline.Pipeline, error) {
	ask, err := pipeline.New(pipeline.Config{
		Retriever: s.Retriever, Static: s.static, Chunks: s.DB.Library, Approved: s.DB.Approved, Documents: s.DB.Library,
		Logger: s.Log, MinEvidence: cfg.MinEvidence, MinShown: cfg.MinShown,
	})
	if err != nil {
		return nil, fmt.Errorf("asking gaps again: %w", err)
	}
	return ask, nil
}

// lacking returns those of some documents that the reader of ctx may not read.
func (s *Server) lacking(ctx context.Context, documents []int64) ([]int64, error) {
	return s.rights.Lacking(ctx, documents, rights.Read) //nolint:wrapcheck // the error is complete
}

// readable returns the collections that the reader of ctx may read; nil means all.
func readable(ctx context.Context, r *rights.Rights) ([]string, error) {
	access, err := r.Access(ctx)
	return access.Readable(nil), err //nolint:wrapcheck // the error is complete
}
