package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"docent/config"
	"docent/internal/fault"
	"docent/internal/wiring"
)

func newDoctor(std stdio) *cobra.Command {
	var server string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the installation and its settings",
		Long: `Check the data folder, database, embedder, index, models, programs, access settings,
and port, and suggest a fix for each failed check. Use the same flags and environment
variables as for docent serve. Each model is tried. If a model that is only a fallback
fails, doctor warns and does not fail.

With --server, docent only asks a running server whether it is ready. Use this for
the health check of a container.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if server != "" {
				return askReady(cmd.Context(), std.out, server)
			}
			cfg, err := load(cmd)
			if err != nil {
				return err
			}
			return examine(cmd.Context(), std, cfg)
		},
	}
	cmd.Flags().StringVar(&server, "server", "", "only check that the server at this URL is ready")
	scoped(cmd, config.Serving, config.Answering, config.Chatting, config.Embedding)
	return cmd
}

// examine runs the checks and prints a line each.
func examine(ctx context.Context, std stdio, cfg config.Config) error {
	d := wiring.NewDoctor(wiring.New(cfg, wiring.NewLog(cfg, std.err, false)))
	defer d.Close(ctx)
	failed := 0
	d.Examine(ctx, func(f wiring.Finding) {
		if f.Err == nil {
			fmt.Fprintf(std.out, "ok    %-9s %s\n", f.Name, f.Found)
			return
		}
		result := "warn"
		if !f.Spare {
			result = "FAIL"
			failed++
		}
		fmt.Fprintf(std.out, "%s  %-9s %v\n                %s\n", result, f.Name, f.Err, f.Remedy)
	}, portCheck(cfg.Addr))
	if failed > 0 {
		fmt.Fprintf(std.out, "%s failed\n", plural(failed, "check"))
		return errFailed
	}
	return nil
}

// portCheck checks that docent can listen on an address, or serves there.
func portCheck(addr string) wiring.Check {
	run := func(ctx context.Context) (string, error) {
		l, err := wiring.Listen(ctx, addr)
		if err == nil {
			return addr + " is free", l.Close()
		}
		if askReady(ctx, io.Discard, "http://"+addr) == nil {
			return "docent is serving at http://" + addr, nil
		}
		return "", err
	}
	return wiring.Check{Name: "port", Run: run, Remedy: "stop the program that uses it, or choose another address: --addr HOST:PORT"}
}

// askReady asks a server whether it is ready.
func askReady(ctx context.Context, w io.Writer, server string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(server, "/")+"/api/ready", http.NoBody)
	if err != nil {
		return fault.New(fault.Invalid, "cli_server_address", "--server %s: %w", server, err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fault.New(fault.Unavailable, "other_error", "%w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return fault.New(fault.Unavailable, "named_error", "%s: %w", server, err)
	}
	if resp.StatusCode != http.StatusOK {
		return fault.New(fault.Unavailable, "cli_server_not_ready", "%s is not ready: %s", server, strings.TrimSpace(string(body)))
	}
	_, err = fmt.Fprintln(w, server, "is ready")
	return err
}
