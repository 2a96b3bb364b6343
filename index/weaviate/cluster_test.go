//go:build weaviate

package weaviate_test

import (
	"crypto/rand"
	"flag"
	"strings"
	"testing"

	"docent/index/weaviate"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
)

var nodes = flag.String("nodes", "http://127.0.0.1:8881,http://127.0.0.1:8882,http://127.0.0.1:8883", "the nodes of a Weaviate cluster")

func TestNearest(t *testing.T) {
	indextest.RunNearest(t, func(t *testing.T) (retrieve.Nearest, indextest.Writer) {
		x := open(t, weaviate.Config{Nodes: strings.Split(*nodes, ","), Class: "Test" + rand.Text()})
		if err := x.Create(t.Context()); err != nil {
			t.Fatal(err)
		}
		return x, x
	})
}
