package flat_test

import (
	"testing"

	"docent/index/flat"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
)

func TestIndex(t *testing.T) {
	t.Parallel()
	indextest.RunNearest(t, func(*testing.T) (retrieve.Nearest, indextest.Writer) {
		x := flat.New()
		return x, x
	})
	indextest.RunVectorMirror(t, func(*testing.T) retrieve.Mirror { return flat.New() })
}
