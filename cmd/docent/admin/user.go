package admin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"docent/auth"
	"docent/internal/fault"
)

func newUser(c Config) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "user",
		Short: "Create, list, and delete users",
		Long: `Users sign in to the page with a name and a password if the server runs with
--auth. docent stores passwords as argon2id hashes. Names ignore case: Ann and ann
are the same user. Changes apply to running servers at once.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newUserCreate(c), newUserLs(c), newUserPassword(c), newUserScopes(c), newUserDelete(c))
	return cmd
}

func newUserCreate(c Config) *cobra.Command {
	var scopes string
	var piped bool
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Create a user",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			may, err := auth.ParseScopes(scopes)
			if err != nil {
				return fault.Wrap(fault.Invalid, err, "cli_scopes", "--scopes: %s", fault.TextOf(err))
			}
			return c.withAccounts(cmd, func(ctx context.Context, accounts *auth.Authenticator) error {
				password, err := readPassword(c, piped)
				if err != nil {
					return err
				}
				if err := accounts.CreateUser(ctx, args[0], password, may); err != nil {
					return err
				}
				_, err = fmt.Fprintf(c.Out, "created the user %s with the scopes %s\n", auth.UserName(args[0]), listed(may))
				return err
			})
		},
	}
	cmd.Flags().StringVar(&scopes, "scopes", string(auth.Ask), "scopes: ask, ingest, admin; comma-separated")
	addPiped(cmd, &piped)
	return cmd
}

func addPiped(cmd *cobra.Command, piped *bool) {
	cmd.Flags().BoolVar(piped, "password-stdin", false, "read the password from standard input")
}

// readPassword reads the first line of standard input, or asks twice at the terminal
// without echo.
func readPassword(c Config, piped bool) (string, error) {
	if piped {
		line, err := bufio.NewReader(io.LimitReader(c.In, auth.MaxPasswordBytes+2)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("read the password: %w", err)
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	file, is := c.In.(*os.File)
	if !is || !term.IsTerminal(int(file.Fd())) {
		return "", fault.New(fault.Invalid,
			"cli_no_terminal", "docent cannot ask for the password without a terminal; add --password-stdin and write the password to standard input")
	}
	var typed [2]string
	for i, prompt := range []string{"Password: ", "Repeat the password: "} {
		fmt.Fprint(c.Err, prompt)
		line, err := term.ReadPassword(int(file.Fd()))
		fmt.Fprintln(c.Err)
		if err != nil {
			return "", fmt.Errorf("read the password: %w", err)
		}
		typed[i] = string(line)
	}
	if typed[0] != typed[1] {
		return "", fault.New(fault.Invalid, "cli_passwords_differ", "the passwords differ; nothing was changed")
	}
	return typed[0], nil
}

func newUserLs(c Config) *cobra.Command {
	return &cobra.Command{
		Use:   "ls",
		Short: "List the users",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, end, err := c.Open(cmd)
			if err != nil {
				return err
			}
			defer end()
			all, err := db.Users.Users(cmd.Context())
			if err != nil {
				return err
			}
			if len(all) == 0 {
				_, err := fmt.Fprintln(c.Out, "No users yet. Make one: docent user create NAME")
				return err
			}
			w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, "NAME\tSCOPES\tCREATED")
			for _, u := range all {
				fmt.Fprintf(w, "%s\t%s\t%s\n", u.Name, listed(u.Scopes), moment(u.CreatedAt))
			}
			return w.Flush()
		},
	}
}

// noUser is the error for a user who does not exist.
func noUser(name string) error {
	return fault.New(fault.NotFound, "cli_no_user", "there is no user %q; docent user ls lists them", name)
}

func newUserPassword(c Config) *cobra.Command {
	var piped, revoke bool
	cmd := &cobra.Command{
		Use:   "password NAME",
		Short: "Change a password and sign the user out everywhere",
		Long: `Change a password and sign the user out everywhere. The user's tokens keep working
unless you add --revoke-tokens. Do that if somebody else had access to the account.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withAccounts(cmd, func(ctx context.Context, accounts *auth.Authenticator) error {
				password, err := readPassword(c, piped)
				if err != nil {
					return err
				}
				if err := accounts.SetPassword(ctx, args[0], password); err != nil {
					return explain(err, noUser(args[0]))
				}
				fmt.Fprintf(c.Out, "changed the password of %s and signed the user out everywhere\n", args[0])
				return c.userTokens(ctx, accounts, auth.UserName(args[0]), revoke)
			})
		},
	}
	cmd.Flags().BoolVar(&revoke, "revoke-tokens", false, "also revoke all tokens of the user")
	addPiped(cmd, &piped)
	return cmd
}

// userTokens revokes the tokens of a user, or lists them.
func (c Config) userTokens(ctx context.Context, accounts *auth.Authenticator, user string, revoke bool) error {
	tokens, err := accounts.UserTokens(ctx, user)
	if err != nil {
		return err
	}
	for _, t := range tokens {
		if !revoke {
			fmt.Fprintf(c.Out, "the token %s still works; to revoke it: docent token revoke %s\n", t.Name, t.Name)
			continue
		}
		if err := accounts.RevokeToken(ctx, t.Name); err != nil {
			return err
		}
		fmt.Fprintf(c.Out, "revoked %s\n", t.Name)
	}
	return nil
}

func newUserScopes(c Config) *cobra.Command {
	return &cobra.Command{
		Use:   "scopes NAME SCOPES",
		Short: "Set the scopes of a user: ask, ingest, admin; comma-separated",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			may, err := auth.ParseScopes(args[1])
			if err != nil {
				return err
			}
			return c.withAccounts(cmd, func(ctx context.Context, accounts *auth.Authenticator) error {
				if err := accounts.SetScopes(ctx, args[0], may); err != nil {
					return explain(err, noUser(args[0]))
				}
				_, err := fmt.Fprintf(c.Out, "%s may %s\n", auth.UserName(args[0]), listed(may))
				return err
			})
		},
	}
}

func newUserDelete(c Config) *cobra.Command {
	return &cobra.Command{
		Use:   "delete NAME",
		Short: "Delete a user with all logins and tokens",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withAccounts(cmd, func(ctx context.Context, accounts *auth.Authenticator) error {
				if err := accounts.DeleteUser(ctx, args[0]); err != nil {
					return explain(err, noUser(args[0]))
				}
				_, err := fmt.Fprintf(c.Out, "deleted the user %s\n", args[0])
				return err
			})
		},
	}
}
