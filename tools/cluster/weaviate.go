package main

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// weaviateNodes is the number of nodes of Weaviate.
	weaviateNodes = 3
	// weaviateTimeout bounds the start of the nodes. They need some 12 s.
	weaviateTimeout = 2 * time.Minute
	// pollInterval is the time between two requests of a node's state.
	pollInterval = 200 * time.Millisecond
)

// node is a node of Weaviate, by its number from 1. Its ports follow port.
type node struct{ number, port int }

func (n node) address(offset int) string { return fmt.Sprintf("127.0.0.1:%d", n.port+offset) }

// The offsets of the ports of a node. Weaviate expects that gossip and data, and raft and
// raftRPC, follow each other.
const (
	portHTTP = iota
	portGossip
	portData
	portRaft
	portRaftRPC
	portGRPC
	portProfiling
	portMetrics
)

// environment returns the settings of a node.
func (n node) environment(all []node, data string) []string {
	// As in docker-compose.cluster.yml, each node joins itself first.
	join, raft := []string{n.address(portGossip)}, make([]string, len(all))
	for i, other := range all {
		if other != n {
			join = append(join, other.address(portGossip))
		}
		raft[i] = fmt.Sprintf("node%d:%d", other.number, other.port+portRaft)
	}
	env := []string{
		"CLUSTER_JOIN=" + strings.Join(join, ","), "RAFT_JOIN=" + strings.Join(raft, ","), "RAFT_BOOTSTRAP_EXPECT=" + strconv.Itoa(len(all)),
		"PERSISTENCE_DATA_PATH=" + data, "CLUSTER_HOSTNAME=node" + strconv.Itoa(n.number), "CLUSTER_IN_LOCALHOST=true",
		"CLUSTER_BIND_ADDR=127.0.0.1", "CLUSTER_ADVERTISE_ADDR=127.0.0.1", "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED=true",
		"DEFAULT_VECTORIZER_MODULE=none", "ENABLE_MODULES=", "DISABLE_TELEMETRY=true", "LOG_LEVEL=error",
	}
	for name, offset := range map[string]int{
		"CLUSTER_GOSSIP_BIND_PORT": portGossip, "CLUSTER_DATA_BIND_PORT": portData, "RAFT_PORT": portRaft, "RAFT_INTERNAL_RPC_PORT": portRaftRPC,
		"GRPC_PORT": portGRPC, "GO_PROFILING_PORT": portProfiling, "PROMETHEUS_MONITORING_PORT": portMetrics,
	} {
		env = append(env, fmt.Sprintf("%s=%d", name, n.port+offset))
	}
	return env
}

// startWeaviate starts the nodes on the ports from first on, and waits until they are ready.
// The servers then use them. The nodes run until stop, also if ctx ends.
func (c *cluster) startWeaviate(ctx context.Context, first int) (stop func(), err error) {
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	stop = func() {
		cancel()
		wg.Wait()
	}
	ctx, done := context.WithTimeout(ctx, weaviateTimeout)
	defer done()
	var nodes []node
	for i := range weaviateNodes {
		nodes = append(nodes, node{i + 1, first + 10*i})
	}
	var urls []string
	for _, n := range nodes {
		name := "weaviate" + strconv.Itoa(n.number)
		cmd := exec.CommandContext(running, c.weaviate, "--host", "127.0.0.1", "--port", strconv.Itoa(n.port+portHTTP), "--scheme", "http")
		cmd.SysProcAttr = attributes()
		cmd.Env = n.environment(nodes, filepath.Join(c.data, name))
		out := &prefixed{log: c.log, prefix: name}
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			stop()
			return nil, fmt.Errorf("start Weaviate: %w; .ci/setup weaviate builds it", err)
		}
		wg.Go(func() {
			if err := cmd.Wait(); err != nil && running.Err() == nil {
				c.log.printf("%s has ended: %v", name, err)
				done() // it is too early if the nodes are starting
			}
		})
		c.log.printf("%s is process %d at http://%s", name, cmd.Process.Pid, n.address(portHTTP))
		urls = append(urls, "http://"+n.address(portHTTP))
	}
	for _, url := range urls {
		if err := waitReady(ctx, url+"/v1/.well-known/ready"); err != nil {
			stop()
			return nil, fmt.Errorf("weaviate at %s is not ready: %w", url, err)
		}
	}
	c.index = []string{"DOCENT_INDEX=weaviate", "DOCENT_WEAVIATE=" + strings.Join(urls, ",")}
	return stop, nil
}

// waitReady waits until a page has the status 200.
func waitReady(ctx context.Context, url string) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return err
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close() // only the status counts
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
