package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"docent/backup"
	"docent/internal/wiring"
)

// backupOptions are the flags that docent backup and docent restore share.
type backupOptions struct {
	passphraseFile string
	dryRun         bool
}

func (o *backupOptions) flags(cmd *cobra.Command, dryRun string) {
	cmd.Flags().StringVar(&o.passphraseFile, "passphrase-file", "", "file whose first line is the passphrase of the backup")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, dryRun)
}

// showProgress returns a report that shows the rows so far.
func showProgress(std stdio) func(backup.Progress) {
	shown := int64(0)
	return func(p backup.Progress) {
		if p.Rows-shown >= 100_000 {
			shown = p.Rows
			fmt.Fprintf(std.err, "%d rows, in table %s\n", p.Rows, p.Table)
		}
	}
}

func newBackup(std stdio) *cobra.Command {
	var o backupOptions
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the database into a file, also while docent serves",
		Long: `Copies the whole database of one moment into a file: documents with their original
files, vectors, conversations, users, tokens, rights, sources, and webhooks. Servers
and commands can go on working. docent reads the new file again and checks it.

The format is the same for SQLite and Postgres; see docent restore. Secrets of sources
and webhooks stay encrypted with the key secret.key in the data folder, which is not
part of the backup.

With --passphrase-file, the file is encrypted with age.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			passphrase, err := backup.Passphrase(o.passphraseFile)
			if err != nil {
				return err
			}
			p, err := open(cmd, std)
			if err != nil {
				return err
			}
			defer p.Close(cmd.Context())
			header, err := backupHeader(cmd, p)
			if err != nil {
				return err
			}
			if o.dryRun {
				var size counter
				rows, err := backup.Write(cmd.Context(), &size, p.DB.Backup, header, showProgress(std))
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(std.out, "a backup would have %d rows and %.1f MB\n", rows, float64(size)/1e6)
				return err
			}
			rows, err := backup.Create(cmd.Context(), args[0], passphrase, p.DB.Backup, header, showProgress(std))
			if err != nil {
				return err
			}
			info, err := os.Stat(args[0])
			if err != nil {
				return fmt.Errorf("read backup: %w", err)
			}
			fmt.Fprintf(std.out, "wrote and checked %s: %d rows, %.1f MB\n", args[0], rows, float64(info.Size())/1e6)
			if key := filepath.Join(p.Config.Data, "secret.key"); p.Config.Sources.SecretKey == "" {
				if _, err := os.Stat(key); err == nil {
					fmt.Fprintf(std.out, "Keep %s too, in another place: it decrypts the secrets of sources and webhooks.\n", key)
				}
			}
			return nil
		},
	}
	o.flags(cmd, "write no file; report the size that it would have")
	return cmd
}

// counter counts bytes.
type counter int64

// Write implements io.Writer.
func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

var _ io.Writer = (*counter)(nil)

func backupHeader(cmd *cobra.Command, p *wiring.Parts) (backup.Header, error) {
	schema, _, err := p.DB.SchemaVersion(cmd.Context())
	if err != nil {
		return backup.Header{}, err
	}
	return backup.Header{Schema: schema, Program: version, Database: p.DB.Kind}, nil
}

func newRestore(std stdio) *cobra.Command {
	var o backupOptions
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Fill an empty database from a backup",
		Long: `Fills an empty database from a file of docent backup. The backup can come from SQLite
or Postgres, so this also moves data from one to the other. The database must have no
data, and no server may use it. After an error, it is still empty.`,
		Example: `  docent backup laptop.backup
  DATABASE_URL=postgres://user:password@host/database docent restore laptop.backup`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			passphrase, err := backup.Passphrase(o.passphraseFile)
			if err != nil {
				return err
			}
			in, err := backup.Open(args[0], passphrase)
			if err != nil {
				return err
			}
			defer in.Close()
			var h backup.Header
			var rows int64
			if o.dryRun {
				if h, rows, err = backup.Verify(cmd.Context(), in, showProgress(std)); err != nil {
					return err
				}
				_, err = fmt.Fprintf(std.out, "the backup is complete: %d rows of %s, made by docent %s at %s from %s, with version %d of the tables\n",
					rows, h.CreatedAt.Format("2 January 2006"), h.Program, h.CreatedAt.Format("15:04 MST"), h.Database, h.Schema)
				return err
			}
			p, err := open(cmd, std)
			if err != nil {
				return err
			}
			defer p.Close(cmd.Context())
			here, err := backupHeader(cmd, p)
			if err != nil {
				return err
			}
			if h, rows, err = backup.Restore(cmd.Context(), in, p.DB.Backup, here.Schema, showProgress(std)); err != nil {
				return err
			}
			_, err = fmt.Fprintf(std.out, "restored %d rows from %s into %s\n", rows, h.Database, p.DB.Kind)
			return err
		},
	}
	o.flags(cmd, "check the backup, and change no database")
	return cmd
}
