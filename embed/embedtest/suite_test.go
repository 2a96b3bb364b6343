package embedtest_test

import (
	"testing"

	"docent/embed"
	"docent/embed/embedtest"
)

func TestStatic(t *testing.T) {
	t.Parallel()
	embedtest.Run(t, func(t *testing.T) embed.Embedder {
		s, err := embed.NewStatic()
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

func TestOpenAI(t *testing.T) {
	t.Parallel()
	server := embedtest.NewServer(t)
	for name, dimensions := range map[string]int{"own length": 0, "asked length": 128} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			embedtest.Run(t, func(t *testing.T) embed.Embedder {
				e, err := embed.NewOpenAI(embed.Config{BaseURL: server.URL, Model: "test", Dimensions: dimensions})
				if err != nil {
					t.Fatal(err)
				}
				return e
			})
		})
	}
}
