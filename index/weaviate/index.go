package weaviate

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"docent/index"
	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

const (
	// spare is added to the number of hits that a search asks for, because equal scores
	// need a second key. Each shard reads so many objects, and this takes most of the
	// time of a search.
	spare = 50
	// overfetch multiplies the number of hits instead if more scores are equal.
	overfetch = 4
	// minFetch is the minimum of that number.
	minFetch = 400
	// maxFetch is Weaviate's limit of it, QUERY_MAXIMUM_RESULTS.
	maxFetch = 10_000
)

// Leases select the process that writes to the index. corpus.Encodings is one.
type Leases interface {
	// LeaseEncoder gives owner the right to a name until the given time; see
	// corpus.Encodings.
	LeaseEncoder(ctx context.Context, name, owner string, now, until time.Time) (ok bool, err error)
}

// Config describes an index.
type Config struct {
	// Nodes are the base URLs of nodes of one cluster. Required.
	Nodes []string
	// Key is the API key. Default: "", none.
	Key string
	// Class is the name of Weaviate's class of passages. It begins with a capital.
	// Another class with the suffix State has the state. Default: a name for each
	// database, so that several can use one cluster.
	Class string
	// Corpus is the indexed corpus. Required.
	Corpus corpus.Corpus
	// Leases select the process that writes. Required.
	Leases Leases
	// Embedder is the name of the model whose vectors are indexed. Required.
	Embedder string
	// Dimensions is the length of its vectors. Required.
	Dimensions int
	// Log receives messages about progress and failures. Default: nil, which discards
	// them.
	Log *slog.Logger
}

// Index is a vector index in Weaviate. It is safe for concurrent use.
type Index struct {
	cfg    Config
	client *client
	owner  string
	// encoder is the suffix of the lease's name; "" for the vectors of passages.
	encoder string
	// zeros stores the chunks with a zero vector, too, so that they are counted. No
	// search finds them.
	zeros    bool
	encoders []*Encoder
	filled   atomic.Bool
}

var _ retrieve.Nearest = (*Index)(nil)

// New checks the configuration. It does not wait for the cluster.
func New(ctx context.Context, cfg Config) (*Index, error) {
	for name, missing := range map[string]bool{
		"Nodes": len(cfg.Nodes) == 0, "Corpus": cfg.Corpus == nil, "Leases": cfg.Leases == nil, "Embedder": cfg.Embedder == "",
		"Dimensions": cfg.Dimensions < 1,
	} {
		if missing {
			return nil, fault.New(fault.Invalid, "config_weaviate_incomplete", "weaviate: Config.%s is missing", name)
		}
	}
	nodes := make([]string, len(cfg.Nodes))
	for i, node := range cfg.Nodes {
		u, err := url.Parse(node)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fault.New(fault.Invalid, "config_weaviate_url",
				"setting weaviate.nodes: %q is not a URL such as http://127.0.0.1:8080", node)
		}
		nodes[i] = strings.TrimSuffix(node, "/")
	}
	if cfg.Class == "" {
		now, err := cfg.Corpus.Revision(ctx)
		if err != nil {
			return nil, fmt.Errorf("weaviate: revision: %w", err)
		}
		cfg.Class = fmt.Sprintf("Docent%x", sha256.Sum256([]byte(now.Database)))[:len("Docent")+16]
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 32
	return &Index{cfg: cfg, client: newClient(nodes, cfg.Key, transport), owner: rand.Text()}, nil
}

// Close closes idle connections.
func (x *Index) Close() { x.client.http.CloseIdleConnections() }

// readyPath is the path that answers if a node is ready.
const readyPath = "/v1/.well-known/ready"

// Ping fails with fault.Unavailable if no node is ready.
func (x *Index) Ping(ctx context.Context) error {
	return x.client.call(ctx, searchTimeout, http.MethodGet, readyPath, nil, nil)
}

// CheckNodes fails if a node is not ready, and names each of them.
func (x *Index) CheckNodes(ctx context.Context) error {
	failures := make([]error, len(x.client.nodes))
	var nodes sync.WaitGroup
	for i, node := range x.client.nodes {
		nodes.Go(func() {
			if err := x.client.try(ctx, searchTimeout, node, http.MethodGet, readyPath, nil, nil); err != nil {
				failures[i] = fmt.Errorf("%s: %w", node, err)
			}
		})
	}
	nodes.Wait()
	return errors.Join(failures...)
}

// found is the response to a search.
type found struct {
	Data struct {
		Get map[string][]candidate
	}
	Errors graphErrors
}

// candidate is a chunk in the response to a search.
type candidate struct {
	Chunk      int64
	Source     string
	Ordinal    int
	Additional struct {
		Distance float64 // minus the dot product
	} `json:"_additional"`
}

// failed makes a search go to another node if Weaviate reports an error in a response
// with status 200. It does so if a shard does not answer.
func (f *found) failed() error { return f.Errors.first() }

// graphErrors are the errors in a response of GraphQL.
type graphErrors []struct{ Message string }

func (e graphErrors) first() error {
	if len(e) == 0 {
		return nil
	}
	return errors.New(short([]byte(e[0].Message)))
}

// Nearest implements retrieve.Nearest.
func (x *Index) Nearest(ctx context.Context, vector []float32, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	query := index.Unit(vector)
	if query == nil || k < 1 {
		return nil, ctx.Err()
	}
	if len(vector) != x.cfg.Dimensions {
		return nil, fault.New(fault.Invalid, "weaviate_query_dimensions",
			"a query has %d dimensions, and the vectors in Weaviate have %d", len(vector), x.cfg.Dimensions)
	}
	numbers, err := json.Marshal(query)
	if err != nil {
		return nil, fmt.Errorf("weaviate: write a search: %w", err)
	}
	where, err := condition(filter)
	if err != nil {
		return nil, fmt.Errorf("weaviate: write a search: %w", err)
	}
	limit := min(k+spare, maxFetch)
	list, err := x.fetch(ctx, numbers, where, limit)
	if err != nil {
		return nil, err
	}
	if n := len(list); n == limit && n > k && list[k-1].Additional.Distance == list[n-1].Additional.Distance {
		if list, err = x.fetch(ctx, numbers, where, min(max(overfetch*k, minFetch), maxFetch)); err != nil {
			return nil, err
		}
	}
	hits := make([]retrieve.Hit, 0, min(k, len(list)))
	for _, f := range list[:min(k, len(list))] {
		hits = append(hits, retrieve.Hit{ID: f.Chunk, Score: -f.Additional.Distance})
	}
	return hits, nil
}

// condition returns the argument of a search that applies a filter. A value of JSON is one of GraphQL.
func condition(filter retrieve.Filter) (string, error) {
	var all []string
	if len(filter.Documents) > 0 {
		ids, err := json.Marshal(filter.Documents)
		if err != nil {
			return "", err
		}
		all = append(all, fmt.Sprintf(`{path: ["document"], operator: ContainsAny, valueInt: %s}`, ids))
	}
	if len(filter.Collections) > 0 {
		names, err := json.Marshal(filter.Collections)
		if err != nil {
			return "", err
		}
		all = append(all, fmt.Sprintf(`{path: ["collection"], operator: ContainsAny, valueText: %s}`, names))
	}
	if len(all) == 0 {
		return "", nil
	}
	return ", where: {operator: And, operands: [" + strings.Join(all, ", ") + "]}", nil
}

// fetch returns up to limit of the nearest chunks, best first.
func (x *Index) fetch(ctx context.Context, vector []byte, where string, limit int) ([]candidate, error) {
	var out found
	err := x.client.call(ctx, searchTimeout, http.MethodPost, "/v1/graphql", map[string]string{"query": fmt.Sprintf(
		`{Get {%s(limit: %d, nearVector: {vector: %s}%s) {chunk source ordinal _additional {distance}}}}`,
		x.cfg.Class, limit, vector, where)}, &out)
	var refused *statusError
	switch {
	case errors.As(err, &refused): // all nodes are starting
		return nil, unavailable(err)
	case err != nil:
		return nil, err
	}
	list := out.Data.Get[x.cfg.Class]
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.Additional.Distance, b.Additional.Distance), cmp.Compare(a.Source, b.Source),
			cmp.Compare(a.Ordinal, b.Ordinal), cmp.Compare(a.Chunk, b.Chunk))
	})
	return list, nil
}
