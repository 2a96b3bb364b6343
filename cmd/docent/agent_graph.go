package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"docent/config"
	"docent/internal/wiring"
)

func newAgentGraph(std stdio) *cobra.Command {
	var svg bool
	cmd := &cobra.Command{
		Use:   "graph FILE",
		Short: "Draw the states and transitions of an agent file",
		Long: `Draw the states and transitions of an agent file as a state diagram in Mermaid's
language. GitHub and many editors show it in a block of the language mermaid.
With --svg, draw a picture that browsers show.`,
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
			graph, err := d.Agent.Graph()
			if err != nil {
				return err
			}
			draw := graph.Mermaid
			if svg {
				draw = graph.SVG
			}
			_, err = fmt.Fprint(std.out, draw())
			return err
		},
	}
	cmd.Flags().BoolVar(&svg, "svg", false, "draw a picture (SVG)")
	scoped(cmd, config.Answering, config.Chatting)
	return cmd
}
