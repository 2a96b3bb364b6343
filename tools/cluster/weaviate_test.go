package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each node has ports of its own, and joins itself first. Otherwise, it ends at its start
// while the others are missing.
func TestNodes(t *testing.T) {
	t.Parallel()
	all := []node{{1, 9000}, {2, 9010}, {3, 9020}}
	ports := map[string]bool{}
	for i, n := range all {
		env := n.environment(all, "data")
		for _, want := range []string{
			"RAFT_JOIN=node1:9003,node2:9013,node3:9023", "RAFT_BOOTSTRAP_EXPECT=3",
			[]string{
				"CLUSTER_JOIN=127.0.0.1:9001,127.0.0.1:9011,127.0.0.1:9021", "CLUSTER_JOIN=127.0.0.1:9011,127.0.0.1:9001,127.0.0.1:9021",
				"CLUSTER_JOIN=127.0.0.1:9021,127.0.0.1:9001,127.0.0.1:9011",
			}[i],
		} {
			if !slices.Contains(env, want) {
				t.Errorf("node %d lacks %s in %q", n.number, want, env)
			}
		}
		for _, v := range env {
			name, port, _ := strings.Cut(v, "=")
			if strings.HasSuffix(name, "_PORT") && ports[port] {
				t.Errorf("%s of node %d is a port of another one: %s", name, n.number, port)
			}
			if strings.HasSuffix(name, "_PORT") {
				ports[port] = true
			}
		}
	}
	if len(ports) != 7*len(all) {
		t.Errorf("%d ports", len(ports))
	}
}

// A missing program is an error that says how to build it, and a page is ready when it has
// the status 200.
func TestWeaviateStart(t *testing.T) {
	t.Parallel()
	c := cluster{weaviate: filepath.Join(t.TempDir(), "missing"), data: t.TempDir(), log: &log{out: t.Output()}}
	if _, err := c.startWeaviate(t.Context(), 9000); err == nil || !strings.Contains(err.Error(), ".ci/setup weaviate") {
		t.Errorf("a missing program: %v", err)
	}
	requests := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if requests++; requests < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(s.Close)
	if err := waitReady(t.Context(), s.URL); err != nil || requests != 3 {
		t.Errorf("ready after %d requests: %v", requests, err)
	}
}
