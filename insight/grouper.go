package insight

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"docent/payload"
)

// Similarities from which questions and gaps belong together. eval/sets/gaps/README.md says how they
// were measured.
const (
	joinFrom  = .55
	mergeFrom = .60
)

// Embedder computes the vectors of questions.
type Embedder interface {
	// Name identifies the model.
	Name() string
	// EmbedQuery returns the vector of a question.
	EmbedQuery(ctx context.Context, text string) ([]float32, error)
}

// GrouperConfig configures a Grouper.
type GrouperConfig struct {
	// Gaps keeps the gaps, and Answers the questions. Required.
	Gaps    Gaps
	Answers Store
	// Embedder computes the vectors of questions. Required.
	Embedder Embedder
	// Revision returns the revision of the documents. Required.
	Revision func(ctx context.Context) (int64, error)
	// Ask answers a question from all documents, without a chat model. Required.
	Ask func(ctx context.Context, question string) (payload.RAGMessage, error)
	// Now returns the time. Default: time.Now.
	Now func() time.Time
	// Logger receives failures. Default: none.
	Logger *slog.Logger
}

// Grouper groups questions without an answer into gaps. When documents change, it asks the gaps
// again. Several processes may have one: a lease selects one of them. Its methods must not run
// concurrently.
type Grouper struct {
	cfg   GrouperConfig
	owner string
	seen  int64 // the revision at the last step
}

// NewGrouper returns a Grouper.
func NewGrouper(cfg GrouperConfig) (*Grouper, error) {
	if cfg.Gaps == nil || cfg.Answers == nil || cfg.Embedder == nil || cfg.Revision == nil || cfg.Ask == nil {
		return nil, errors.New("insight: a field of GrouperConfig is missing")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Grouper{cfg: cfg, owner: uuid.NewString()}, nil
}

// Run groups until ctx ends. It logs failures and tries again.
func (g *Grouper) Run(ctx context.Context) error {
	return repeat(ctx, g.cfg.Logger, "group questions without an answer", g.Step)
}

// Step groups the next questions. If there are none, and the documents are the same as at the last
// step, it asks one gap again. It returns whether there may be more.
func (g *Grouper) Step(ctx context.Context) (more bool, err error) {
	questions, err := g.cfg.Gaps.Ungrouped(ctx, GroupBatch)
	if err != nil {
		return false, fmt.Errorf("questions without a gap: %w", err)
	}
	if len(questions) > 0 {
		if mine, err := g.lease(ctx); err != nil || !mine {
			return false, err
		}
		return len(questions) == GroupBatch, g.group(ctx, questions)
	}
	revision, err := g.cfg.Revision(ctx)
	if err != nil {
		return false, fmt.Errorf("revision of the documents: %w", err)
	}
	if revision != g.seen {
		g.seen = revision // more changes may follow
		return false, nil
	}
	gap, stale, err := g.cfg.Gaps.StaleGap(ctx, revision)
	if err != nil || !stale {
		return false, err //nolint:wrapcheck // the store names the operation
	}
	if mine, err := g.lease(ctx); err != nil || !mine {
		return false, err
	}
	return true, g.askAgain(ctx, gap, revision)
}

func (g *Grouper) lease(ctx context.Context) (bool, error) {
	mine, err := g.cfg.Gaps.LeaseGaps(ctx, g.owner, g.cfg.Now().Add(leaseFor))
	if err != nil {
		return false, fmt.Errorf("lease of gaps: %w", err)
	}
	return mine, nil
}

// group puts questions into their nearest gaps, or into new ones.
func (g *Grouper) group(ctx context.Context, questions []Ungrouped) error {
	gaps, err := g.cfg.Gaps.Clusters(ctx, g.cfg.Embedder.Name())
	if err != nil {
		return fmt.Errorf("vectors of gaps: %w", err)
	}
	set := newGroups(gaps, g.cfg.Embedder.Name())
	var out []Grouped
	for _, q := range questions {
		v, err := g.cfg.Embedder.EmbedQuery(ctx, q.Question)
		if err != nil {
			return fmt.Errorf("embed a question: %w", err)
		}
		out = append(out, set.join(q, v))
	}
	if err := g.cfg.Gaps.Group(ctx, out); err != nil {
		return fmt.Errorf("group questions: %w", err)
	}
	return nil
}

// askAgain asks a gap again, and proposes that it is solved if the documents answer it now.
func (g *Grouper) askAgain(ctx context.Context, gap Gap, revision int64) error {
	change := GapChange{Asked: &revision}
	old, err := g.cfg.Answers.Answer(ctx, gap.Typical)
	if err != nil {
		return fmt.Errorf("ask gap %d again: %w", gap.ID, err)
	}
	m, err := g.cfg.Ask(ctx, gap.Wording)
	if err != nil {
		return fmt.Errorf("ask gap %d again: %w", gap.ID, err)
	}
	state := GapOpen
	if solves(old, m) {
		content, err := payload.Marshal(m)
		if err != nil {
			return fmt.Errorf("the new answer of gap %d: %w", gap.ID, err)
		}
		text := string(content)
		state, change.Proposal = GapProposed, &text
	}
	if state != gap.State {
		change.State = &state
	}
	if err := g.cfg.Gaps.ChangeGap(ctx, gap.ID, change); err != nil {
		return fmt.Errorf("ask gap %d again: %w", gap.ID, err)
	}
	return nil
}
