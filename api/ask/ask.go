// Package ask answers questions for the protocols of the HTTP interface. It
// limits the number of concurrent answers. A protocol converts its requests into
// rag.Request, and the parts of the answer into its own frames.
package ask

import (
	"context"
	"errors"
	"iter"

	"docent/agent"
	"docent/api/slots"
	"docent/auth"
	"docent/insight"
	"docent/internal/fault"
	"docent/internal/quota"
	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
)

// RAG answers questions.
type RAG interface {
	// Stream yields an answer piece by piece. An error is yielded once and last.
	Stream(ctx context.Context, req rag.Request) iter.Seq2[rag.Part, error]
	// Run returns the whole answer.
	Run(ctx context.Context, req rag.Request) (rag.Answer, error)
}

// Collections lists the collections and their documents.
type Collections interface {
	corpus.Lister
	// Collections returns all collections with their sizes.
	Collections(ctx context.Context) ([]corpus.CollectionInfo, error)
}

// Recorder learns about answers. Record must not block.
type Recorder interface {
	// Record records an answer for a principal.
	Record(ctx context.Context, channel insight.Channel, principal string, answer payload.RAGMessage)
}

// Service answers questions. It is safe for concurrent use.
type Service struct {
	recorder    Recorder // nil records nothing
	channel     insight.Channel
	rag         RAG
	collections Collections
	slots       *slots.Slots // of running answers
	quotas      *quota.Quotas
}

// NewService returns a Service that makes up to maxAnswers answers at once, and up
// to half of them for one principal. Further questions are refused, and so are
// those over the quota of the client. quotas may be nil.
func NewService(answers RAG, collections Collections, maxAnswers int, quotas *quota.Quotas) *Service {
	full := fault.New(fault.Busy, "answers_full", "docent is answering as many questions as it can; try again in a moment")
	return &Service{rag: answers, collections: collections, slots: slots.New(maxAnswers, full), quotas: quotas}
}

// Over returns the same Service for the questions of a channel. It records their answers, unless
// recorder is nil.
func (s *Service) Over(channel insight.Channel, recorder Recorder) *Service {
	of := *s
	of.channel, of.recorder = channel, recorder
	return &of
}

// record records an answer.
func (s *Service) record(ctx context.Context, answer rag.Answer) {
	if s.recorder != nil {
		p, _ := auth.FromContext(ctx)
		s.recorder.Record(ctx, s.channel, p.ID, agent.AnswerMessage(answer))
	}
}

// Answer returns the whole answer to a question.
func (s *Service) Answer(ctx context.Context, req rag.Request) (rag.Answer, error) {
	done, err := s.start(ctx, req)
	if err != nil {
		return rag.Answer{}, err
	}
	defer done()
	answer, err := s.rag.Run(ctx, req)
	if err == nil {
		s.record(ctx, answer)
	}
	return answer, err //nolint:wrapcheck // the answering names the step
}

// Stream starts an answer and returns its parts. It waits for the first part, so
// that the caller can respond to an early error with an HTTP status. A later
// error is yielded once and last. The caller must range over the parts exactly
// once. Leaving the loop cancels the answer.
func (s *Service) Stream(ctx context.Context, req rag.Request) (iter.Seq2[rag.Part, error], error) {
	done, err := s.start(ctx, req)
	if err != nil {
		return nil, err
	}
	started := false
	defer func() {
		if !started { // also after a panic
			done()
		}
	}()
	next, stop := iter.Pull2(s.rag.Stream(ctx, req))
	part, err, ok := next()
	if err == nil && !ok {
		err = errors.New("ask: the answer has no parts")
	}
	if err != nil {
		stop()
		return nil, err
	}
	started = true
	return func(yield func(rag.Part, error) bool) {
		defer done()
		defer stop()
		for ; ok; part, err, ok = next() {
			if part.Answer != nil && err == nil {
				s.record(ctx, *part.Answer)
			}
			if !yield(part, err) || err != nil {
				return
			}
		}
	}, nil
}

// start checks a question and takes a slot; done gives it back.
func (s *Service) start(ctx context.Context, req rag.Request) (done func(), err error) {
	if err := s.CheckCollections(ctx, req.Collections); err != nil {
		return nil, err
	}
	return s.Slot(ctx, 1)
}

// Slot takes the slot of an answer for other work; done gives it back. It counts
// questions for the quota of the client. Sessions count messages themselves.
func (s *Service) Slot(ctx context.Context, questions int64) (done func(), err error) {
	if done, err = s.slots.Take(ctx, 0); err != nil {
		return nil, err
	}
	if questions == 0 {
		return done, nil
	}
	if err := s.quotas.Take(ctx, quota.Questions, questions); err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// CheckCollections refuses names of unknown collections.
func (s *Service) CheckCollections(ctx context.Context, names []string) error {
	return corpus.CheckCollections(ctx, s.collections, names)
}

// Within returns the ids of some documents and of those of a place; see corpus.Within.
func (s *Service) Within(ctx context.Context, documents []int64, place corpus.Place, collections []string) ([]int64, error) {
	return corpus.Within(ctx, s.collections, documents, place, collections)
}
