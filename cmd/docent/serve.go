package main

import (
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"strconv"

	"github.com/spf13/cobra"

	"docent/config"
	"docent/internal/wiring"
)

const (
	// gcPercent is the GOGC of a server, unless the environment sets another. A value
	// below Go's default costs some processor time. In return, the heap shrinks sooner
	// after uploads of large documents.
	gcPercent = 50
	// goGCPercent is Go's own value.
	goGCPercent = 100
)

func newServe(std stdio) *cobra.Command {
	var printConfig bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the page, the HTTP API, and the WebSocket",
		Long: `Serve the page, the HTTP API, and the WebSocket on one port. /openapi.json
describes the API. By default, only this machine can connect. Other machines need
--addr together with --auth.

Press Ctrl-C or send SIGTERM to stop the server. It finishes running answers first.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if printConfig {
				cfg, err := load(cmd)
				if err != nil {
					return err
				}
				return cfg.Print(std.out)
			}
			p, err := open(cmd, std, embedding...)
			if err != nil {
				return err
			}
			defer p.Close(cmd.Context())
			if percent := debug.SetGCPercent(gcPercent); percent != goGCPercent {
				debug.SetGCPercent(percent) // from the environment
			}
			return wiring.Serve(cmd.Context(), p, wiring.ServeOptions{
				Version: version,
				Ready:   func(at net.Addr, locked bool) { announce(std.err, p.Config, at, locked) },
			})
		},
	}
	cmd.Flags().BoolVar(&printConfig, "print-config", false, "print the effective settings without secrets, and exit")
	scoped(cmd, config.Serving, config.Answering, config.Embedding, config.Ingesting, config.Sourced)
	return cmd
}

// announce prints the address of a server, and notes about access for its
// operator.
func announce(w io.Writer, cfg config.Config, at net.Addr, locked bool) {
	if locked {
		fmt.Fprint(w, firstUser(cfg))
	}
	warn(w, cfg, at)
	if cfg.NoUI {
		fmt.Fprintln(w, "The page is off (--no-ui). Programs can connect.")
	}
	fmt.Fprintf(w, "docent is at %s\n", urlOf(at))
}

// firstUser explains how to add the first user. Its commands work on the database
// of the server in any shell.
func firstUser(cfg config.Config) string {
	data, same := " --data "+shellWord(cfg.Data), ""
	if cfg.DatabaseURL != "" {
		same = ", with the same DATABASE_URL"
	}
	return fmt.Sprintf("Authentication is on, but nobody can sign in yet. Add a user for the page, or a token for programs%s:\n"+
		"  docent user create NAME --scopes ask,ingest%s\n  docent token create --name NAME%s\n", same, data, data)
}

// warn prints a warning if other machines can reach docent: that there is no TLS, or
// no authentication.
func warn(w io.Writer, cfg config.Config, at net.Addr) {
	switch {
	case cfg.Loopback():
	case cfg.Auth:
		fmt.Fprintf(w, "Others can reach docent at %s. docent does not use TLS. Without a TLS proxy in front of it, "+
			"passwords, cookies, and tokens travel in the clear.\n", at)
	default:
		fmt.Fprintf(w, "WARNING: authentication is off (--insecure): everybody who reaches %s may read, change, and delete everything.\n", at)
	}
}

// urlOf returns the URL of a listener for a browser on this machine.
func urlOf(at net.Addr) string {
	addr, ok := at.(*net.TCPAddr)
	if !ok || !addr.IP.IsUnspecified() {
		return "http://" + at.String()
	}
	host := "127.0.0.1"
	if addr.IP.To4() == nil {
		host = "localhost" // [::] may or may not accept IPv4
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(addr.Port))
}
