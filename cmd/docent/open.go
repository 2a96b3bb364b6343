package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"docent/auth"
	"docent/auth/rights/enforce"
	"docent/cmd/docent/admin"
	"docent/config"
	"docent/internal/fault"
	"docent/internal/wiring"
	"docent/rag/corpus"
)

// base returns the settings and logs of a command.
func base(cfg config.Config, std stdio) wiring.Base {
	b := wiring.New(cfg, wiring.NewLog(cfg, std.err, false))
	b.Progress = wiring.NewLog(cfg, std.err, true)
	return b
}

// open reads the settings of a command and opens the database. It creates a missing
// database. The command closes it.
func open(cmd *cobra.Command, std stdio) (*wiring.Store, error) {
	cfg, err := load(cmd)
	if err != nil {
		return nil, err
	}
	return wiring.OpenStore(cmd.Context(), base(cfg, std))
}

// openStored is open for commands that need stored data: it fails if there is no database.
func openStored(cmd *cobra.Command, std stdio) (*wiring.Store, error) {
	cfg, err := load(cmd)
	if err != nil {
		return nil, err
	}
	if err := needsFile(cfg); err != nil {
		return nil, err
	}
	return wiring.OpenStore(cmd.Context(), base(cfg, std))
}

// needsFile fails if the file of SQLite is missing. OpenStore would create it.
func needsFile(cfg config.Config) error {
	file := cfg.SQLitePath()
	if cfg.DatabaseURL != "" {
		return nil
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Invalid, "cli_no_database", "there is no database at %s; "+
			"docent serve and docent ingest create one; choose another folder with --data DIR", file)
	}
	return nil
}

// completionTime bounds the wait for names while a shell completes.
const completionTime = 3 * time.Second

// completeCollections lets shells complete the flag --collection with the names of the server in from, or in the database.
func completeCollections(cmd *cobra.Command, std stdio, from *remote) {
	completeCollection(cmd, std, from, "collection")
}

// completeCollection completes the names of collections after a flag.
func completeCollection(cmd *cobra.Command, std stdio, from *remote, flag string) {
	complete(cmd, flag, func(cmd *cobra.Command) ([]string, error) { return collectionNames(cmd, std, from) })
}

// completeStored completes the flag --collection of all commands that work only on the database.
func completeStored(cmd *cobra.Command, std stdio) {
	if _, done := cmd.GetFlagCompletionFunc("collection"); !done && cmd.Flags().Lookup("collection") != nil {
		completeCollections(cmd, std, new(remote))
	}
	for _, sub := range cmd.Commands() {
		completeStored(sub, std)
	}
}

// completeModels completes the flag --model with the models of the server in from.
func completeModels(cmd *cobra.Command, from *remote) {
	complete(cmd, "model", func(cmd *cobra.Command) ([]string, error) {
		if elsewhere, err := from.check(cmd, "model"); err != nil || !elsewhere {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
		defer cancel()
		return from.models(ctx)
	})
}

// complete completes a flag with names.
func complete(cmd *cobra.Command, flag string, names func(*cobra.Command) ([]string, error)) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		found, err := names(cmd)
		if err != nil { // a shell has no place for the reason
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the command has no such flag
	}
}

// collectionNames lists the collections of a server, or of the database.
func collectionNames(cmd *cobra.Command, std stdio, from *remote) ([]string, error) {
	elsewhere, err := from.check(cmd)
	if err != nil {
		return nil, err
	}
	if elsewhere {
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
		defer cancel()
		return from.collections(ctx)
	}
	s, err := openStored(cmd, std)
	if err != nil {
		return nil, err
	}
	defer s.Close(cmd.Context())
	all, err := s.DB.Library.Collections(cmd.Context())
	if err != nil {
		return nil, fmt.Errorf("list collections: %w", err)
	}
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name
	}
	return names, nil
}

// needsCollection fails if there is no collection with this name. "" means all collections.
func needsCollection(ctx context.Context, s *wiring.Store, name string) error {
	return corpus.CheckCollections(ctx, s.DB.Library, collections(name))
}

// finding has the parts of a command that searches.
type finding struct {
	*wiring.Store
	*wiring.Embedders
	*wiring.Indexes
}

// openFinding opens the indexes of a database, and closes the database if that fails.
func openFinding(ctx context.Context, s *wiring.Store) (f finding, err error) {
	defer closeFailed(ctx, s, &err)
	f.Store = s
	if f.Embedders, err = wiring.OpenEmbedders(ctx, s.Base); err != nil {
		return f, err
	}
	f.Indexes, err = wiring.OpenIndexes(ctx, s, f.Embedders)
	return f, err
}

// closeFailed closes a database after an error.
func closeFailed(ctx context.Context, s *wiring.Store, err *error) {
	if *err != nil {
		s.Close(ctx)
	}
}

// answering has the parts of a command that answers.
type answering struct {
	finding
	*wiring.Answers
}

// openAnswering opens the parts that answer from a collection; "" means all.
func openAnswering(cmd *cobra.Command, std stdio, collection string) (a answering, err error) {
	ctx := cmd.Context()
	s, err := open(cmd, std)
	if err != nil {
		return a, err
	}
	if err = needsCollection(ctx, s, collection); err == nil {
		err = wiring.NeedModel(s.Config)
	}
	if err != nil {
		s.Close(ctx)
		return a, err
	}
	if a.finding, err = openFinding(ctx, s); err != nil {
		return a, err
	}
	defer closeFailed(ctx, s, &err)
	a.Answers, err = wiring.OpenAnswers(s, a.Embedders, a.Indexes)
	return a, err
}

// reading has the parts of a command that reads documents.
type reading struct {
	*wiring.Store
	*wiring.Embedders
	*wiring.Readers
}

// openReading opens the parts that read documents into the database.
func openReading(cmd *cobra.Command, std stdio) (r reading, err error) {
	if r.Store, err = open(cmd, std); err != nil {
		return r, err
	}
	defer closeFailed(cmd.Context(), r.Store, &err)
	if r.Embedders, err = wiring.OpenEmbedders(cmd.Context(), r.Base); err != nil {
		return r, err
	}
	r.Readers, err = wiring.OpenReaders(r.Store, r.Embedders)
	return r, err
}

// Close closes the readers and the database.
func (r reading) Close(ctx context.Context) {
	r.Readers.Close(ctx)
	r.Store.Close(ctx)
}

// openAdmin opens the database for the commands of package admin.
func openAdmin(cmd *cobra.Command, std stdio) (db admin.Database, end func(), err error) {
	s, err := open(cmd, std)
	if err != nil {
		return db, nil, err
	}
	db = admin.Database{
		Users: s.DB.Users, Tokens: s.DB.Tokens, Rights: s.DB.Rights,
		Audit: s.DB.Audit, Directory: s.DB.Directory, Library: s.DB.Library,
		Collections:   enforce.NewCollections(nil, s.DB.Collections, s.DB.Library, s.DB.Documents),
		Authenticator: func() (*auth.Authenticator, error) { return s.DB.Authenticator(auth.Config{Logger: s.Log}) },
	}
	return db, func() { s.Close(cmd.Context()) }, nil
}
