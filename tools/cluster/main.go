// Command cluster runs several docent servers on one Postgres, behind a proxy on
// this machine. It ends with Ctrl-C.
//
//	go run ./tools/cluster -docent bin/docent -servers 3 -addr 127.0.0.1:8765
//
// The servers listen on the ports after that of the proxy. Without -database, it
// starts a Postgres of its own, whose data is removed at the end, and ingests the
// sample documents that the arguments name. The proxy sends each request to the next
// server, and to another one if that server cannot be reached. To see what happens
// then, kill a server: the output has the process ids.
//
// With -weaviate, three nodes of Weaviate have the vectors. Their ports follow those of the
// servers.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"docent/internal/pgtest"
)

const (
	// maxServers limits the servers.
	maxServers = 9
	// stopTimeout is the time that a server has to finish its turns before it is
	// killed.
	stopTimeout = 40 * time.Second
	// headerTimeout bounds the time in which a client must send its headers.
	headerTimeout = 10 * time.Second
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

// cluster has the settings of the command line.
type cluster struct {
	docent, database, data, addr string
	key                          string // for DOCENT_SECRET_KEY
	servers                      int
	weaviate                     string   // the program of Weaviate; "" for none
	index                        []string // environment variables of the index
	samples                      []string
	log                          *log
}

func run(ctx context.Context, args []string, out io.Writer) error {
	c := cluster{log: &log{out: out}}
	flags := flag.NewFlagSet("cluster", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&c.docent, "docent", "bin/docent", "the program to run")
	flags.StringVar(&c.database, "database", "", "the URL of a Postgres database; default a private server without samples of earlier runs")
	flags.StringVar(&c.addr, "addr", "127.0.0.1:8765", "the address of the proxy")
	flags.IntVar(&c.servers, "servers", 3, "the number of servers")
	weaviate := flags.Bool("weaviate", false, "keep the vectors in three nodes of Weaviate")
	program := flags.String("weaviate-server", "bin/tools/weaviate-server", "the program of Weaviate; .ci/setup weaviate builds it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if c.servers < 1 || c.servers > maxServers {
		return fmt.Errorf("-servers must be between 1 and %d", maxServers)
	}
	if *weaviate {
		c.weaviate = *program
	}
	c.samples = flags.Args()
	data, err := os.MkdirTemp("", "docent-cluster-")
	if err != nil {
		return fmt.Errorf("make a data folder: %w", err)
	}
	defer os.RemoveAll(data)
	c.data = data
	if c.database == "" {
		server, err := pgtest.Start(ctx)
		if err != nil {
			return err
		}
		defer server.Stop()
		c.database = server.URL()
	}
	if c.weaviate != "" {
		_, port, err := c.firstPort()
		if err != nil {
			return err
		}
		stop, err := c.startWeaviate(ctx, port+maxServers+1)
		if err != nil {
			return err
		}
		defer stop()
	}
	return c.serve(ctx)
}

// serve ingests the samples and runs the servers and the proxy until ctx ends or one
// of them fails.
func (c *cluster) serve(ctx context.Context) error {
	addresses, err := c.addresses()
	if err != nil {
		return err
	}
	key := make([]byte, 32)
	rand.Read(key) //nolint:errcheck // it never fails
	c.key = hex.EncodeToString(key)
	if len(c.samples) > 0 {
		ingest := c.command(ctx, "ingest", append([]string{"ingest", "--data", filepath.Join(c.data, "ingest")}, c.samples...))
		if err := ingest.Run(); err != nil {
			return fmt.Errorf("docent ingest: %w", err)
		}
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	proxy := &http.Server{Handler: newProxy(addresses, c.log), ReadHeaderTimeout: headerTimeout}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	for n, addr := range addresses {
		name := strconv.Itoa(n + 1)
		server := c.command(ctx, name, []string{"serve", "--data", filepath.Join(c.data, name), "--addr", addr, "--trusted-proxies", "127.0.0.1"})
		if err := server.Start(); err != nil {
			cancel()
			wg.Wait()
			return errors.Join(fmt.Errorf("start docent: %w", err), listener.Close())
		}
		c.log.printf("server %s is process %d at http://%s", name, server.Process.Pid, addr)
		wg.Go(func() {
			if err := server.Wait(); err != nil && ctx.Err() == nil {
				c.log.printf("server %s has ended: %v", name, err)
			}
		})
	}
	c.log.printf("the proxy is at http://%s", c.addr)
	served := make(chan error, 1)
	go func() { served <- proxy.Serve(listener) }()
	select {
	case <-ctx.Done():
		wg.Wait() // first, so that clients of the proxy get the last answers
		_ = proxy.Close()
		<-served
		return nil
	case err := <-served:
		cancel()
		wg.Wait()
		return err
	}
}

// addresses returns the addresses of the servers.
func (c *cluster) addresses() ([]string, error) {
	host, first, err := c.firstPort()
	if err != nil {
		return nil, err
	}
	var out []string
	for n := range c.servers {
		out = append(out, net.JoinHostPort(host, strconv.Itoa(first+1+n)))
	}
	return out, nil
}

// firstPort returns the port of the proxy.
func (c *cluster) firstPort() (host string, port int, err error) {
	host, text, err := net.SplitHostPort(c.addr)
	if err != nil {
		return "", 0, fmt.Errorf("-addr: %w", err)
	}
	port, err = strconv.Atoi(text)
	if err != nil || !net.ParseIP(host).IsLoopback() {
		return "", 0, fmt.Errorf("-addr must be a loopback address with a port, such as 127.0.0.1:8765")
	}
	return host, port, nil
}

// command returns a docent command. When ctx ends, it gets the signal of Ctrl-C and has
// time to finish its work.
func (c *cluster) command(ctx context.Context, name string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.docent, args...)
	cmd.SysProcAttr = attributes()
	cmd.Env = append([]string{"DOCENT_SECRET_KEY=" + c.key}, cmd.Environ()...) // a key of the environment comes later and counts
	cmd.Env = append(append(cmd.Env, "DATABASE_URL="+c.database), c.index...)
	out := &prefixed{log: c.log, prefix: name}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopTimeout
	return cmd
}
