package chromem_test

import (
	"testing"

	"docent/index/chromem"
	"docent/rag"
	"docent/rag/ragtest"
)

func TestIndex(t *testing.T) {
	t.Parallel()
	open := func(*testing.T) rag.Index { return chromem.New() }
	ragtest.Run(t, open)
	ragtest.RunVectors(t, open)
}
