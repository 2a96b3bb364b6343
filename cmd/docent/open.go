package main

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"docent/auth"
	"docent/cmd/docent/admin"
	"docent/internal/fault"
	"docent/internal/wiring"
	"docent/rag/corpus"
)

// adding opens one part; it is an Add method of wiring.Parts.
type adding func(*wiring.Parts, context.Context) error

// The parts that several commands need.
var (
	retrieving = []adding{(*wiring.Parts).AddEmbedder, (*wiring.Parts).AddRetriever}
	answering  = []adding{wiring.NeedModel, (*wiring.Parts).AddEmbedder, (*wiring.Parts).AddRetriever, (*wiring.Parts).AddRAG}
	trying     = []adding{(*wiring.Parts).AddEmbedder, (*wiring.Parts).AddIngester, (*wiring.Parts).AddRetriever, (*wiring.Parts).AddRAG}
	ingesting  = []adding{(*wiring.Parts).AddEmbedder, (*wiring.Parts).AddIngester}
	sourcing   = []adding{(*wiring.Parts).AddSources}
	syncing    = []adding{(*wiring.Parts).AddEmbedder, (*wiring.Parts).AddIngester, (*wiring.Parts).AddSources}
)

// open reads the settings of a command and opens the database, then the given
// parts in this order. It creates a missing database. The command closes them.
func open(cmd *cobra.Command, std stdio, parts ...adding) (*wiring.Parts, error) {
	return openAll(cmd, std, append([]adding{(*wiring.Parts).AddDatabase}, parts...))
}

// openStored is open for commands that need stored data: it fails if there is no database.
func openStored(cmd *cobra.Command, std stdio, parts ...adding) (*wiring.Parts, error) {
	return openAll(cmd, std, append([]adding{needsFile, (*wiring.Parts).AddDatabase}, parts...))
}

// needsCollection fails if there is no collection with this name. "" means all collections.
func needsCollection(name string) adding {
	return func(p *wiring.Parts, ctx context.Context) error {
		return corpus.CheckCollections(ctx, p.Library, collections(name))
	}
}

// needsFile fails if the file of SQLite is missing. AddDatabase would create it.
func needsFile(p *wiring.Parts, _ context.Context) error {
	file := p.Config.SQLitePath()
	if p.Config.DatabaseURL != "" {
		return nil
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Invalid, "cli_no_database", "there is no database at %s; "+
			"docent serve and docent ingest create one; choose another folder with --data DIR", file)
	}
	return nil
}

func openAll(cmd *cobra.Command, std stdio, parts []adding) (*wiring.Parts, error) {
	cfg, err := load(cmd)
	if err != nil {
		return nil, err
	}
	p := wiring.New(cfg, wiring.NewLog(cfg, std.err, false))
	p.Progress = wiring.NewLog(cfg, std.err, true)
	for _, add := range parts {
		if err := add(p, cmd.Context()); err != nil {
			p.Close(cmd.Context())
			return nil, err
		}
	}
	return p, nil
}

// openAdmin opens the database for the commands of package admin.
func openAdmin(cmd *cobra.Command, std stdio) (db admin.Database, end func(), err error) {
	p, err := open(cmd, std)
	if err != nil {
		return db, nil, err
	}
	db = admin.Database{
		Users: p.DB.Users, Tokens: p.DB.Tokens, Rights: p.DB.Rights,
		Audit: p.DB.Audit, Directory: p.DB.Directory,
		Authenticator: func() (*auth.Authenticator, error) { return p.DB.Authenticator(auth.Config{Logger: p.Log}) },
	}
	return db, func() { p.Close(cmd.Context()) }, nil
}
