package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"docent/config"
	"docent/ingest/enrich"
	"docent/internal/fault"
	"docent/internal/wiring"
)

// enriching are the options of `docent ingest --enrich`.
type enriching struct {
	on  bool
	yes bool // do not ask
}

// check fails if enrichment cannot run with the other options.
func (o enriching) check(watch, model bool) error {
	switch {
	case !o.on && o.yes:
		return fault.New(fault.Invalid, "cli_yes_without_enrich", "--yes confirms the calls of --enrich: add --enrich")
	case !o.on:
		return nil
	case watch:
		return fault.New(fault.Invalid, "cli_enrich_watch", "--enrich does not work with --watch: run docent ingest --enrich from time to time")
	case !model:
		return fault.New(fault.Invalid, "cli_enrich_model",
			"--enrich needs a chat model: set DOCENT_MODEL, and OPENAI_API_KEY or DOCENT_LLM_URL")
	}
	return nil
}

// enrichmentLine reports the enrichment in `ingest --json`; its keys are a
// contract.
type enrichmentLine struct {
	Written int `json:"written"`
	Reused  int `json:"reused"`
	Failed  int `json:"failed"`
	// Unusable counts the passages for which the model wrote no usable text.
	Unusable int `json:"unusable"`
}

// enrich lets the chat model write about all passages that lack an enrichment. It
// asks before it calls the model.
func (in *ingestion) enrich(ctx context.Context) error {
	models, err := wiring.OpenModels(in.Store.Base)
	if err != nil {
		return err
	}
	model := models.ModelFor(config.UseEnrichment)
	e, err := enrich.New(enrich.Config{Store: in.DB.Enrichments, Model: model})
	if err != nil {
		return err
	}
	work, err := e.Estimate(ctx)
	if err != nil {
		return fmt.Errorf("estimate: %w", err)
	}
	in.bar.stop()
	if work.Calls > 0 {
		price := "The price depends on its server."
		if named, _ := in.Config.Named(model.Name()); named.Price != (config.Price{}) {
			price = fmt.Sprintf("The price is about %.2f.", named.Price.Of(work.PromptTokens, work.AnswerTokens))
		}
		fmt.Fprintf(in.std.err, "%s: the model %s needs %s, reads about %d tokens, and writes about %d. %s\n",
			plural(work.Passages, "passage"), model.Name(), plural(work.Calls, "call"), work.PromptTokens, work.AnswerTokens, price)
		if ok, err := in.confirmed(); err != nil || !ok {
			return err
		}
	}
	report, err := e.Run(ctx, func(r enrich.Report) {
		fmt.Fprintf(in.std.err, "%d of %d calls done, %d failed\n", r.Written+r.Unusable, work.Calls, r.Failed)
	})
	if err != nil {
		return err
	}
	if report.Failed > 0 {
		in.summary.Failed++
		fmt.Fprintf(in.std.err, "%s failed, the last one: %v; run docent ingest --enrich again\n", plural(report.Failed, "enrichment"),
			report.Err)
	}
	if report.Unusable > 0 {
		fmt.Fprintf(in.std.err, "the model wrote no usable questions for %s; docent asks again only if the passage or the model changes\n",
			plural(report.Unusable, "passage"))
	}
	if in.asJSON {
		return in.enc.Encode(map[string]enrichmentLine{"enrichment": {report.Written, report.Reused, report.Failed, report.Unusable}})
	}
	_, err = fmt.Fprintf(in.std.out, "%d enriched, %d reused, %d failed, %d without usable questions\n",
		report.Written, report.Reused, report.Failed, report.Unusable)
	return err
}

// confirmed asks on a terminal whether to call the model. Without a terminal, it
// needs --yes.
func (in *ingestion) confirmed() (bool, error) {
	if in.enriching.yes {
		return true, nil
	}
	file, is := in.std.in.(*os.File)
	if !is || !term.IsTerminal(int(file.Fd())) {
		return false, fault.New(fault.Invalid, "cli_enrich_confirm", "--enrich asks before it calls the model: add --yes")
	}
	fmt.Fprint(in.std.err, "Continue? [y/N] ")
	line, err := bufio.NewReader(file).ReadString('\n')
	if err != nil {
		return false, fault.New(fault.Invalid, "cli_enrich_confirm", "--enrich asks before it calls the model: add --yes")
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}
