package main

import (
	"github.com/spf13/cobra"

	"docent/config"
	"docent/internal/wiring"
)

func newMCP(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the documents to an assistant over MCP",
		Long: `Serve the documents to one client of the Model Context Protocol (MCP) over
standard input and output. Assistants and editors start this command themselves.
"docent serve" serves MCP to other machines at /mcp.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := openAnswering(cmd, std, "")
			if err != nil {
				return err
			}
			defer p.Close(cmd.Context())
			return wiring.ServeMCP(cmd.Context(), p.Indexes, p.Answers, version, std.in, std.out)
		},
	}
	scoped(cmd, config.Answering, config.Chatting, config.Embedding)
	return cmd
}
