package wiring

import (
	"docent/config"
	"docent/index"
	"docent/index/chromem"
	"docent/index/flat"
	"docent/internal/cores"
	"docent/rag/retrieve"
)

// keywordIndex is the keyword index that AddRetriever uses, as /api/info names it.
const keywordIndex = "bm25"

// maxChromem is the number of passages up to which chromem-go searches vectors by
// default. Both indexes are fast there.
const maxChromem = 4000

// newNearest makes the vector index of a setting.
func newNearest(setting string, pool *cores.Pool) retrieve.VectorMirror {
	switch setting {
	case config.IndexChromem:
		return chromem.New()
	case config.IndexFlat:
		return flat.New(flat.Config{Cores: pool})
	default:
		return index.NewSized(maxChromem, chromem.New(), flat.New(flat.Config{Cores: pool}))
	}
}

// vectorIndex returns the name of a vector index for /api/info: the value of the
// setting that always uses it.
func vectorIndex(nearest retrieve.VectorMirror) string {
	switch x := nearest.(type) {
	case *flat.Index:
		return config.IndexFlat
	case *index.Sized:
		if x.Grown() {
			return config.IndexFlat
		}
	}
	return config.IndexChromem
}
