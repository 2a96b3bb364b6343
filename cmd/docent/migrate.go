package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newMigrate(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "Bring the database's tables up to date",
		Long: `Brings the database's tables up to date, which every other command does as
well; run it by itself to do so before a new version serves. A database made by a
newer docent is refused and left as it is.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := openStore(cmd, std)
			if err != nil {
				return err
			}
			defer a.close()
			current, latest, err := a.db.SchemaVersion(cmd.Context())
			if err != nil {
				return fmt.Errorf("schema version: %w", err)
			}
			_, err = fmt.Fprintf(std.out, "the database is at version %d of %d\n", current, latest)
			return err
		},
	}
}
