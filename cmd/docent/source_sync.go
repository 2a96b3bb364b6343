package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"docent/config"
	"docent/ingest/source"
	"docent/ingest/source/syncer"
	"docent/internal/fault"
	"docent/internal/wiring"
)

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
			if len(found) == 0 && !asJSON {
				_, err := fmt.Fprintln(std.out, "No sources yet. Add one: docent source add folder PATH")
				return err
			}
			failed := false
			for _, r := range found {
				one := sourceSync{manager: manager, std: std, source: r, retry: retry, asJSON: asJSON}
				ok, err := one.run(cmd.Context())
				if err != nil {
					return err
				}
				failed = failed || !ok
			}
			if err := saveIndex(cmd.Context(), p.Store, p.Embedders); err != nil {
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
	scoped(cmd, config.Chatting, config.Ingesting, config.Embedding, config.Sourced)
	return cmd
}

// leasePoll is the interval at which sync tries again while another process syncs.
const leasePoll = 200 * time.Millisecond

// maxFailuresShown bounds the failures that a sync prints.
const maxFailuresShown = 100

// sourceSync syncs one source and reports it.
type sourceSync struct {
	manager *syncer.Manager
	std     stdio
	source  source.Record
	retry   bool
	asJSON  bool
}

// run syncs the source and prints the report. ok is false if the sync or an item
// failed.
func (s sourceSync) run(ctx context.Context) (ok bool, err error) {
	sum, failed := s.sync(ctx)
	if ctx.Err() != nil {
		return false, failed
	}
	if failed != nil && sum.Error == "" {
		sum.Fail(fault.TextOf(failed))
	}
	ok = failed == nil && sum.Failed == 0
	if s.asJSON {
		return ok, json.NewEncoder(s.std.out).Encode(sourceLine{s.source.Name, sum})
	}
	if sum.Failed > 0 {
		if err := s.printFailures(ctx, sum.Failed); err != nil {
			return false, err
		}
	}
	if sum.Error != "" {
		fmt.Fprintf(s.std.err, "failed: %s: %s\n", s.source.Name, sum.Error)
	}
	if failed != nil && sum.Added+sum.Changed+sum.Unchanged+sum.Removed+sum.Failed == 0 {
		return false, nil // there are no results to print
	}
	_, err = fmt.Fprintf(s.std.out, "%s: %d added, %d changed, %d unchanged, %d removed, %d failed in %.1f s\n",
		s.source.Name, sum.Added, sum.Changed, sum.Unchanged, sum.Removed, sum.Failed, sum.EndedAt.Sub(sum.StartedAt).Seconds())
	return ok, err
}

// sync syncs the source. If another process syncs it, sync waits for that process.
func (s sourceSync) sync(ctx context.Context) (source.Summary, error) {
	bar := newItemBar(s.std.screen, !s.asJSON)
	defer bar.stop()
	sum, failed := s.manager.Sync(ctx, s.source.ID, s.retry, bar.setItems)
	for said := false; fault.KindOf(failed) == fault.Conflict && sum.StartedAt.IsZero() && ctx.Err() == nil; said = true {
		if !said {
			fmt.Fprintf(s.std.err, "another process is syncing %s: waiting for it\n", s.source.Name)
		}
		select {
		case <-time.After(leasePoll):
		case <-ctx.Done():
		}
		sum, failed = s.manager.Sync(ctx, s.source.ID, s.retry, bar.setItems)
	}
	return sum, failed
}

// printFailures lists the failed items.
func (s sourceSync) printFailures(ctx context.Context, failed int) error {
	items, err := s.manager.Failures(ctx, s.source.ID, "", maxFailuresShown)
	if err != nil {
		return err
	}
	for _, it := range items {
		fmt.Fprintf(s.std.err, "failed: %s: %s\n", cmp.Or(it.Address, it.Key), it.Reason.Message)
	}
	if failed > len(items) {
		fmt.Fprintf(s.std.err, "failed: %d more\n", failed-len(items))
	}
	return nil
}
