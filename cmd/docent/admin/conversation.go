package admin

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"docent/agent/session/journal"
	"docent/auth/audit"
)

func newConversation(c Config) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "conversation",
		Short: "Delete the conversations of a user",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConversationDelete(c))
	return cmd
}

// nobody stands for the owner of conversations from the time before authentication was
// on.
const nobody = "nobody"

func newConversationDelete(c Config) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete OWNER",
		Short: "Delete all conversations of an owner",
		Long: `Delete all conversations of an owner, for example because a user asks for it or has
left. OWNER is user:NAME, token:NAME, or oidc:ISSUER#SUBJECT. The owner nobody has the
conversations from the time before authentication was on. Without --yes, the command
only counts them. The deletion is recorded in the audit log. A server that has such a
conversation open notices the deletion at the next message.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			db, end, err := c.Open(cmd)
			if err != nil {
				return err
			}
			defer end()
			found, err := conversationsOf(cmd.Context(), db.Directory, args[0])
			if err != nil {
				return err
			}
			if !yes || len(found) == 0 {
				_, err := fmt.Fprintf(c.Out, "%s has %d conversations\n", args[0], len(found))
				if err == nil && len(found) > 0 {
					_, err = fmt.Fprintln(c.Out, "to delete them, add --yes")
				}
				return err
			}
			record := audit.Record{Actor: audit.Operator, Action: audit.ConversationsDeleted, Object: args[0]}
			if _, err := db.Audit.AddRecord(cmd.Context(), record); err != nil {
				return err
			}
			for _, key := range found {
				if err := db.Directory.DeleteSession(cmd.Context(), key); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintf(c.Out, "deleted %d conversations of %s\n", len(found), args[0])
			return err
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "delete them")
	return cmd
}

// conversationsOf returns the conversations of an owner.
func conversationsOf(ctx context.Context, directory journal.Directory, owner string) ([]journal.SessionKey, error) {
	if owner == nobody {
		owner = ""
	}
	var out []journal.SessionKey
	filter := journal.SessionFilter{Owner: owner, Latest: true, Limit: 1000}
	for {
		page, err := directory.Sessions(ctx, filter)
		if err != nil || len(page) == 0 {
			return out, err //nolint:wrapcheck // the store names the operation
		}
		for _, s := range page {
			if filter.Past = &s; s.Owner == owner { // no owner in the filter selects all
				out = append(out, s.Key)
			}
		}
	}
}
