package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"docent/cmd/docent/admin"
	"docent/config"
	"docent/internal/fault"
)

const longHelp = `docent answers questions from your documents and cites a passage for every
statement. The database and an embedding model are built in. Without a chat model,
answers are quotes from the documents. With one, the model writes the answers.

Start here:
  docent ingest ~/manuals        read a folder of documents
  docent ask "how do I ...?"     answer in the terminal
  docent serve                   serve the page at http://127.0.0.1:8765

Exit status: 0 success, 1 failure, 2 usage error or invalid setting,
3 a server or service that docent needs is unavailable, 130 interrupted.`

// newRoot builds the command tree.
func newRoot(std stdio) *cobra.Command {
	root := &cobra.Command{
		Use:               "docent",
		Version:           version,
		Short:             "Answer questions from your documents, with citations",
		Long:              longHelp,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		Args:              cobra.NoArgs,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) {
			if near := nearFlags(cmd, unknown.GetSpecifiedName()); len(near) > 0 {
				return fault.New(fault.Invalid, "cli_usage_meant", "%w; did you mean %s?", err, strings.Join(near, " or "))
			}
		}
		return fault.New(fault.Invalid, "cli_usage", "%w; see %s --help", err, cmd.CommandPath())
	})
	config.AddFlags(root.PersistentFlags(), config.InScope())
	config.AddFileFlag(root.PersistentFlags())
	root.AddCommand(
		newServe(std), newIngest(std), newSource(std), newAnswers(std), newAsk(std), newBrief(std), newChat(std), newSearch(std), newDocs(std),
		newMCP(std), newAgent(std), newMemory(std), newEval(std), newModels(std), newWebhook(std), newBackup(std), newRestore(std),
		newMigrate(std), newDoctor(std),
		newVersion(std), newConfig(std),
	)
	root.AddCommand(admin.Commands(admin.Config{
		In: std.in, Out: std.out, Err: std.err,
		Open:  func(cmd *cobra.Command) (admin.Database, func(), error) { return openAdmin(cmd, std) },
		Names: func(cmd *cobra.Command) ([]string, error) { return collectionNames(cmd, std, new(remote)) },
	})...)
	usageErrors(root)
	completeStored(root, std)
	return root
}

// nearFlags returns the flags of a command with a similar name. It uses cobra's search for
// similar commands.
func nearFlags(cmd *cobra.Command, name string) []string {
	names := &cobra.Command{SuggestionsMinimumDistance: 2} // typing errors
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		}
	})
	var near []string
	for _, n := range names.SuggestionsFor(name) {
		near = append(near, "--"+n)
	}
	if len(near) > maxNear { // a short name begins many flags
		return nil
	}
	return near
}

// maxNear limits the flags in an error.
const maxNear = 4

// usageErrors turns errors in arguments into fault.Invalid, so that the command
// exits with status 2.
func usageErrors(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if err == nil {
				return nil
			}
			if len(args) > 0 && cmd.HasAvailableSubCommands() {
				cmd.SuggestionsMinimumDistance = 2 // typing errors
				if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
					return fault.New(fault.Invalid, "cli_usage_meant", "%w; did you mean %s?", err, strings.Join(near, " or "))
				}
			}
			return fault.New(fault.Invalid, "cli_usage", "%w; see %s --help", err, cmd.CommandPath())
		}
	}
	for _, sub := range cmd.Commands() {
		usageErrors(sub)
	}
}

// scoped adds the flags of the scopes to a command. Global flags are on the root.
func scoped(cmd *cobra.Command, scopes ...config.Scope) {
	for _, s := range config.InScope(scopes...) {
		if s.Scope != config.Global {
			config.AddFlags(cmd.Flags(), []config.Setting{s})
		}
	}
}

// load reads the configuration for a command.
func load(cmd *cobra.Command) (config.Config, error) {
	return config.Load(config.FromFlags(cmd.Flags()))
}
