package wiring

import (
	"context"
	"io"
	"iter"
	"log/slog"
	"time"

	"docent/api/uploads"
	"docent/config"
	"docent/ingest"
	"docent/ingest/extract/pdf"
	"docent/ingest/intake"
	"docent/ingest/worker"
	"docent/internal/quota"
	"docent/llm"
	"docent/rag/corpus"
)

// newQuotas returns the quotas of a server.
func newQuotas(s *Store) *quota.Quotas {
	return quota.New(quota.Config{
		Store: s.DB.Quotas, Principal: limitsOf(s.Config.Quota), Address: limitsOf(s.Config.AddressQuota), Metrics: s.metrics,
	})
}

func limitsOf(q config.Quota) quota.Limits {
	return quota.Limits{
		quota.Questions: int64(q.Questions), quota.Tokens: int64(q.Tokens), quota.Bytes: q.Bytes,
		quota.PageTime: q.PageTime.Milliseconds(), quota.SearchTime: q.SearchTime.Milliseconds(),
	}
}

// metered returns a model that counts its tokens for the client of each call.
func (m *Models) metered(model llm.Model) llm.Model {
	if m.with.tracer != nil {
		model = tracedModel{model}
	}
	if m.with.quotas == nil {
		return model
	}
	return meteredModel{model, m.with.quotas, m.base.Log}
}

// meteredModel counts the tokens of a model.
type meteredModel struct {
	llm.Model

	quotas *quota.Quotas
	log    *slog.Logger
}

// Chat implements llm.Model.
func (m meteredModel) Chat(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if err := m.quotas.Check(ctx, quota.Tokens); err != nil {
			yield(llm.Delta{}, err)
			return
		}
		used := usage{prompt: req}
		defer func() {
			if err := m.quotas.Add(ctx, quota.Tokens, used.tokens()); err != nil {
				m.log.Warn("count tokens", "error", err)
			}
		}()
		for delta, err := range m.Model.Chat(ctx, req) {
			used.add(delta)
			if !yield(delta, err) {
				return
			}
		}
	}
}

// usage counts the tokens of one call.
type usage struct {
	prompt   llm.Request
	streamed int // bytes
	reported *llm.Usage
}

func (u *usage) add(d llm.Delta) {
	u.streamed += len(d.Text) + len(d.Reasoning)
	if d.Answer != nil {
		u.reported = d.Answer.Usage
	}
}

// bytesPerToken estimates the tokens of calls whose server does not report them, or
// that the client has stopped.
const bytesPerToken = 4

// tokens returns the reported or estimated tokens. A call without an answer costs
// nothing.
func (u *usage) tokens() int64 {
	if u.reported != nil {
		return int64(u.reported.Prompt + u.reported.Completion)
	}
	if u.streamed == 0 {
		return 0
	}
	bytes := u.streamed
	for _, m := range u.prompt.Messages {
		bytes += len(m.Text)
	}
	return int64(bytes / bytesPerToken)
}

// countedUploads counts the bytes of uploaded documents, and those of stored ones if an
// archive unpacks to more.
type countedUploads struct {
	quotas   *quota.Quotas
	ingester uploads.Ingester
}

// Read implements uploads.Ingester.
func (u countedUploads) Read(ctx context.Context, collection, source string, r io.Reader) ([]ingest.Result, error) {
	return u.count(ctx, r, func(r io.Reader) ([]ingest.Result, error) { return u.ingester.Read(ctx, collection, source, r) })
}

// Replace implements uploads.Ingester.
func (u countedUploads) Replace(ctx context.Context, d corpus.Document, name string, r io.Reader) ([]ingest.Result, error) {
	// A refused document is no work, and costs nothing.
	if err := ingest.CheckReplace(d, name); err != nil {
		return nil, err
	}
	return u.count(ctx, r, func(r io.Reader) ([]ingest.Result, error) { return u.ingester.Replace(ctx, d, name, r) })
}

// count counts the bytes that read stores.
func (u countedUploads) count(
	ctx context.Context, r io.Reader, read func(io.Reader) ([]ingest.Result, error),
) ([]ingest.Result, error) {
	if err := u.quotas.Check(ctx, quota.Bytes); err != nil {
		return nil, err
	}
	counted := &countedReader{r: r}
	results, err := read(counted)
	stored := int64(0)
	for _, r := range results {
		stored += r.Size
	}
	if failed := u.quotas.Add(ctx, quota.Bytes, max(counted.n, stored)); err == nil {
		err = failed
	}
	return results, err
}

// countedReader counts the bytes that it reads.
type countedReader struct {
	r io.Reader
	n int64
}

// Read implements io.Reader.
func (c *countedReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// drawer counts the time of drawing and reading pages.
type drawer struct {
	*worker.Pool

	quotas *quota.Quotas
}

// ReadPage implements pages.Drawer.
func (d drawer) ReadPage(ctx context.Context, src intake.Source, page int) (*pdf.Page, error) {
	if err := d.quotas.Check(ctx, quota.PageTime); err != nil {
		return nil, err
	}
	began := time.Now()
	read, err := d.Pool.ReadPage(ctx, src, page)
	return read, d.count(ctx, began, err)
}

// DrawPage implements pages.Drawer.
func (d drawer) DrawPage(ctx context.Context, src intake.Source, page, width int) (png []byte, pages int, err error) {
	if err := d.quotas.Check(ctx, quota.PageTime); err != nil {
		return nil, 0, err
	}
	began := time.Now()
	png, pages, err = d.Pool.DrawPage(ctx, src, page, width)
	return png, pages, d.count(ctx, began, err)
}

// count counts the time since the beginning. It returns err, or its own error.
func (d drawer) count(ctx context.Context, began time.Time, err error) error {
	if failed := d.quotas.Add(ctx, quota.PageTime, time.Since(began).Milliseconds()); err == nil {
		err = failed
	}
	return err
}
