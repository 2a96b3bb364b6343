package main

import (
	"context"
	"fmt"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"docent/internal/fault"
	"docent/internal/wiring"
	"docent/webhook"
)

func newWebhook(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "webhook",
		Short: "Tell other programs about events",
		Long: `A webhook is a URL that gets a signed message about each event. A running server
sends the messages, and repeats them for about three days until the receiver
accepts them. The events are:

  document.ingested  a new document, or a new version of one, is stored
  document.failed    a document cannot be read
  answer.unanswered  the documents do not answer a question
  answer.rated       a user has rated an answer
  session.started    a conversation has begun
  digest.weekly      the weekly digest of things to do and questions`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newWebhookAdd(std), newWebhookLs(std), newWebhookRm(std), newWebhookDeliveries(std), newWebhookReplay(std))
	return cmd
}

// withWebhooks returns the run of a command that needs only the database.
func withWebhooks(std stdio, f func(ctx context.Context, p *wiring.Store, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		p, err := open(cmd, std)
		if err != nil {
			return err
		}
		defer p.Close(cmd.Context())
		return f(cmd.Context(), p, args)
	}
}

func newWebhookAdd(std stdio) *cobra.Command {
	var w webhook.Webhook
	var events []string
	cmd := &cobra.Command{
		Use:   "add URL",
		Short: "Add a webhook and print its secret once",
		Example: `  docent webhook add https://example.org/hook
  docent webhook add http://127.0.0.1:9000/hook --private --event answer.unanswered --content`,
		Args: cobra.ExactArgs(1),
	}
	cmd.RunE = withWebhooks(std, func(ctx context.Context, p *wiring.Store, args []string) error {
		w.URL = args[0]
		for _, name := range events {
			w.Events = append(w.Events, webhook.Event(name))
		}
		id, secret, err := p.Webhooks.Add(ctx, w)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(std.out, "added the webhook %d\nsecret: %s\nThe receiver checks signatures with the secret. docent shows it only now.\n", id, secret)
		return err
	})
	all := make([]string, len(webhook.Events))
	for i, e := range webhook.Events {
		all[i] = string(e)
	}
	cmd.Flags().StringSliceVar(&events, "event", all, "event to send; repeatable")
	cmd.Flags().BoolVar(&w.Content, "content", false, "also send questions, answers, and comments")
	cmd.Flags().BoolVar(&w.Private, "private", false, "allow an address that is not public, such as 127.0.0.1")
	return cmd
}

func newWebhookLs(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "ls",
		Short: "List the webhooks",
		Args:  cobra.NoArgs,
		RunE: withWebhooks(std, func(ctx context.Context, p *wiring.Store, _ []string) error {
			all, err := p.DB.Webhooks.Webhooks(ctx)
			if err != nil {
				return err
			}
			if len(all) == 0 {
				_, err := fmt.Fprintln(std.out, "No webhooks yet. Add one: docent webhook add URL")
				return err
			}
			out := tabwriter.NewWriter(std.out, 0, 4, 2, ' ', 0)
			fmt.Fprintln(out, "ID\tURL\tCONTENT\tPRIVATE\tEVENTS")
			for _, w := range all {
				fmt.Fprintf(out, "%d\t%s\t%s\t%s\t%s\n", w.ID, w.URL, yes(w.Content), yes(w.Private), webhook.Names(w.Events))
			}
			return out.Flush()
		}),
	}
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// rowID reads the id of a webhook or a delivery.
func rowID(text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		return 0, fault.New(fault.Invalid, "cli_id_invalid", "%q is no id", text)
	}
	return id, nil
}

func newWebhookRm(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "rm ID",
		Short: "Remove a webhook and its deliveries",
		Args:  cobra.ExactArgs(1),
		RunE: withWebhooks(std, func(ctx context.Context, p *wiring.Store, args []string) error {
			id, err := rowID(args[0])
			if err != nil {
				return err
			}
			if err := p.DB.Webhooks.RemoveWebhook(ctx, id); err != nil {
				return err
			}
			_, err = fmt.Fprintf(std.out, "removed the webhook %d\n", id)
			return err
		}),
	}
}

func newWebhookDeliveries(std stdio) *cobra.Command {
	var f webhook.Filter
	var body bool
	cmd := &cobra.Command{
		Use:   "deliveries",
		Short: "List the latest deliveries",
		Args:  cobra.NoArgs,
		RunE: withWebhooks(std, func(ctx context.Context, p *wiring.Store, _ []string) error {
			all, err := p.DB.Webhooks.Deliveries(ctx, f)
			if err != nil {
				return err
			}
			out := tabwriter.NewWriter(std.out, 0, 4, 2, ' ', 0)
			fmt.Fprintln(out, "ID\tWEBHOOK\tTIME\tEVENT\tSTATE\tATTEMPTS\tRESULT")
			for _, d := range all {
				fmt.Fprintf(out, "%d\t%d\t%s\t%s\t%s\t%d\t%s\n", d.ID, d.Webhook, d.CreatedAt.Local().Format(time.DateTime), d.Event, d.State(),
					d.Attempts,
					d.Result)
				if body {
					fmt.Fprintf(out, "%s\n", d.Body)
				}
			}
			return out.Flush()
		}),
	}
	cmd.Flags().Int64Var(&f.Webhook, "webhook", 0, "id of a webhook; 0 means all")
	cmd.Flags().BoolVar(&f.Failed, "failed", false, "only deliveries that used up their attempts")
	cmd.Flags().IntVar(&f.Limit, "limit", 50, "maximum number of deliveries")
	cmd.Flags().BoolVar(&body, "body", false, "also print the messages")
	return cmd
}

func newWebhookReplay(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "replay ID...",
		Short: "Deliver messages again",
		Args:  cobra.MinimumNArgs(1),
		RunE: withWebhooks(std, func(ctx context.Context, p *wiring.Store, args []string) error {
			for _, arg := range args {
				id, err := rowID(arg)
				if err != nil {
					return err
				}
				if err := p.DB.Webhooks.ReplayDelivery(ctx, id, time.Now()); err != nil {
					return err
				}
				fmt.Fprintf(std.out, "the delivery %d waits\n", id)
			}
			return nil
		}),
	}
}
