package admin

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"docent/auth/rights"
	"docent/rag/corpus"
)

func newCollection(c Config) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "collection",
		Short: "Create, describe, and remove collections, and change the rights on them",
		Long: `A collection has a name, which never changes, and a title that people see. Documents
that are added to a new name create its collection, too.

A collection is open until you set the first right on it: everybody may read it,
and everybody with the scope ingest may change its documents. From then on, only the
subjects of its rights may use it, and administrators.

A right is read (search, ask, open documents), write (also add and remove
documents), or manage (also describe, empty, and remove the collection, and change
the rights). Writing and managing also need the scope ingest. A subject is everyone,
group:NAME, user:NAME, token:NAME, or oidc:ISSUER#SUBJECT. Changes apply to running
servers at once.

Rights have no effect without --auth.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCollectionLs(c), newCollectionCreate(c))
	for _, sub := range []*cobra.Command{
		newCollectionSet(c), newCollectionRename(c), newCollectionEmpty(c),
		newCollectionRm(c), newCollectionGrant(c), newCollectionRevoke(c), newCollectionOpen(c),
	} {
		sub.ValidArgsFunction = c.completeCollection
		cmd.AddCommand(sub)
	}
	return cmd
}

// completeCollection completes the name of a collection, and the right after a subject.
func (c Config) completeCollection(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	switch {
	case len(args) == 0:
		names, err := c.Names(cmd)
		if err != nil { // a shell has no place for the reason
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	case cmd.Name() == "grant" && len(args) == 2:
		return []string{"read", "write", "manage"}, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func newCollectionLs(c Config) *cobra.Command {
	return &cobra.Command{
		Use:   "ls",
		Short: "List the collections with their titles, documents, and rights",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, end, err := c.Open(cmd)
			if err != nil {
				return err
			}
			defer end()
			all, err := db.Library.Collections(cmd.Context())
			if err != nil {
				return err
			}
			granted, err := db.Rights.CollectionRights(cmd.Context())
			if err != nil {
				return err
			}
			grants := map[string]string{}
			for _, k := range granted {
				grants[k.Name] = described(k)
			}
			w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, "COLLECTION\tTITLE\tDOCUMENTS\tRIGHTS")
			for _, k := range all {
				fmt.Fprintf(w, "%s\t%s\t%d\t%s\n", k.Name, cmp.Or(k.About.Title, "-"), k.Documents, grants[k.Name])
			}
			return w.Flush()
		},
	}
}

// described returns the rights on a collection in one line.
func described(k rights.Collection) string {
	switch {
	case !k.Restricted:
		return "open"
	case len(k.Grants) == 0:
		return "only administrators"
	}
	grants := make([]string, len(k.Grants))
	for i, g := range k.Grants {
		grants[i] = g.Subject + " " + g.Level.String()
	}
	return strings.Join(grants, ", ")
}

func newCollectionGrant(c Config) *cobra.Command {
	return &cobra.Command{
		Use:   "grant COLLECTION SUBJECT RIGHT",
		Short: "Give a right on a collection: read, write, or manage",
		Example: `  docent collection grant hr group:staff read
  docent collection grant hr user:ann manage`,
		Args: cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := corpus.CheckCollectionName(args[0]); err != nil {
				return err
			}
			subject, err := rights.ParseSubject(args[1])
			if err != nil {
				return err
			}
			level, err := rights.ParseLevel(args[2])
			if err != nil {
				return err
			}
			return c.withRights(cmd, func(ctx context.Context, store rights.Store) error {
				if err := store.SetRight(ctx, args[0], rights.Grant{Subject: subject, Level: level}); err != nil {
					return err
				}
				_, err := fmt.Fprintf(c.Out, "%s may %s %s\n", subject, level, args[0])
				return err
			})
		},
	}
}

func newCollectionRevoke(c Config) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke COLLECTION SUBJECT",
		Short: "Take back a right on a collection",
		Long: `Take back a right on a collection. The collection stays restricted: without any
right, only administrators may use it. To open it, run docent collection open.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			subject, err := rights.ParseSubject(args[1])
			if err != nil {
				return err
			}
			return c.withRights(cmd, func(ctx context.Context, store rights.Store) error {
				if err := store.SetRight(ctx, args[0], rights.Grant{Subject: subject}); err != nil {
					return err
				}
				_, err := fmt.Fprintf(c.Out, "%s has no right on %s\n", subject, args[0])
				return err
			})
		},
	}
}

func newCollectionOpen(c Config) *cobra.Command {
	return &cobra.Command{
		Use:   "open COLLECTION",
		Short: "Remove all rights on a collection, so that everybody may use it",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withRights(cmd, func(ctx context.Context, store rights.Store) error {
				if err := store.OpenCollection(ctx, args[0]); err != nil {
					return explain(err, noCollection(args[0]))
				}
				_, err := fmt.Fprintf(c.Out, "everybody may use %s\n", args[0])
				return err
			})
		},
	}
}
