package main

import (
	"fmt"
	"path/filepath"

	"docent/ingest"
	"docent/ingest/source"
	"docent/ingest/source/folder"
	"docent/ingest/source/syncer"
)

// sourceKinds are the kinds of sources. Each row names the settings of one kind
// and makes its sources.
func (a *app) sourceKinds() []source.Kind {
	return append([]source.Kind{{
		Name: "folder", Local: true, Watches: true, Schedule: "1h",
		Open: func(s source.Settings) (source.Source, error) { return folder.New(folder.Config{Path: s.Location}) },
	}}, a.networkKinds()...)
}

// addSources adds what looks after sources. It needs the database and the
// ingester.
func (a *app) addSources() error {
	vault, err := syncer.NewVault(filepath.Join(a.cfg.Data, "secret.key"), a.cfg.Sources.SecretKey)
	if err != nil {
		return fmt.Errorf("sources: %w", err)
	}
	cfg := syncer.Config{Sources: a.db, Items: a.db, Leases: a.db, Documents: a.db, Vault: vault, Kinds: a.sourceKinds(), Logger: a.log}
	if a.ingester != nil {
		cfg.Ingester = a.ingester
	} else {
		cfg.Ingester = (*ingest.Ingester)(nil) // a command that reads no documents
	}
	if a.sources, err = syncer.NewManager(cfg); err != nil {
		return fmt.Errorf("sources: %w", err)
	}
	return nil
}
