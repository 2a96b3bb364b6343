package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docent/auth/audit"
	"docent/internal/wiring"
)

func newConfigRotate(std stdio) *cobra.Command {
	var old string
	cmd := &cobra.Command{
		Use:   "rotate-key",
		Short: "Encrypt all stored secrets with a new key",
		Long: `Stored keys of chat models, secrets of sources, and secrets of webhooks are
encrypted with the file secret.key in the data folder, or with DOCENT_SECRET_KEY.

With the file, the command makes a new key, encrypts all secrets with it, and
replaces the file. The old key is useless then. If the command is killed, run it
again: docent reads both keys until it is complete. A server can run meanwhile. If
several machines have a copy of the file, stop the other servers, and copy the new
file to them.

With DOCENT_SECRET_KEY, stop all servers, write the old key to a file, set
DOCENT_SECRET_KEY to the new key, and run the command with --old-key-file. Then
start the servers with the new key.`,
		Example: `  docent config rotate-key
  DOCENT_SECRET_KEY=$(openssl rand -hex 32) docent config rotate-key --old-key-file old.key`,
		Args: cobra.NoArgs,
	}
	cmd.RunE = withWebhooks(std, func(ctx context.Context, p *wiring.Store, _ []string) error {
		done, err := p.RotateKey(ctx, old)
		if err != nil {
			return err
		}
		if err := audit.NewLog(p.DB.Audit, p.Log).Add(ctx, audit.Record{Actor: audit.Operator, Action: audit.KeyRotated}); err != nil {
			return fmt.Errorf("audit: %w", err)
		}
		slices.Sort(done.Lost)
		fmt.Fprintf(std.out, "encrypted %s with the new key\n", plural(len(done.Changed), "secret"))
		if len(done.Lost) > 0 {
			fmt.Fprintf(std.out, "no key decrypts these secrets; enter them again: %s\n", strings.Join(done.Lost, ", "))
		}
		return nil
	})
	cmd.Flags().StringVar(&old, "old-key-file", "", "file with an earlier key")
	return cmd
}
