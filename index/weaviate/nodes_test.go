//go:build weaviate

package weaviate_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// server is the program of Weaviate. make test-weaviate builds it.
var server = flag.String("server", "../../bin/tools/weaviate-server", "the program of Weaviate")

// nodes are the URLs of a cluster of three nodes, which TestMain starts.
var nodes []string

// processes are their processes, and data is the folder of their data.
var (
	processes []*exec.Cmd
	data      string
)

// startTimeout bounds the start of the nodes.
const startTimeout = time.Minute

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(withCluster(m))
}

func withCluster(m *testing.M) int {
	var err error
	if data, err = os.MkdirTemp("", "docent-weaviate-"); err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(data) //nolint:errcheck // it is in the folder of temporary files
	ctx, stop := context.WithTimeout(context.Background(), startTimeout)
	defer stop()
	defer func() {
		for _, process := range processes {
			_ = process.Process.Kill() // it may have ended
			_ = process.Wait()         // it was killed
		}
	}()
	for i := 1; i <= 3; i++ {
		process, err := startNode(i, data)
		if err != nil {
			fmt.Println("start Weaviate:", err)
			return 1
		}
		processes = append(processes, process)
		nodes = append(nodes, fmt.Sprintf("http://127.0.0.1:%d", 18880+i))
	}
	for _, node := range nodes {
		if !wait(ctx, func() bool { return answers(ctx, node+"/v1/.well-known/ready") }) {
			fmt.Println(node, "is not ready")
			return 1
		}
	}
	return m.Run()
}

func startNode(i int, data string) (*exec.Cmd, error) {
	program, err := filepath.Abs(*server)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, "--host", "127.0.0.1", "--port", fmt.Sprint(18880+i), "--scheme", "http")
	for name, value := range map[string]any{
		"AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": true, "PERSISTENCE_DATA_PATH": filepath.Join(data, fmt.Sprint(i)),
		"DEFAULT_VECTORIZER_MODULE": "none", "ENABLE_MODULES": "", "DISABLE_TELEMETRY": true, "LOG_LEVEL": "error",
		"CLUSTER_HOSTNAME": fmt.Sprint("node", i), "CLUSTER_IN_LOCALHOST": true, "CLUSTER_BIND_ADDR": "127.0.0.1",
		"CLUSTER_ADVERTISE_ADDR": "127.0.0.1", "CLUSTER_GOSSIP_BIND_PORT": 17099 + 2*i, "CLUSTER_DATA_BIND_PORT": 17100 + 2*i,
		"RAFT_PORT": 18300 + 2*i, "RAFT_INTERNAL_RPC_PORT": 18301 + 2*i, "RAFT_JOIN": "node1:18302,node2:18304,node3:18306",
		"RAFT_BOOTSTRAP_EXPECT": 3, "GRPC_PORT": 15050 + i, "GO_PROFILING_PORT": 16059 + i, "PROMETHEUS_MONITORING_PORT": 12111 + i,
	} {
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%v", name, value))
	}
	// As in docker-compose.cluster.yml, each node joins itself first.
	join := fmt.Sprintf("CLUSTER_JOIN=127.0.0.1:%d", 17099+2*i)
	for other := 1; other <= 3; other++ {
		if other != i {
			join += fmt.Sprintf(",127.0.0.1:%d", 17099+2*other)
		}
	}
	cmd.Env = append(cmd.Env, join)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd, cmd.Start()
}

// wait calls ok until it returns true, and reports false when ctx ends.
func wait(ctx context.Context, ok func() bool) bool {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}

// answers reports whether a page has the status 200.
func answers(ctx context.Context, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close() //nolint:errcheck // it is only read
	return response.StatusCode == http.StatusOK
}
