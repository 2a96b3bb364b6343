package admin

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"docent/auth"
	"docent/internal/fault"
)

func newToken(c Config) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Create, list, and revoke API tokens",
		Long: `Programs use API tokens to access a server that runs with --auth. docent stores
only a hash of each token, so it shows a token once, when you create it. Changes
apply to running servers at once.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newTokenCreate(c), newTokenLs(c), newTokenRevoke(c))
	return cmd
}

func newTokenCreate(c Config) *cobra.Command {
	var name, scopes, expires, user string
	cmd := &cobra.Command{
		Use:   "create --name NAME",
		Short: "Create a token and print it",
		Long: `Create a token and print it. docent cannot show it again.

Scopes: chat (start conversations and rejoin them by their id, for tokens that
everybody can read), ask (search, ask, and hold conversations), ingest (add and
remove documents), admin (everything). With --user, the token acts on behalf of that user
and never has more scopes than the user. Without --user, the token owns the
conversations that it starts.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && name == "" {
				name = args[0]
			} else if len(args) == 1 || name == "" {
				return fault.New(fault.Invalid, "cli_token_name", "a token needs one name: docent token create --name NAME")
			}
			spec := auth.TokenSpec{Name: name, User: user}
			var err error
			if spec.Scopes, err = auth.ParseScopes(scopes); err != nil {
				return fault.Wrap(fault.Invalid, err, "cli_scopes", "--scopes: %s", fault.TextOf(err))
			}
			if spec.For, err = parseSpan(expires); err != nil {
				return err
			}
			return c.withAccounts(cmd, func(ctx context.Context, accounts *auth.Authenticator) error {
				token, err := accounts.CreateToken(ctx, spec)
				if err != nil {
					return err
				}
				fmt.Fprintln(c.Err, "This is the token. Store it now: docent cannot show it again.")
				_, err = fmt.Fprintln(c.Out, token)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "name of the token")
	cmd.Flags().StringVar(&scopes, "scopes", string(auth.Ask), "scopes: chat, ask, ingest, admin; comma-separated")
	cmd.Flags().StringVar(&expires, "expires", "", "lifetime of the token, such as 90d or 12h (default unlimited)")
	cmd.Flags().StringVar(&user, "user", "", "user on whose behalf the token acts (default none)")
	return cmd
}

// day is missing in package time.
const day = 24 * time.Hour

// parseSpan reads a time span such as 90d, 1d12h or 30m. "" is 0.
func parseSpan(s string) (time.Duration, error) {
	wrong := fault.New(fault.Invalid, "cli_expires", "--expires %.64q is not a time span such as 90d or 12h", s)
	if s == "" {
		return 0, nil
	}
	days, rest, has := strings.Cut(s, "d")
	var span time.Duration
	if has {
		n, err := strconv.ParseUint(days, 10, 16) // 179 years, which a Duration holds
		if err != nil {
			return 0, wrong
		}
		span = time.Duration(n) * day
	} else {
		rest = s
	}
	if rest != "" {
		more, err := time.ParseDuration(rest)
		if err != nil || more < 0 || span+more < span {
			return 0, wrong
		}
		span += more
	}
	if span <= 0 {
		return 0, wrong
	}
	return span, nil
}

func newTokenLs(c Config) *cobra.Command {
	return &cobra.Command{
		Use:   "ls",
		Short: "List the tokens",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, end, err := c.Open(cmd)
			if err != nil {
				return err
			}
			defer end()
			all, err := db.Tokens.Tokens(cmd.Context())
			if err != nil {
				return err
			}
			if len(all) == 0 {
				_, err := fmt.Fprintln(c.Out, "No tokens yet. Make one: docent token create --name NAME")
				return err
			}
			w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, "NAME\tSCOPES\tUSER\tCREATED\tEXPIRES\tLAST USED")
			for _, t := range all {
				expires := moment(t.ExpiresAt)
				if !t.ExpiresAt.IsZero() && !time.Now().Before(t.ExpiresAt) {
					expires += " (over)"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", t.Name, listed(t.Scopes), t.User, moment(t.CreatedAt), expires, moment(t.LastUsedAt))
			}
			return w.Flush()
		},
	}
}

// listed returns scopes as in flags and lists.
func listed(scopes auth.Scopes) string { return strings.ReplaceAll(scopes.String(), " ", ",") }

func newTokenRevoke(c Config) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke NAME",
		Short: "Revoke a token",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withAccounts(cmd, func(ctx context.Context, accounts *auth.Authenticator) error {
				if err := accounts.RevokeToken(ctx, args[0]); err != nil {
					return explain(err, fault.New(fault.NotFound, "cli_no_token", "there is no token %q; docent token ls lists them", args[0]))
				}
				_, err := fmt.Fprintf(c.Out, "revoked %s\n", args[0])
				return err
			})
		},
	}
}
