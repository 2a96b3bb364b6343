package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"docent/embed"
	"docent/rag/corpus"
)

// Enrichments reads the searchable texts that a chat model wrote about chunks.
type Enrichments interface {
	// Enriched returns up to limit enrichments of documents that changed after
	// revision since. They are ordered by chunk and come after the given chunk id.
	Enriched(ctx context.Context, since, after int64, limit int) ([]corpus.Enrichment, error)
}

// Enriched configures the search in enrichments. Without Source, there is none.
// The indexes must be empty; the retriever owns them. They hold each line of an
// enrichment, with vectors of Config.Static.
type Enriched struct {
	// Source has the enrichments.
	Source Enrichments
	// Words is the keyword index of the lines.
	Words interface {
		Words
		Mirror
	}
	// Nearest is the vector index of the lines.
	Nearest interface {
		Nearest
		Mirror
	}
}

const (
	// enrichedLines is the maximum number of lines of an enrichment. The id of a
	// line is that of its chunk times enrichedLines, plus the number of the line.
	enrichedLines = 8
	// enrichedPage is the number of enrichments that are read at a time.
	enrichedPage = 512
)

// enriched searches enrichments. The retriever updates it while it holds
// Retriever.updating.
type enriched struct {
	Enriched
	static *embed.Static
	// revision is the revision of the corpus up to which enrichments are indexed.
	revision int64
	// chunks are the chunks with lines, by document.
	chunks map[int64]map[int64]bool
	// total counts chunks.
	total atomic.Int64
}

// len counts the lines.
func (x *enriched) len() int {
	if x.Source == nil {
		return 0
	}
	return x.Words.Len()
}

// refresh applies the changes of enrichments up to a revision of the corpus.
func (x *enriched) refresh(ctx context.Context, revision int64) error {
	if x.Source == nil || x.revision == revision {
		return nil
	}
	for after := int64(0); ; {
		page, err := x.Source.Enriched(ctx, x.revision, after, enrichedPage)
		if err != nil {
			return fmt.Errorf("retriever: %w", err)
		}
		if len(page) == 0 {
			break
		}
		if err := x.put(ctx, page); err != nil {
			return fmt.Errorf("retriever: index enrichments: %w", err)
		}
		after = page[len(page)-1].ChunkID
	}
	x.revision = revision
	return nil
}

// put replaces the lines of chunks.
func (x *enriched) put(ctx context.Context, page []corpus.Enrichment) error {
	ids := make([]int64, len(page))
	var entries []Entry
	var lines []string
	for i, e := range page {
		ids[i] = e.ChunkID
		if x.chunks[e.Document.ID] == nil {
			x.chunks[e.Document.ID] = map[int64]bool{}
		}
		delete(x.chunks[e.Document.ID], e.ChunkID)
		n := int64(0)
		for line := range strings.Lines(e.Text) {
			if line = strings.TrimSpace(line); line == "" || n == enrichedLines {
				continue
			}
			lines = append(lines, line)
			entries = append(entries, Entry{
				ID: e.ChunkID*enrichedLines + n, DocumentID: e.Document.ID, Collection: e.Document.Collection,
				Source: e.Document.Source, Ordinal: e.Ordinal, Language: e.Document.Language, Text: line,
			})
			x.chunks[e.Document.ID][e.ChunkID] = true
			n++
		}
	}
	vectors, err := x.static.EmbedDocuments(ctx, lines)
	if err != nil {
		return err
	}
	for i := range entries {
		entries[i].Vector = vectors[i]
	}
	if err := x.delete(ctx, ids); err != nil {
		return err
	}
	if err := x.Words.Put(ctx, entries); err != nil {
		return err
	}
	x.count()
	return x.Nearest.Put(ctx, entries)
}

// count updates total.
func (x *enriched) count() {
	n := 0
	for _, chunks := range x.chunks {
		n += len(chunks)
	}
	x.total.Store(int64(n))
}

// drop removes the lines of changed documents. refresh adds those that the documents
// still have.
func (x *enriched) drop(ctx context.Context, changes []corpus.Change) error {
	var chunks []int64
	for i := range changes {
		chunks = slices.AppendSeq(chunks, maps.Keys(x.chunks[changes[i].Document.ID]))
	}
	if err := x.delete(ctx, chunks); err != nil {
		return fmt.Errorf("retriever: delete enrichments: %w", err)
	}
	for i := range changes {
		delete(x.chunks, changes[i].Document.ID)
	}
	x.count()
	return nil
}

// empty removes all lines.
func (x *enriched) empty(ctx context.Context) error {
	x.revision = 0
	var chunks []int64
	for _, all := range x.chunks {
		chunks = slices.AppendSeq(chunks, maps.Keys(all))
	}
	if err := x.delete(ctx, chunks); err != nil {
		return fmt.Errorf("retriever: delete enrichments: %w", err)
	}
	clear(x.chunks)
	x.count()
	return nil
}

// delete removes the lines of chunks.
func (x *enriched) delete(ctx context.Context, chunks []int64) error {
	if len(chunks) == 0 || x.len() == 0 {
		return nil
	}
	ids := make([]int64, 0, len(chunks)*enrichedLines)
	for _, id := range chunks {
		for n := range int64(enrichedLines) {
			ids = append(ids, id*enrichedLines+n)
		}
	}
	if err := x.Words.Delete(ctx, ids); err != nil {
		return err
	}
	return x.Nearest.Delete(ctx, ids)
}

// hits finds the chunks whose enrichment fits a question, out of a number of chunks.
// The best score is the share of chunks with an enrichment: the best of a few
// enrichments may have nothing to do with the question.
func (x *enriched) hits(ctx context.Context, question string, filter Filter, chunks int) ([]Hit, error) {
	if x.len() == 0 {
		return nil, nil
	}
	vector, err := x.static.EmbedQuery(ctx, question)
	if err != nil {
		return nil, err
	}
	words, err := x.Words.Words(ctx, question, stageOne, filter)
	if err != nil {
		return nil, err
	}
	near, err := x.Nearest.Nearest(ctx, vector, stageOne, filter)
	if err != nil {
		return nil, err
	}
	lines := map[int64]float64{}
	for _, hits := range [][]Hit{words, near} {
		for i, s := range spread(hits) {
			lines[hits[i].ID] += s / 2
		}
	}
	best, highest := map[int64]float64{}, 0.
	for id, s := range lines {
		best[id/enrichedLines] = max(best[id/enrichedLines], s)
		highest = max(highest, s)
	}
	share := min(1, float64(x.total.Load())/float64(max(1, chunks)))
	out := make([]Hit, 0, len(best))
	for id, s := range best {
		out = append(out, Hit{id, s / highest * share})
	}
	slices.SortFunc(out, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return out, nil
}

// join adds the chunks of enrichments or other wordings to the candidates. rows
// are the rows of hits.
func join(candidates []candidate, hits []Hit, rows []*Row) []candidate {
	place := make(map[int64]int, len(candidates))
	for i := range candidates {
		place[candidates[i].ID] = i
	}
	for i, h := range hits {
		if rows[i] == nil {
			continue // its document is being replaced
		}
		at, ok := place[h.ID]
		if !ok {
			at = len(candidates)
			candidates = append(candidates, candidate{Row: rows[i]})
		}
		candidates[at].enriched = max(candidates[at].enriched, h.Score)
		candidates[at].score += h.Score / 2
	}
	return candidates
}
