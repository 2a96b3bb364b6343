// Package insights serves facts about the questions of others to administrators and to managers of
// collections: totals of days, and questions with their answers.
package insights

import (
	"context"
	"net/http"

	"docent/api/route"
	"docent/auth"
	"docent/auth/audit"
	"docent/insight"
	"docent/insight/approve"
	"docent/insight/quality"
	"docent/insight/today"
	"docent/internal/fault"
	"docent/rag/pipeline"
)

// AuditLog keeps records of acts.
type AuditLog interface {
	// AddAnswers stores a record.
	Add(ctx context.Context, record audit.Record) error
}

// Today finds things to do. *today.List implements it.
type Today interface {
	// Things returns things to do, worst first, for people who see some collections, and may read documents in others. nil means all.
	Things(ctx context.Context, collections, readable []string) ([]today.Thing, error)
}

// Config connects the routes with the facts.
type Config struct {
	// Store keeps the facts. Default: nil, there are none.
	Store insight.Store
	// Gaps keeps groups of questions. Required with Store.
	Gaps insight.Gaps
	// Approved keeps approved answers. Required with Store.
	Approved insight.Approvals
	// Today finds things to do. Required with Store.
	Today Today
	// Quality keeps and asks questions as tests. Required with Store.
	Quality
	// Documents stores the documents of approved answers. Required with Store.
	Documents Documents
	// Library reads documents with the rights of the reader. Required with Store.
	Library Library
	// Remover removes them. Required with Store.
	Remover Remover
	// Managed returns the collections that the principal manages; nil means all. It fails for people
	// who manage none. Required.
	Managed func(ctx context.Context) ([]string, error)
	// Lacking returns those of some documents that the reader may not read. Default: nil, everybody may
	// read everything.
	Lacking func(ctx context.Context, documents []int64) ([]int64, error)
	// Readable returns the collections that the reader may read; nil means all. Default: nil, everybody may read everything.
	Readable func(ctx context.Context) ([]string, error)
	// Names shows who asked. Default: false.
	Names bool
	// Audit records readings. Required.
	Audit AuditLog
}

// Quality keeps and asks questions as tests.
type Quality struct {
	// Kept keeps the questions, and Runner asks them. Required.
	Kept   quality.Store
	Runner Runner
	// Thresholds returns the present thresholds of the evidence. Required.
	Thresholds func() pipeline.Thresholds
}

// server handles the routes.
type server struct {
	Config

	writer *approve.Writer // nil without facts
}

// errOff is the error without facts.
var errOff = fault.New(fault.NotFound, "insights_off", "this server keeps no facts about questions")

// AddRoutes adds the routes.
func AddRoutes(r *route.Router, cfg Config) {
	s := server{Config: cfg}
	if cfg.Approved != nil {
		s.writer = approve.New(approve.Config{Answers: cfg.Approved, Store: s.storeAnswer, Read: cfg.Library.Document})
	}
	s.addToday(r)
	s.addDays(r)
	s.addQuestions(r)
	s.addGaps(r)
	s.addAnswers(r)
	s.addQuality(r)
}

// tags group the routes in the description.
var tags = []string{"insight"}

// missing are the statuses of routes for one object.
var missing = []int{http.StatusNotFound}

// scope returns the collections that the principal may see, limited to one of them unless it is "".
// nil means all.
func (s server) scope(ctx context.Context, collection string) ([]string, error) {
	managed, err := s.Managed(ctx)
	switch {
	case err != nil:
		return nil, err
	case s.Store == nil:
		return nil, errOff
	case collection == "":
		return managed, nil
	case managed == nil:
		return []string{collection}, nil
	}
	for _, name := range managed {
		if name == collection {
			return []string{name}, nil
		}
	}
	return []string{}, nil
}

// record records a reading.
func (s server) record(ctx context.Context, action audit.Action, object string) error {
	p, _ := auth.FromContext(ctx)
	return s.Audit.Add(ctx, audit.Record{Actor: p.ID, Address: auth.RemoteOf(ctx), Action: action, Object: object})
}
