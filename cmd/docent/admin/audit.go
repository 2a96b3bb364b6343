package admin

import (
	"cmp"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"docent/auth/audit"
)

func newAudit(c Config) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "List the newest records of the audit log",
		Long: `List the newest records of the audit log. It records sign-ins, changes of users,
rights, tokens, documents, sources, and settings, exports, and readings of conversations of others.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, end, err := c.Open(cmd)
			if err != nil {
				return err
			}
			defer end()
			all, err := db.Audit.Records(cmd.Context(), audit.Query{Limit: max(limit, 0)})
			if err != nil {
				return err
			}
			if len(all) == 0 {
				_, err := fmt.Fprintln(c.Out, "No records yet.")
				return err
			}
			w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, "TIME\tACTOR\tADDRESS\tACTION\tOBJECT")
			for _, r := range all {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", moment(r.Time), cmp.Or(r.Actor, "-"), cmp.Or(r.Address, "-"), r.Action, cmp.Or(r.Object, "-"))
			}
			return w.Flush()
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "number of records")
	return cmd
}
