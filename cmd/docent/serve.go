package main

import (
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	server "docent"
	"docent/config"
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
			if _, set := config.Variable("GOGC"); !set {
				debug.SetGCPercent(gcPercent)
			}
			args := []string{}
			cmd.Flags().Visit(func(f *pflag.Flag) { args = append(args, "--"+f.Name+"="+f.Value.String()) })
			return server.Run(cmd.Context(), nil, server.Options{Args: args, Version: version, Output: std.err})
		},
	}
	cmd.Flags().BoolVar(&printConfig, "print-config", false, "print the effective settings without secrets, and exit")
	scoped(cmd, config.Serving, config.Answering, config.Chatting, config.Embedding, config.Ingesting, config.Sourced)
	return cmd
}

// gcPercent is the GOGC of serve, unless the environment sets another. It is half of
// Go's default. An index of a million passages has several gigabytes while docent makes
// it, and Go then keeps less garbage beside it.
const gcPercent = 50
