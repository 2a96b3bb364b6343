package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/VictoriaMetrics/metrics"

	"docent/embed"
	"docent/internal/fault"
	"docent/internal/meter"
	"docent/llm"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/table"
)

// maxAnswerBytes limits the text of a model. Longer text is cut off.
const maxAnswerBytes = 256 << 10

// The default thresholds of the evidence for quoted answers, measured in docs/explanation/evaluation.md. They suit all
// embedders, because the evidence does not depend on the embedder.
const (
	// DefaultMinEvidence is the evidence from which an answer is rag.Answered.
	DefaultMinEvidence = .4
	// DefaultMinShown is the evidence from which an answer is rag.Unsure. Below it, the answer is rag.NotFound.
	DefaultMinShown = .003
)

// Searcher finds passages. *retrieve.Retriever implements it.
type Searcher interface {
	// Retrieve finds the passages for a query, best first.
	Retrieve(ctx context.Context, query retrieve.Query) (retrieve.Retrieval, error)
}

// Comparer compares sentences.
type Comparer interface {
	// Compare returns the similarity of the question and each text, from -1 to 1.
	// languages are those of the documents of the texts. It returns nil without a
	// model for these languages.
	Compare(ctx context.Context, question string, languages, texts []string) ([]float64, error)
}

// Shelf lists the searchable collections. corpus.Library implements it.
type Shelf interface {
	// Collections lists the collections by name.
	Collections(ctx context.Context) ([]corpus.CollectionInfo, error)
}

// Config describes a Pipeline.
type Config struct {
	// Retriever finds passages. Required.
	Retriever Searcher
	// Static compares sentences. It is independent of the configured embedder.
	// Required.
	Static *embed.Static
	// Comparer helps to choose the quoted sentences. Default: nil, only Static
	// compares them.
	Comparer Comparer
	// Entailment decides the support marks of written answers, and whether answers are
	// rag.Unsure. Default: nil, the words decide.
	Entailment rag.Entailment
	// Shelf lets answers of "I don't know" name the searched collections. Default:
	// nil, these answers name no collections.
	Shelf Shelf
	// Chunks reads the whole tables of documents, so that answers without a model can compute. It may apply the rights of the
	// reader. Default: nil, tables are only quoted.
	Chunks table.Chunks
	// Approved finds approved answers. Default: nil, there are none.
	Approved Approved
	// Documents reads the passages below approved answers. Default: nil, answers have none.
	Documents Documents
	// Models are the chat models by name. Requests and answers use these names.
	// Default: none, answers are quotes.
	Models map[string]llm.Model
	// DefaultModel answers requests that name no model. Default: Extractive.
	DefaultModel string
	// Rewriter rewrites questions for searches if a request has a model. Default: nil, the
	// model of the request.
	Rewriter llm.Model
	// Prompts is the version of the prompts for models. Default: DefaultPrompts.
	Prompts string
	// QuotesOnFailure answers with quotes if a model fails before its first word, and says
	// so. Default: false, the failure is an error.
	QuotesOnFailure bool
	// ShowThinking passes on the reasoning of models before their answers. Default: false,
	// nobody sees it.
	ShowThinking bool
	// SecondQuery says how a model helps if the first results are weak. Default:
	// SecondQueryOff.
	SecondQuery SecondQuery
	// K is the number of passages for requests without K. Default: retrieve.AnswerK.
	K int
	// MinEvidence is the evidence from which an answer without a model is rag.Answered. Default: 0, which means
	// DefaultMinEvidence. With a negative value, a Pipeline always answers.
	MinEvidence float64
	// MinShown is the evidence from which an answer without a model is rag.Unsure, and below which it is
	// rag.NotFound. Default: 0, which means DefaultMinShown, or MinEvidence if that is lower.
	MinShown float64
	// IngestHint says how to add documents. Answers show it if there are no
	// documents. Default: DefaultIngestHint.
	IngestHint string
	// Answered is called with each whole answer before the caller receives it. Default:
	// nil.
	Answered func(ctx context.Context, answer rag.Answer)
	// Wishes returns the wishes of the user in the context. A failure is logged, and the answer has no wishes. Default: nil,
	// there are none.
	Wishes func(ctx context.Context) (rag.Wishes, error)
	// Now returns the present time, for questions such as "this year". Default: time.Now.
	Now func() time.Time
	// Logger receives failures from which RAG recovered. Default: nil, which
	// discards them.
	Logger *slog.Logger
	// Metrics receives the time from the passages to the answer, as a stage of
	// docent_rag_seconds. Default: nil, a set of its own.
	Metrics *metrics.Set
}

// Pipeline answers questions from passages. It is safe for concurrent use.
type Pipeline struct {
	cfg Config
	// files are searched before cfg.Retriever. They may be nil.
	files Searcher
	// tables and fileTables read the tables of documents, and of files. They may be nil.
	tables, fileTables *table.Reader
	// names are the known model names, sorted, including Extractive.
	names []string
	// fits remembers which requests were too long for the models.
	fits *fits
	// took measures the time from the passages to the answer.
	took *meter.Seconds
}

// New makes a Pipeline.
func New(cfg Config) (*Pipeline, error) {
	if cfg.Retriever == nil {
		return nil, errors.New("pipeline: Config.Retriever is required")
	}
	if cfg.Static == nil {
		return nil, errors.New("pipeline: Config.Static is required")
	}
	if cfg.DefaultModel == "" {
		cfg.DefaultModel = rag.Extractive
	}
	cfg.SecondQuery = cmp.Or(cfg.SecondQuery, SecondQueryOff)
	if err := cfg.SecondQuery.validate(); err != nil {
		return nil, err
	}
	cfg.Prompts = cmp.Or(cfg.Prompts, DefaultPrompts)
	if promptVersions[cfg.Prompts] == nil {
		return nil, fault.New(fault.Invalid, "config_prompts_unknown", "there is no version %q of the prompts; there are: %s", cfg.Prompts,
			strings.Join(slices.Sorted(maps.Keys(promptVersions)), ", "))
	}
	if cfg.K == 0 {
		cfg.K = retrieve.AnswerK
	}
	if cfg.K < 1 || cfg.K > retrieve.MaxK {
		return nil, fmt.Errorf("pipeline: Config.K is %d, want 1 to %d", cfg.K, retrieve.MaxK)
	}
	if cfg.IngestHint == "" {
		cfg.IngestHint = rag.DefaultIngestHint
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Metrics == nil {
		cfg.Metrics = metrics.NewSet()
	}
	r := &Pipeline{
		cfg: cfg, names: []string{rag.Extractive}, fits: &fits{}, took: meter.New(cfg.Metrics, "docent_rag_seconds", `stage="answer"`),
	}
	if cfg.Chunks != nil {
		r.tables = table.NewReader(cfg.Chunks)
	}
	for name, model := range cfg.Models {
		if name == "" || name == rag.Extractive || model == nil {
			return nil, fmt.Errorf("pipeline: Config.Models has a model named %q that is nil or may not be called so", name)
		}
		r.names = append(r.names, name)
	}
	slices.Sort(r.names)
	if _, err := r.model(cfg.DefaultModel); err != nil {
		return nil, fmt.Errorf("pipeline: Config.DefaultModel: %w", err)
	}
	return r, nil
}

// Models returns the names that a Request may use, sorted.
func (r *Pipeline) Models() []string { return slices.Clone(r.names) }

// DefaultModel returns the model name of requests that name none.
func (r *Pipeline) DefaultModel() string { return r.cfg.DefaultModel }

// Wishes returns the wishes of the user in the context.
func (r *Pipeline) Wishes(ctx context.Context) rag.Wishes {
	if r.cfg.Wishes == nil {
		return rag.Wishes{}
	}
	w, err := r.cfg.Wishes(ctx)
	if err != nil {
		r.cfg.Logger.WarnContext(ctx, "cannot read the wishes of the user; answering without them", "error", err)
	}
	return w
}

// With returns a Pipeline that also answers with other models. Models does not list
// them.
func (r *Pipeline) With(models map[string]llm.Model) *Pipeline {
	if len(models) == 0 {
		return r
	}
	out := *r
	out.cfg.Models = maps.Clone(models)
	maps.Copy(out.cfg.Models, r.cfg.Models)
	return &out
}

// Over returns a Pipeline that searches only with the given Searcher. Its answers
// name no collections, and Config.Answered does not get them. If the Searcher implements table.Chunks, it reads tables.
func (r *Pipeline) Over(searcher Searcher) *Pipeline {
	out := *r
	out.cfg.Retriever, out.cfg.Shelf, out.cfg.Answered, out.cfg.Approved = searcher, nil, nil, nil
	out.tables = tablesOf(searcher)
	return &out
}

// tablesOf returns a reader of tables if a Searcher can read chunks.
func tablesOf(searcher Searcher) *table.Reader {
	if chunks, ok := searcher.(table.Chunks); ok {
		return table.NewReader(chunks)
	}
	return nil
}

// model returns the named model, or nil for Extractive.
func (r *Pipeline) model(name string) (llm.Model, error) {
	if name == rag.Extractive {
		return nil, nil //nolint:nilnil // no model is what Extractive means
	}
	m, ok := r.cfg.Models[name]
	if !ok {
		return nil, fault.Wrap(fault.Invalid, rag.ErrUnknownModel, "model_unknown", "there is no model %q; there are: %s",
			name, strings.Join(r.names, ", "))
	}
	return m, nil
}

// Run answers a request. Its reader sees no part of the answer before the end, so quotes can
// also replace an answer that a model broke off.
func (r *Pipeline) Run(ctx context.Context, req rag.Request) (rag.Answer, error) {
	for part, err := range r.stream(ctx, req, true) {
		if err != nil {
			return rag.Answer{}, err
		}
		if part.Answer != nil {
			return *part.Answer, nil
		}
	}
	return rag.Answer{}, errors.New("pipeline: the stream ended without an answer")
}

// Stream answers a request piece by piece. It yields phases and deltas, and the
// answer last. An error comes once and last; the caller must then discard the
// deltas. Leaving the loop early cancels the model call and waits for it.
func (r *Pipeline) Stream(ctx context.Context, req rag.Request) iter.Seq2[rag.Part, error] {
	return r.stream(ctx, req, false)
}

// stream is Stream. whole says that the reader sees only the answer.
func (r *Pipeline) stream(ctx context.Context, req rag.Request, whole bool) iter.Seq2[rag.Part, error] {
	return func(yield func(rag.Part, error) bool) {
		a, err := r.begin(req)
		if err != nil {
			yield(rag.Part{}, err)
			return
		}
		a.whole, a.wishes = whole || req.WholeOnly, r.Wishes(ctx)
		if !yield(rag.Part{Phase: rag.Searching}, nil) {
			return
		}
		start := time.Now()
		if err := a.search(ctx); err != nil {
			yield(rag.Part{}, err)
			return
		}
		if err := answerApproved(ctx, a); err != nil {
			yield(rag.Part{}, err)
			return
		}
		writes := a.writes()
		answering := rag.Part{Phase: rag.Answering}
		if writes {
			answering.Begun = a.begun
		}
		if !yield(answering, nil) {
			return
		}
		a.out.Timings.Search = time.Since(start)
		start = time.Now()
		defer func() { r.took.Observe(time.Since(start)) }()
		if writes {
			ok, err := a.write(ctx, yield)
			if err != nil && quotesInstead(ctx, a, err) {
				if req.WholeOnly && !yield(rag.Part{Restart: true}, nil) {
					return
				}
				writes, err = false, a.search(ctx) // without a model
			}
			if err != nil {
				yield(rag.Part{}, err)
				return
			}
			if !ok {
				return
			}
			if writes {
				addFallback(a, true)
			}
		}
		if !writes {
			a.withoutModel(ctx)
			addFallback(a, false)
			if !yield(rag.Part{Delta: a.out.Text}, nil) {
				return
			}
		}
		a.out.Timings.Answer = time.Since(start)
		if r.cfg.Answered != nil {
			r.cfg.Answered(ctx, a.out)
		}
		yield(rag.Part{Answer: &a.out}, nil)
	}
}

// begin checks a request and applies the defaults.
func (r *Pipeline) begin(req rag.Request) (*answering, error) {
	req.Question = strings.TrimSpace(strings.ToValidUTF8(req.Question, "\uFFFD"))
	if req.K == 0 {
		req.K = r.cfg.K
	}
	if req.Model == "" {
		req.Model = r.cfg.DefaultModel
	}
	switch {
	case req.Question == "":
		return nil, fault.New(fault.Invalid, "question_empty", "the question is empty")
	case len(req.Question) > rag.MaxQuestionBytes:
		return nil, fault.New(fault.Invalid,
			"question_too_long", "the question has %d bytes; at most %d are allowed", len(req.Question), rag.MaxQuestionBytes)
	case len(req.Prompt)+len(req.Context) > rag.MaxPromptBytes:
		return nil, fault.New(fault.Invalid, "prompt_too_long",
			"the prompt has %d bytes; at most %d are allowed", len(req.Prompt)+len(req.Context), rag.MaxPromptBytes)
	case !utf8.ValidString(req.Prompt) || !utf8.ValidString(req.Context):
		return nil, fault.New(fault.Invalid, "prompt_not_utf8", "the prompt is not UTF-8")
	case req.K < 1 || req.K > retrieve.MaxK:
		return nil, fault.New(fault.Invalid, "k_out_of_range", "k is %d; it must be between 1 and %d", req.K, retrieve.MaxK)
	case req.History < 0 || req.History > rag.MaxHistory:
		return nil, fault.New(fault.Invalid, "history_out_of_range", "history is %d; it must be between 0 and %d", req.History, rag.MaxHistory)
	}
	model, err := r.model(req.Model)
	if err != nil {
		return nil, err
	}
	req.Turns = req.Turns[max(0, len(req.Turns)-req.History):]
	return &answering{
		pipeline: r, req: req, question: req.Question, model: model, thresholds: r.thresholds(req),
		out: rag.Answer{Model: req.Model, Question: req.Question},
	}, nil
}

// Thresholds are the values of the evidence that separate the outcomes of an answer without a model.
type Thresholds struct {
	// Answered is the evidence from which an answer is rag.Answered.
	Answered float64
	// Shown is the evidence from which an answer is rag.Unsure. It is at most Answered.
	Shown float64
}

// Outcome returns the outcome of an answer with quotes.
func (t Thresholds) Outcome(evidence float64) rag.Outcome {
	switch {
	case evidence >= t.Answered:
		return rag.Answered
	case evidence >= t.Shown:
		return rag.Unsure
	}
	return rag.NotFound
}

// Thresholds returns the thresholds of requests without MinEvidence.
func (r *Pipeline) Thresholds() Thresholds { return r.thresholds(rag.Request{}) }

func (r *Pipeline) thresholds(req rag.Request) Thresholds {
	if req.MinEvidence != nil { // its author wants an answer or none
		return Thresholds{*req.MinEvidence, *req.MinEvidence}
	}
	answered := cmp.Or(r.cfg.MinEvidence, DefaultMinEvidence)
	return Thresholds{answered, min(cmp.Or(r.cfg.MinShown, DefaultMinShown), answered)}
}
