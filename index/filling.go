package index

import "docent/internal/fault"

// Filling is the error of an index that does not have all passages yet. name names the
// index, and the revisions are that of the index and that of the corpus.
func Filling(name string, have, of int64) error {
	return fault.New(fault.Unavailable, "index_filling",
		"the %s is being filled, and %d %% are done; until then, answers can lack documents", name, min(99, 100*have/max(1, of)))
}
