package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"docent/backup"
	"docent/ingest/source"
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

// showProgress returns a report that shows the rows so far: each second in a terminal, and
// every ten seconds otherwise.
func showProgress(std stdio) func(backup.Progress) {
	interval := 10 * time.Second
	if isTerminal(std.screen) {
		interval = time.Second
	}
	return backup.EachInterval(interval, time.Now, func(p backup.Progress) {
		fmt.Fprintf(std.err, "%d rows, in table %s\n", p.Rows, p.Table)
	})
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

docent replaces an existing file only when the backup is complete. It refuses a folder,
a symbolic link, a device, and -.

With --passphrase-file, the file is encrypted with age.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			passphrase, err := backup.Passphrase(o.passphraseFile)
			if err != nil {
				return err
			}
			p, err := openStored(cmd, std)
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
			rows, err := backup.Create(cmd.Context(), args[0], passphrase, p.DB.Backup, header, p.Config.MaxFileSize, showProgress(std))
			if err != nil {
				return err
			}
			info, err := os.Stat(args[0])
			if err != nil {
				return fmt.Errorf("read backup: %w", err)
			}
			if err := recordBackup(cmd.Context(), p, args[0], info.Size()); err != nil {
				fmt.Fprintf(std.err, "warning: the backup is complete, but the database has no record of it, so the console does not show it: %v\n", err)
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

// recordBackup records a complete backup for the console.
func recordBackup(ctx context.Context, p *wiring.Store, file string, size int64) error {
	place, err := filepath.Abs(file)
	if err != nil {
		return fmt.Errorf("record backup: %w", err)
	}
	return p.DB.Backups.AddBackup(ctx, backup.Run{At: time.Now(), Place: place, Size: size})
}

// counter counts bytes.
type counter int64

// Write implements io.Writer.
func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

var _ io.Writer = (*counter)(nil)

func backupHeader(cmd *cobra.Command, p *wiring.Store) (backup.Header, error) {
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
data, and no server may use it. If a table cannot be filled, it stays empty. At the
end, docent opens the database again and pauses its sources: a copy for a test must not
read the mail of the original. Webhooks are sent only with the secret.key of the original.`,
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
				cfg, err := load(cmd)
				if err != nil {
					return err
				}
				if h, rows, err = backup.Verify(cmd.Context(), in, cfg.MaxFileSize, showProgress(std)); err != nil {
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
			here, err := backupHeader(cmd, p)
			if err == nil {
				h, rows, err = backup.Restore(cmd.Context(), in, p.DB.Backup, here.Schema, p.Config.MaxFileSize, showProgress(std))
			}
			p.Close(cmd.Context())
			if err != nil {
				return err
			}
			paused, err := checkRestored(cmd, std, h.Revision)
			if err != nil {
				return err
			}
			fmt.Fprintf(std.out, "restored %d rows from %s into %s\n", rows, h.Database, here.Database)
			if paused > 0 {
				fmt.Fprintf(std.out, "%d sources are paused, so that a copy does not read them; to go on, run docent source resume NAME\n", paused)
			}
			return nil
		},
	}
	o.flags(cmd, "check the backup, and change no database")
	return cmd
}

// checkRestored opens the restored database again, as the next command will, and pauses
// its sources. It returns the number of paused sources.
func checkRestored(cmd *cobra.Command, std stdio, want int64) (paused int, err error) {
	p, err := openStored(cmd, std)
	if err != nil {
		return 0, fmt.Errorf("open the restored database: %w", err)
	}
	defer p.Close(cmd.Context())
	got, err := p.DB.Corpus.Revision(cmd.Context())
	if err != nil {
		return 0, err
	}
	if got.Number != want {
		return 0, fmt.Errorf("the restored database has revision %d, not %d", got.Number, want)
	}
	manager, err := wiring.OpenSources(p, nil)
	if err != nil {
		return 0, err
	}
	all, err := manager.List(cmd.Context())
	if err != nil {
		return 0, err
	}
	pause := true
	for _, r := range all {
		if _, err := manager.Change(cmd.Context(), r.ID, source.Patch{Paused: &pause}); err != nil {
			return 0, fmt.Errorf("pause the source %s: %w", r.Name, err)
		}
	}
	return len(all), nil
}
