package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"docent/config"
	"docent/internal/wiring"
)

func newAgentGraph(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "graph FILE",
		Short: "Draw the states and transitions of an agent file",
		Long: `Draw the states and transitions of an agent file as a state diagram in Mermaid's
language. GitHub and many editors show it in a block of the language mermaid.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := load(cmd)
			if err != nil {
				return err
			}
			models, err := wiring.OpenModels(wiring.New(cfg, wiring.NewLog(cfg, std.err, false)))
			if err != nil {
				return err
			}
			d, err := models.CheckAgent(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			diagram, err := d.Agent.Mermaid()
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(std.out, diagram)
			return err
		},
	}
	scoped(cmd, config.Answering, config.Chatting)
	return cmd
}
