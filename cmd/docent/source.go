package main

import (
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"docent/api"
	"docent/config"
	"docent/ingest/source"
	"docent/ingest/source/syncer"
	"docent/internal/fault"
	"docent/internal/wiring"
)

func newSource(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "source",
		Short: "Keep folders, websites, and other sources in sync",
		Long: `A source is a place with documents, such as a folder or a website. docent reads
changed documents again and removes deleted ones. A running server syncs each
source on its schedule. It follows changes in folders at once.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newSourceAdd(std), newSourceLs(std), newSourceSync(std), newSourcePause(std, true), newSourcePause(std, false), newSourceRm(std),
	)
	return cmd
}

// sourcesNamed returns the sources with these names, or all without names.
func sourcesNamed(ctx context.Context, manager *syncer.Manager, names []string) ([]source.Record, error) {
	all, err := manager.List(ctx)
	if err != nil || len(names) == 0 {
		return all, err
	}
	var out []source.Record
	for _, name := range names {
		found := false
		for _, r := range all {
			if r.Name == name {
				out, found = append(out, r), true
			}
		}
		if !found {
			return nil, fault.New(fault.NotFound, "cli_no_source", "there is no source %q; docent source ls lists them", name)
		}
	}
	return out, nil
}

func newSourceLs(std stdio) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the sources",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := openStored(cmd, std)
			if err != nil {
				return err
			}
			defer p.Close(cmd.Context())
			manager, err := wiring.OpenSources(p, nil)
			if err != nil {
				return err
			}
			all, err := manager.List(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				enc := json.NewEncoder(std.out)
				for _, r := range all {
					if err := enc.Encode(api.NewSource(r, time.Now())); err != nil {
						return err
					}
				}
				return nil
			}
			if len(all) == 0 {
				_, err := fmt.Fprintln(std.out, "No sources yet. Add one: docent source add folder PATH")
				return err
			}
			w := tabwriter.NewWriter(std.out, 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, "NAME\tKIND\tLOCATION\tCOLLECTION\tSCHEDULE\tSTATUS\tITEMS\tFAILED\tLAST SYNC")
			for _, r := range all {
				s := api.NewSource(r, time.Now())
				last := "never"
				if s.LastSync != nil {
					last = moment(s.LastSync.EndedAt)
				}
				if s.Progress != nil {
					s.Status += fmt.Sprintf(" %d/%d", s.Progress.Done, s.Progress.Total)
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\n",
					s.Name, s.Kind, s.Location, s.Collection, s.Schedule, s.Status, s.Items, s.Failed, last)
			}
			if err := w.Flush(); err != nil {
				return err
			}
			for _, r := range all {
				if r.Last != nil && r.Last.Error != "" {
					fmt.Fprintf(std.out, "failed: %s: %s\n", r.Name, r.Last.Error)
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per source")
	scoped(cmd, config.Sourced)
	return cmd
}

// newSourcePause returns the command that pauses a source, or the one that resumes it.
func newSourcePause(std stdio, pause bool) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "resume NAME",
		Short: "Follow the schedule of a source again",
		Long: `Follow the schedule of a paused source again. docent itself pauses a source if it
was killed twice while it read the source.`,
		Args: cobra.ExactArgs(1),
	}
	if pause {
		cmd.Use, cmd.Short = "pause NAME", "Do not follow the schedule of a source"
		cmd.Long = "Do not follow the schedule of a source. docent then syncs it only on request."
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p, err := openStored(cmd, std)
		if err != nil {
			return err
		}
		defer p.Close(cmd.Context())
		manager, err := wiring.OpenSources(p, nil)
		if err != nil {
			return err
		}
		found, err := sourcesNamed(cmd.Context(), manager, args)
		if err != nil {
			return err
		}
		if _, err := manager.Change(cmd.Context(), found[0].ID, source.Patch{Paused: &pause}); err != nil {
			return err
		}
		done := "resumed"
		if pause {
			done = "paused"
		}
		_, err = fmt.Fprintf(std.out, "%s %s\n", done, args[0])
		return err
	}
	scoped(cmd, config.Sourced)
	return cmd
}

func newSourceRm(std stdio) *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use:   "rm NAME",
		Short: "Remove a source and the documents that it added",
		Long: `Remove a source and the documents that it added. docent keeps documents that
existed before the source, and documents that another source also has.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := openReading(cmd, std)
			if err != nil {
				return err
			}
			defer p.Close(cmd.Context())
			manager, err := wiring.OpenSources(p.Store, p.Readers)
			if err != nil {
				return err
			}
			found, err := sourcesNamed(cmd.Context(), manager, args)
			if err != nil {
				return err
			}
			if err := manager.Remove(cmd.Context(), found[0].ID, keep); err != nil {
				return err
			}
			_, err = fmt.Fprintf(std.out, "removed %s\n", args[0])
			return err
		},
	}
	cmd.Flags().BoolVar(&keep, "keep-documents", false, "keep the documents")
	scoped(cmd, config.Chatting, config.Ingesting, config.Embedding, config.Sourced)
	return cmd
}
