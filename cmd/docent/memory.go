package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"docent/api"
	"docent/auth/audit"
	"docent/internal/fault"
	"docent/internal/wiring"
	"docent/rag/text"
)

func newMemory(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "memory",
		Short: "List and erase the facts that agents remember about users",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newMemoryLs(std), newMemoryRm(std))
	return cmd
}

// factsOf says whose facts a command reads.
type factsOf struct {
	owner, agent string
	from         remote
}

func (f *factsOf) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.owner, "owner", "", "user:NAME, token:NAME, or oidc:ISSUER#SUBJECT (default nobody, as without authentication)")
	cmd.Flags().StringVar(&f.agent, "agent", "", "only the facts of this agent (default all)")
	f.from.flags(cmd, "")
}

// remote reports whether to ask a server, which has only the facts about the user of the token.
func (f *factsOf) remote(cmd *cobra.Command) (bool, error) {
	elsewhere, err := f.from.check(cmd, "agent")
	if err == nil && elsewhere && f.owner != "" {
		err = fault.New(fault.Invalid, "cli_memory_owner",
			"a server has only the facts about the user of the token; leave --owner out, or use the command on the server's data folder")
	}
	return elsewhere, err
}

// open opens the database, and records an act on the facts about a user.
func (f *factsOf) open(cmd *cobra.Command, std stdio, act audit.Action) (*wiring.Store, error) {
	store, err := openStored(cmd, std)
	if err != nil || f.owner == "" {
		return store, err
	}
	if act == audit.MemoryRead && !store.Config.ReadConversations {
		store.Close(cmd.Context())
		return nil, fault.New(fault.Forbidden, "cli_memory_private",
			"the facts belong to %s; to read facts about others, set DOCENT_READ_CONVERSATIONS=true", f.owner)
	}
	if _, err := store.DB.Audit.AddRecord(cmd.Context(), audit.Record{Actor: audit.Operator, Action: act, Object: f.owner}); err != nil {
		store.Close(cmd.Context())
		return nil, fmt.Errorf("record the act: %w", err)
	}
	return store, nil
}

func newMemoryLs(std stdio) *cobra.Command {
	var asJSON bool
	var of factsOf
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the facts about a user",
		Long: `List the facts that agents remember about a user in all conversations. Facts about
others need DOCENT_READ_CONVERSATIONS=true, and docent records the reading in the audit
log. With --server, the facts are those about the user of the token.`,
		Example: `  docent memory ls --owner user:ann`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := of.list(cmd, std)
			if err != nil {
				return err
			}
			if asJSON {
				enc := json.NewEncoder(std.out)
				for _, f := range all {
					if err := enc.Encode(f); err != nil {
						return err
					}
				}
				return nil
			}
			if len(all) == 0 {
				_, err := fmt.Fprintln(std.out, "No facts.")
				return err
			}
			w := tabwriter.NewWriter(std.out, 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, "AGENT\tKEY\tFACT\tCHANGED\tUNTIL")
			for _, f := range all {
				until := "-"
				if f.ExpiresAt != nil {
					until = moment(*f.ExpiresAt)
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", oneLine(f.Agent), oneLine(f.Key),
					text.Shorten(oneLine(saidIn(f)), 60), moment(f.UpdatedAt), until)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per fact")
	of.flags(cmd)
	return cmd
}

// saidIn returns a text without quotes, and any other fact as JSON.
func saidIn(f api.Fact) string {
	var text string
	if json.Unmarshal(f.Value, &text) != nil {
		return string(f.Value)
	}
	return text
}

// list returns the facts of the server or of the database.
func (f *factsOf) list(cmd *cobra.Command, std stdio) ([]api.Fact, error) {
	elsewhere, err := f.remote(cmd)
	if err != nil {
		return nil, err
	}
	var out []api.Fact
	if elsewhere {
		var all []api.Fact
		if err := f.from.get(cmd.Context(), "/api/me/memory", nil, &all); err != nil {
			return nil, err
		}
		for _, one := range all {
			if f.agent == "" || one.Agent == f.agent {
				out = append(out, one)
			}
		}
		return out, nil
	}
	store, err := f.open(cmd, std, audit.MemoryRead)
	if err != nil {
		return nil, err
	}
	defer store.Close(cmd.Context())
	all, err := store.DB.Memories.Memories(cmd.Context(), f.owner, f.agent)
	if err != nil {
		return nil, fmt.Errorf("list facts: %w", err)
	}
	for _, m := range all {
		out = append(out, api.NewFact(m))
	}
	return out, nil
}

func newMemoryRm(std stdio) *cobra.Command {
	var all bool
	var of factsOf
	cmd := &cobra.Command{
		Use:   "rm KEY... | --all",
		Short: "Erase facts about a user",
		Long: `Erase facts that agents remember about a user, for example because the user asks for
it. docent records the act in the audit log if the facts belong to a user. With
--server, the facts are those about the user of the token.`,
		Example: `  docent memory rm --owner user:ann --agent shop size
  docent memory rm --owner user:ann --all`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, keys []string) error {
			if all != (len(keys) == 0) || slices.Contains(keys, "") {
				return fault.New(fault.Invalid,
					"cli_memory_keys", "name the keys of the facts to erase, or add --all; docent memory ls lists them")
			}
			if all {
				keys = []string{""}
			}
			erased, err := of.erase(cmd, std, keys)
			if err != nil {
				return err
			}
			if erased == 0 && !all {
				return fault.New(fault.NotFound,
					"cli_no_fact", "there is no fact with the key %s; docent memory ls lists them", strings.Join(keys, ", "))
			}
			_, err = fmt.Fprintf(std.out, "erased %s\n", plural(erased, "fact"))
			return err
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "erase all facts")
	of.flags(cmd)
	return cmd
}

// erase removes facts from the server or from the database. The key "" means all.
func (f *factsOf) erase(cmd *cobra.Command, std stdio, keys []string) (erased int, err error) {
	elsewhere, err := f.remote(cmd)
	if err != nil {
		return 0, err
	}
	forget := f.forget
	if !elsewhere {
		store, err := f.open(cmd, std, audit.MemoryErased)
		if err != nil {
			return 0, err
		}
		defer store.Close(cmd.Context())
		forget = func(ctx context.Context, key string) (int, error) {
			return store.DB.Memories.Forget(ctx, f.owner, f.agent, key)
		}
	}
	for _, key := range keys {
		n, err := forget(cmd.Context(), key)
		if err != nil {
			return erased, fmt.Errorf("erase facts: %w", err)
		}
		erased += n
	}
	return erased, nil
}

// forget erases facts at the server.
func (f *factsOf) forget(ctx context.Context, key string) (int, error) {
	query := url.Values{}
	for name, value := range map[string]string{"agent_name": f.agent, "key": key} {
		if value != "" {
			query.Set(name, value)
		}
	}
	var done struct{ Erased int }
	err := f.from.call(ctx, http.MethodDelete, "/api/me/memory?"+query.Encode(), nil, &done)
	return done.Erased, err
}
