package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newMigrate(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "Update the database schema",
		Long: `Update the database schema to this version of docent. Other commands do this too.
Run migrate to update the schema before you start a new version. docent refuses a
database of a newer version and leaves it unchanged.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := open(cmd, std)
			if err != nil {
				return err
			}
			defer p.Close(cmd.Context())
			current, latest, err := p.DB.SchemaVersion(cmd.Context())
			if err != nil {
				return fmt.Errorf("schema version: %w", err)
			}
			_, err = fmt.Fprintf(std.out, "the database is at version %d of %d\n", current, latest)
			return err
		},
	}
}
