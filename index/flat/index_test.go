package flat_test

import (
	"testing"

	"docent/index/flat"
	"docent/rag/retrieve/indextest"
)

func TestIndex(t *testing.T) {
	t.Parallel()
	indextest.RunNearest(t, func(*testing.T) indextest.Nearest { return flat.New() })
}
