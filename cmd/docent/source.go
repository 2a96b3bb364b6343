package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"docent/api"
	"docent/config"
	"docent/ingest/source"
	"docent/internal/fault"
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
	cmd.AddCommand(newSourceAdd(std), newSourceLs(std), newSourceSync(std), newSourceRm(std))
	return cmd
}

// openSources opens the database and the manager of sources, without the reader of
// documents.
func openSources(cmd *cobra.Command, std stdio) (*app, error) {
	a, err := openStore(cmd, std)
	if err != nil {
		return nil, err
	}
	if err := a.addSources(); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// openSyncing adds the reader of documents.
func openSyncing(cmd *cobra.Command, std stdio) (*app, error) {
	a, err := openIngest(cmd, std)
	if err != nil {
		return nil, err
	}
	if err := a.addSources(); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// sourcesNamed returns the sources with these names, or all without names.
func (a *app) sourcesNamed(ctx context.Context, names []string) ([]source.Record, error) {
	all, err := a.sources.List(ctx)
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
			a, err := openSources(cmd, std)
			if err != nil {
				return err
			}
			defer a.close()
			all, err := a.sources.List(cmd.Context())
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
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\n", s.Name, s.Kind, s.Location, s.Collection, s.Schedule, s.Status, s.Items, s.Failed, last)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per source")
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
			a, err := openSyncing(cmd, std)
			if err != nil {
				return err
			}
			defer a.close()
			found, err := a.sourcesNamed(cmd.Context(), args)
			if err != nil {
				return err
			}
			if err := a.sources.Remove(cmd.Context(), found[0].ID, keep); err != nil {
				return err
			}
			_, err = fmt.Fprintf(std.out, "removed %s\n", args[0])
			return err
		},
	}
	cmd.Flags().BoolVar(&keep, "keep-documents", false, "keep the documents")
	scoped(cmd, config.Ingesting, config.Embedding, config.Sourced)
	return cmd
}

// sourceLine is a line of `source sync --json`; its keys are a contract.
type sourceLine struct {
	Source string `json:"source"`
	source.Summary
}

func newSourceSync(std stdio) *cobra.Command {
	var asJSON, retry bool
	cmd := &cobra.Command{
		Use:   "sync [NAME...]",
		Short: "Sync sources now",
		Long: `Sync the named sources, or all sources. You can run this while a server runs: the
server sees each document as soon as it is stored. Unchanged items are skipped.
Items that could not be fetched are tried again. With --retry, docent tries all
failed items again.

Exit status: 0 all items were read, 1 some items or sources failed, 2 usage error.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := openSyncing(cmd, std)
			if err != nil {
				return err
			}
			defer a.close()
			found, err := a.sourcesNamed(cmd.Context(), args)
			if err != nil {
				return err
			}
			if len(found) == 0 && !asJSON {
				_, err := fmt.Fprintln(std.out, "No sources yet. Add one: docent source add folder PATH")
				return err
			}
			failed := false
			for _, r := range found {
				ok, err := a.syncSource(cmd, std, r, retry, asJSON)
				if err != nil {
					return err
				}
				failed = failed || !ok
			}
			if err := a.saveIndex(cmd); err != nil {
				return err
			}
			if failed {
				return errFailed
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per source")
	cmd.Flags().BoolVar(&retry, "retry", false, "retry failed items even if they have not changed")
	scoped(cmd, config.Ingesting, config.Embedding, config.Sourced)
	return cmd
}

// leasePoll is how often sync tries again while another process syncs.
const leasePoll = 200 * time.Millisecond

// maxFailuresShown bounds the failures that a sync prints.
const maxFailuresShown = 100

// syncSource syncs one source and reports it; ok is false if anything failed.
func (a *app) syncSource(cmd *cobra.Command, std stdio, r source.Record, retry, asJSON bool) (ok bool, err error) {
	ctx := cmd.Context()
	bar := newItemBar(std.err, !asJSON)
	defer bar.stop()
	sum, failed := a.sources.Sync(ctx, r.ID, retry, bar.setItems)
	for said := false; fault.KindOf(failed) == fault.Conflict && sum.StartedAt.IsZero() && ctx.Err() == nil; said = true {
		if !said {
			fmt.Fprintf(std.err, "%s is being synced by another process: waiting for that to end\n", r.Name)
		}
		select {
		case <-time.After(leasePoll):
		case <-ctx.Done():
		}
		sum, failed = a.sources.Sync(ctx, r.ID, retry, bar.setItems)
	}
	bar.stop()
	if ctx.Err() != nil {
		return false, failed
	}
	if failed != nil && sum.Error == "" {
		sum.Fail(fault.TextOf(failed))
	}
	if asJSON {
		return failed == nil && sum.Failed == 0, json.NewEncoder(std.out).Encode(sourceLine{r.Name, sum})
	}
	if sum.Failed > 0 {
		items, err := a.sources.Failures(ctx, r.ID, "", maxFailuresShown)
		if err != nil {
			return false, err
		}
		for _, it := range items {
			name := it.Address
			if name == "" {
				name = it.Key
			}
			fmt.Fprintf(std.err, "failed: %s: %s\n", name, it.Reason.Message)
		}
		if sum.Failed > len(items) {
			fmt.Fprintf(std.err, "failed: %d more\n", sum.Failed-len(items))
		}
	}
	if sum.Error != "" {
		fmt.Fprintf(std.err, "failed: %s: %s\n", r.Name, sum.Error)
	}
	if failed != nil && sum.Added+sum.Changed+sum.Unchanged+sum.Removed+sum.Failed == 0 {
		return false, nil // there is nothing to sum up
	}
	_, err = fmt.Fprintf(std.out, "%s: %d added, %d changed, %d unchanged, %d removed, %d failed in %.1f s\n",
		r.Name, sum.Added, sum.Changed, sum.Unchanged, sum.Removed, sum.Failed, sum.EndedAt.Sub(sum.StartedAt).Seconds())
	return failed == nil && sum.Failed == 0, err
}

// quoted lists names for people.
func quoted(names []string) string { return strings.Join(names, ", ") }
