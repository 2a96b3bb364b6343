// Package enrich lets a chat model write searchable text about stored passages: a
// sentence of context, and questions that the passage answers. Retrieval searches
// these texts beside the passages and never quotes them.
package enrich

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed" // for the prompt
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"docent/ingest/intake"
	"docent/llm"
	"docent/rag/corpus"
	"docent/rag/text"
)

const (
	// DefaultParallel is the number of calls at a time.
	DefaultParallel = 4
	// maxTokens limits the length of an answer.
	maxTokens = 400
	// maxPassage bounds the bytes of a passage in a prompt.
	maxPassage = 8 << 10
	// maxLine bounds a line in bytes. Longer lines are dropped.
	maxLine = 400
	// minQuestions is the number of questions that an answer must have.
	minQuestions = 2
	// maxQuestions is the number of questions that are kept of an answer.
	maxQuestions = 5
	// checkBytes is the length of text after which docent checks again whether the
	// model has written enough or repeats itself.
	checkBytes = 256
	// batch is the number of passages that are read and stored in one step.
	batch = 64
	// maxFailures is the number of failed calls in a row that ends a run.
	maxFailures = 5
	// maxUnusable is the number of unusable answers in a row that ends a run. It is
	// higher than maxFailures: a model of which half of the answers are usable almost
	// never reaches it.
	maxUnusable = 20
	// bytesPerToken and answerTokens are typical numbers for estimates.
	bytesPerToken = 4
	answerTokens  = 120
)

// promptFile asks for the text of one passage. Its hash is part of each key, so a
// changed prompt writes all texts again.
//
//go:embed prompts/passage.tmpl
var promptFile string

var prompt = template.Must(template.New("passage").Parse(promptFile))

// Store keeps passages and enrichments. It is safe for concurrent use.
type Store interface {
	// Enrichable returns up to limit chunks with the key of their enrichment. The
	// chunks are ordered by id and come after the given id.
	Enrichable(ctx context.Context, after int64, limit int) ([]intake.Enrichable, error)
	// Enrichments returns the stored texts for keys. Unknown keys are omitted.
	Enrichments(ctx context.Context, keys []string) (map[string]string, error)
	// PutEnrichments stores texts for chunks, empty ones too, and gives their documents a new
	// revision. It keeps the text of a known key. It ignores deleted chunks, except
	// that it keeps their texts for later.
	PutEnrichments(ctx context.Context, all []intake.Enrichment) error
	// PruneEnrichments deletes the texts that belong to no chunk.
	PruneEnrichments(ctx context.Context) error
}

// Config describes an Enricher.
type Config struct {
	// Store has the passages. Required.
	Store Store
	// Model writes the texts. Required.
	Model llm.Model
	// Parallel is the number of calls at a time. Default: DefaultParallel.
	Parallel int
}

// Enricher writes the missing enrichments. It is safe for concurrent use.
type Enricher struct {
	cfg  Config
	seed string // hashed into each key
}

// New makes an Enricher.
func New(cfg Config) (*Enricher, error) {
	if cfg.Store == nil || cfg.Model == nil {
		return nil, errors.New("enrich: Config.Store and Config.Model are required")
	}
	if cfg.Parallel < 0 {
		return nil, fmt.Errorf("enrich: Config.Parallel is %d, want 0 or more", cfg.Parallel)
	}
	if cfg.Parallel == 0 {
		cfg.Parallel = DefaultParallel
	}
	version := sha256.Sum256([]byte(promptFile))
	return &Enricher{cfg, hex.EncodeToString(version[:]) + "\x00" + cfg.Model.Name() + "\x00"}, nil
}

// key identifies the prompt, the model, and the content of a passage.
func (e *Enricher) key(p corpus.Passage) string {
	sum := sha256.Sum256([]byte(e.seed + corpus.IndexText(p.Document.Title, p.Chunk)))
	return hex.EncodeToString(sum[:])
}

// Estimate is the work of a run.
type Estimate struct {
	// Passages is the number of all passages.
	Passages int
	// Calls is the number of calls of the model.
	Calls int
	// PromptTokens and AnswerTokens are rough numbers of tokens that the model
	// reads and writes.
	PromptTokens, AnswerTokens int
}

// Estimate counts the calls that Run would make now.
func (e *Enricher) Estimate(ctx context.Context) (Estimate, error) {
	var out Estimate
	counted := map[string]bool{}
	err := e.pages(ctx, func(page []intake.Enrichable) error {
		out.Passages += len(page)
		missing, _, err := e.missing(ctx, page)
		if err != nil {
			return err
		}
		for _, m := range missing {
			if key := m[0].Key; !counted[key] {
				counted[key] = true
				out.Calls++
				out.PromptTokens += (len(promptFile) + min(len(m[0].passage.Text), maxPassage)) / bytesPerToken
				out.AnswerTokens += answerTokens
			}
		}
		return nil
	})
	return out, err
}

// pages calls f with all passages in pages.
func (e *Enricher) pages(ctx context.Context, f func([]intake.Enrichable) error) error {
	for after := int64(0); ; {
		page, err := e.cfg.Store.Enrichable(ctx, after, batch)
		if err != nil {
			return fmt.Errorf("list passages: %w", err)
		}
		if len(page) == 0 {
			return nil
		}
		if err := f(page); err != nil {
			return err
		}
		after = page[len(page)-1].ID
	}
}

// task is a passage that lacks its enrichment.
type task struct {
	intake.Enrichment
	passage corpus.Passage
}

// missing returns the passages of a page without a stored text, grouped by key.
// cached are the passages whose text is stored for another chunk.
func (e *Enricher) missing(ctx context.Context, page []intake.Enrichable) (missing [][]task, cached []intake.Enrichment, err error) {
	place := map[string]int{}
	var keys []string
	for _, p := range page {
		key := e.key(p.Passage)
		if p.Key == key || strings.TrimSpace(p.Text) == "" {
			continue
		}
		at, ok := place[key]
		if !ok {
			at = len(missing)
			place[key], missing, keys = at, append(missing, nil), append(keys, key)
		}
		missing[at] = append(missing[at], task{intake.Enrichment{ChunkID: p.ID, Key: key}, p.Passage})
	}
	if len(keys) == 0 {
		return nil, nil, nil
	}
	known, err := e.cfg.Store.Enrichments(ctx, keys)
	if err != nil {
		return nil, nil, fmt.Errorf("read stored texts: %w", err)
	}
	var left [][]task
	for _, group := range missing {
		stored, ok := known[group[0].Key]
		if !ok {
			left = append(left, group)
			continue
		}
		for _, t := range group {
			t.Text = stored
			cached = append(cached, t.Enrichment)
		}
	}
	return left, cached, nil
}

// Report is the result of a run.
type Report struct {
	// Written is the number of texts that the model wrote.
	Written int
	// Reused is the number of passages whose text was stored before.
	Reused int
	// Failed is the number of passages whose call failed. The next run tries them
	// again.
	Failed int
	// Unusable is the number of passages for which the model wrote no usable text.
	// The next run does not ask about them again.
	Unusable int
	// Err is the last failure of a call, or nil.
	Err error
}

// Run writes the missing texts. It stores them in batches, so an interrupted run
// continues with the next one. After each batch of calls it calls progress, if set,
// with the report so far. It ends with an error after several failed calls
// or unusable answers in a row. Run stores an empty text for an unusable answer, except
// for those that end the run: the cause may be the setup of the model.
func (e *Enricher) Run(ctx context.Context, progress func(soFar Report)) (Report, error) {
	r := run{Enricher: e}
	err := e.pages(ctx, func(page []intake.Enrichable) error {
		calls, err := r.page(ctx, page)
		if err == nil && progress != nil && calls > 0 {
			progress(r.Report)
		}
		return cmp.Or(err, r.ended(ctx))
	})
	if err != nil {
		return r.Report, fmt.Errorf("enrich: %w", err)
	}
	if err := e.put(ctx, r.unusable); err != nil {
		return r.Report, fmt.Errorf("enrich: %w", err)
	}
	if err := e.cfg.Store.PruneEnrichments(ctx); err != nil {
		return r.Report, fmt.Errorf("enrich: %w", err)
	}
	return r.Report, nil
}

// put stores texts, also if ctx has ended.
func (e *Enricher) put(ctx context.Context, all []intake.Enrichment) error {
	if len(all) == 0 {
		return nil
	}
	return e.cfg.Store.PutEnrichments(context.WithoutCancel(ctx), all)
}

// write lets the model write the text of a passage.
func (e *Enricher) write(ctx context.Context, p corpus.Passage) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	var b strings.Builder
	err := prompt.Execute(&b, struct{ Source, Text string }{
		text.Attribute(corpus.HeadingLine(p.Document.Title, p.Headings)), text.Enclosed(text.Cut(p.Text, maxPassage)),
	})
	if err != nil {
		return "", fmt.Errorf("prompt: %w", err)
	}
	var written strings.Builder
	checked, whole := 0, false // checked is the length at the last check for the end
	messages := []llm.Message{llm.Text(llm.User, strings.TrimSpace(b.String()))}
	for delta, err := range e.cfg.Model.Chat(ctx, llm.Request{Messages: messages, MaxTokens: maxTokens}) {
		if err != nil {
			return "", err
		}
		whole = delta.Answer != nil && delta.Answer.StopReason != "length"
		if delta.Restart {
			written.Reset()
			checked = 0
		}
		if written.WriteString(delta.Text); written.Len()-checked < checkBytes {
			continue
		}
		checked = written.Len()
		if _, questions := parse(written.String(), p); len(questions) >= maxQuestions || text.LoopLength(written.String()) > 0 {
			break
		}
	}
	answer := written.String()
	if !whole { // leave out the line that was cut off
		answer = answer[:strings.LastIndexByte(answer, '\n')+1]
	}
	return usable(parse(answer, p))
}
