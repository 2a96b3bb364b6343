package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"docent/agent/definition"
	"docent/config"
	"docent/internal/wiring"
)

func newAgent(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "Write, check, and try agent files (YAML)",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAgentNew(std), newAgentCheck(std), newAgentChat(std), newAgentTest(std), newAgentEval(std),
		newAgentRecord(std), newAgentReplay(std), newAgentGraph(std), newAgentPrint(std), newAgentSchema(std))
	return cmd
}

func newAgentCheck(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Check an agent file for errors",
		Long:  "Check an agent file as docent serve --agent does, without starting a server.\nErrors and warnings are reported with their line numbers.",
		Args:  cobra.ExactArgs(1),
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
			for _, w := range d.Warnings {
				fmt.Fprintf(std.err, "warning: %s\n", w)
			}
			a := d.Agent
			_, err = fmt.Fprintf(std.out, "%s is valid: agent %s with %s and %s\n", args[0], a.Name(),
				plural(len(a.States()), "state"), plural(len(a.Intents()), "intent"))
			return err
		},
	}
	scoped(cmd, config.Answering, config.Chatting)
	return cmd
}

func newAgentPrint(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "print",
		Short: "Print the built-in assistant as a YAML file to start from",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := std.out.Write(definition.Assistant())
			return err
		},
	}
}

func newAgentSchema(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of agent files, for editors",
		Long: `Print the JSON Schema of agent files. With it, editors complete keys and mark
errors. Save it beside your agent, and begin the agent file with this line:

  # yaml-language-server: $schema=agent.schema.json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := std.out.Write(definition.Schema())
			return err
		},
	}
}
