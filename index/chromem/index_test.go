package chromem_test

import (
	"testing"

	"docent/index/chromem"
	"docent/rag/ragtest"
	"docent/rag/retrieve"
)

func TestIndex(t *testing.T) {
	t.Parallel()
	open := func(*testing.T) retrieve.Index { return chromem.New() }
	ragtest.Run(t, open)
	ragtest.RunVectors(t, open)
}
