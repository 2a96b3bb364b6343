package admin

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"docent/auth/rights/enforce"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// withCollections runs f with the collections of the database.
func (c Config) withCollections(cmd *cobra.Command, f func(context.Context, enforce.Collections) error) error {
	db, end, err := c.Open(cmd)
	if err != nil {
		return err
	}
	defer end()
	return f(cmd.Context(), db.Collections)
}

// aboutFlags are the flags that describe a collection.
type aboutFlags struct {
	cmd       *cobra.Command
	given     corpus.About
	questions []string
}

func newAboutFlags(cmd *cobra.Command) *aboutFlags {
	f := &aboutFlags{cmd: cmd}
	cmd.Flags().StringVar(&f.given.Title, "title", "", "the name that people see (default the name of the collection)")
	cmd.Flags().StringVar(&f.given.Description, "description", "", "what the collection holds")
	cmd.Flags().StringVar(&f.given.Color, "color", "", "blue, green, orange, purple, red, teal, or yellow")
	cmd.Flags().StringVar(&f.given.Owner, "owner", "", "a person or a team to ask about the documents; it gives no rights")
	cmd.Flags().StringArrayVar(&f.questions, "question", nil, "a question to suggest; repeat the flag for up to 6 questions")
	return f
}

// apply sets the given fields.
func (f *aboutFlags) apply(about *corpus.About) {
	for name, field := range map[string]struct{ to, from *string }{
		"title": {&about.Title, &f.given.Title}, "description": {&about.Description, &f.given.Description},
		"color": {&about.Color, &f.given.Color}, "owner": {&about.Owner, &f.given.Owner},
	} {
		if f.cmd.Flags().Changed(name) {
			*field.to = *field.from
		}
	}
	if f.cmd.Flags().Changed("question") {
		about.Questions = f.questions
		if len(f.questions) == 1 && f.questions[0] == "" { // --question "" removes all
			about.Questions = nil
		}
	}
}

func newCollectionCreate(c Config) *cobra.Command {
	var about *aboutFlags
	cmd := &cobra.Command{
		Use:     "create NAME",
		Short:   "Create a collection without documents",
		Example: `  docent collection create hr --title "Human resources" --question "Who pays for trips?"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var record corpus.About
			about.apply(&record)
			return c.withCollections(cmd, func(ctx context.Context, all enforce.Collections) error {
				if err := all.Create(ctx, args[0], record); err != nil {
					return err
				}
				_, err := fmt.Fprintf(c.Out, "created %s\n", args[0])
				return err
			})
		},
	}
	about = newAboutFlags(cmd)
	return cmd
}

func newCollectionSet(c Config) *cobra.Command {
	var about *aboutFlags
	cmd := &cobra.Command{
		Use:   "set NAME",
		Short: "Change the title and the description of a collection",
		Long: `Change the title and the description of a collection. Fields without a flag stay. An
empty value removes a field.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.describe(cmd, args[0], about.apply) },
	}
	about = newAboutFlags(cmd)
	return cmd
}

func newCollectionRename(c Config) *cobra.Command {
	return &cobra.Command{
		Use:   "rename NAME TITLE",
		Short: "Change the title of a collection",
		Long: `Change the title of a collection, which people see. The name stays: commands, rights,
sources, and stored questions use it.`,
		Example: `  docent collection rename hr "Human resources"`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.describe(cmd, args[0], func(about *corpus.About) { about.Title = args[1] })
		},
	}
}

// describe changes the description of a collection.
func (c Config) describe(cmd *cobra.Command, name string, edit func(*corpus.About)) error {
	return c.withCollections(cmd, func(ctx context.Context, all enforce.Collections) error {
		if err := all.Change(ctx, name, edit); err != nil {
			return explain(err, noCollection(name))
		}
		_, err := fmt.Fprintf(c.Out, "changed %s\n", name)
		return err
	})
}

func noCollection(name string) error {
	return fault.New(fault.NotFound, "cli_no_collection", "there is no collection %q; docent collection ls lists them", name)
}

func newCollectionEmpty(c Config) *cobra.Command {
	return c.removal("empty NAME", "Remove all documents of a collection", `Remove all documents of a collection. It keeps its description and the rights on it.`, enforce.Collections.Empty)
}

func newCollectionRm(c Config) *cobra.Command {
	return c.removal("rm NAME", "Remove a collection with its documents and the rights on it", `Remove a collection with its documents and the rights on it. This fails while a
source stores its documents there.`, enforce.Collections.Remove)
}

// removal returns a command that removes the documents of a collection.
func (c Config) removal(use, short, long string, remove func(enforce.Collections, context.Context, string) (int, error)) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long + "\nWithout --yes, the command only counts the documents.", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			db, end, err := c.Open(cmd)
			if err != nil {
				return err
			}
			defer end()
			if !yes {
				return c.count(cmd.Context(), db.Library, args[0])
			}
			n, err := remove(db.Collections, cmd.Context(), args[0])
			if err != nil {
				return explain(err, noCollection(args[0]))
			}
			_, err = fmt.Fprintf(c.Out, "removed %d documents of %s\n", n, args[0])
			return err
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "remove them")
	return cmd
}

// count prints the number of documents in a collection.
func (c Config) count(ctx context.Context, library corpus.Library, name string) error {
	all, err := library.Collections(ctx)
	if err != nil {
		return err
	}
	for _, k := range all {
		if k.Name == name {
			_, err := fmt.Fprintf(c.Out, "%s has %d documents\nto remove them, add --yes\n", name, k.Documents+k.Failed)
			return err
		}
	}
	return noCollection(name)
}
