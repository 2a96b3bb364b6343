package admin

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"docent/auth"
	"docent/auth/rights"
	"docent/internal/fault"
)

func newGroup(c Config) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "group",
		Short: "Create, list, and change groups of users",
		Long: `Groups of users share rights on collections; see docent collection. A user of an
OpenID Connect issuer is also a member of each group that the user's token names.
Changes apply to running servers at once.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newGroupAdd(c), newGroupLs(c), newGroupRm(c), newGroupJoin(c, true), newGroupJoin(c, false))
	return cmd
}

func newGroupAdd(c Config) *cobra.Command {
	return &cobra.Command{
		Use:   "add NAME",
		Short: "Add a group without members",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := auth.CheckGroupName(args[0]); err != nil {
				return err
			}
			return c.withRights(cmd, func(ctx context.Context, store rights.Store) error {
				if err := store.AddGroup(ctx, args[0]); err != nil {
					return err
				}
				_, err := fmt.Fprintf(c.Out, "added the group %s\n", args[0])
				return err
			})
		},
	}
}

func newGroupLs(c Config) *cobra.Command {
	return &cobra.Command{
		Use:   "ls",
		Short: "List the groups with their members",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withRights(cmd, func(ctx context.Context, store rights.Store) error {
				all, err := store.Groups(ctx)
				if err != nil {
					return err
				}
				if len(all) == 0 {
					_, err := fmt.Fprintln(c.Out, "No groups yet. Make one: docent group add NAME")
					return err
				}
				w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
				fmt.Fprintln(w, "GROUP\tMEMBERS")
				for _, g := range all {
					fmt.Fprintf(w, "%s\t%s\n", g.Name, strings.Join(g.Members, ", "))
				}
				return w.Flush()
			})
		},
	}
}

func newGroupRm(c Config) *cobra.Command {
	return &cobra.Command{
		Use:   "rm NAME",
		Short: "Remove a group and its rights",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withRights(cmd, func(ctx context.Context, store rights.Store) error {
				if err := store.RemoveGroup(ctx, args[0]); err != nil {
					return explain(err, noGroup(args[0]))
				}
				_, err := fmt.Fprintf(c.Out, "removed the group %s and its rights\n", args[0])
				return err
			})
		},
	}
}

// noGroup is the error for a group that does not exist.
func noGroup(name string) error {
	return fault.New(fault.NotFound, "cli_no_group", "there is no group %q; docent group ls lists them", name)
}

// newGroupJoin returns the command that adds members, or the one that removes them.
func newGroupJoin(c Config, is bool) *cobra.Command {
	use, short, done := "leave", "Remove users from a group", "left"
	if is {
		use, short, done = "join", "Add users to a group", "joined"
	}
	return &cobra.Command{
		Use:   use + " GROUP USER...",
		Short: short,
		Long: short + `. A user is a name, or
oidc:ISSUER#SUBJECT for a user of an OpenID Connect issuer.`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withRights(cmd, func(ctx context.Context, store rights.Store) error {
				for _, name := range args[1:] {
					member, err := rights.ParseMember(name)
					if err != nil {
						return err
					}
					if err := store.SetMember(ctx, args[0], member, is); err != nil {
						return err
					}
				}
				_, err := fmt.Fprintf(c.Out, "%s %s the group %s\n", strings.Join(args[1:], ", "), done, args[0])
				return err
			})
		},
	}
}
