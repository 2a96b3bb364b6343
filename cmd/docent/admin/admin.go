// Package admin has the commands for users, tokens, groups, the rights on collections, the
// conversations of users, and the audit log. They work on the database, also while a server
// uses it.
package admin

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"docent/agent/session/journal"
	"docent/auth"
	"docent/auth/audit"
	"docent/auth/rights"
	"docent/auth/rights/enforce"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// Config connects the commands with the program. All fields are required.
type Config struct {
	// In is the standard input.
	In io.Reader
	// Out is the standard output.
	Out io.Writer
	// Err is the standard error.
	Err io.Writer
	// Open opens the database of a command. The command calls end.
	Open func(cmd *cobra.Command) (db Database, end func(), err error)
	// Names lists the names of the collections, for completion. It creates no database.
	Names func(cmd *cobra.Command) ([]string, error)
}

// Database has the records that the commands read and change.
type Database struct {
	// Users stores users.
	Users auth.Users
	// Tokens stores tokens.
	Tokens auth.Tokens
	// Rights stores groups and rights.
	Rights rights.Store
	// Collections changes collections.
	Collections enforce.Collections
	// Library lists collections.
	Library corpus.Library
	// Audit keeps the audit log.
	Audit audit.Store
	// Directory lists and deletes conversations.
	Directory journal.Directory
	// Authenticator returns an authenticator. The caller closes it.
	Authenticator func() (*auth.Authenticator, error)
}

// Commands returns the commands.
func Commands(c Config) []*cobra.Command {
	return []*cobra.Command{newToken(c), newUser(c), newGroup(c), newCollection(c), newConversation(c), newAudit(c)}
}

// withAccounts runs f with the users and tokens of the database.
func (c Config) withAccounts(cmd *cobra.Command, f func(context.Context, *auth.Authenticator) error) error {
	db, end, err := c.Open(cmd)
	if err != nil {
		return err
	}
	defer end()
	accounts, err := db.Authenticator()
	if err != nil {
		return err
	}
	defer accounts.Close()
	return f(cmd.Context(), accounts)
}

// withRights runs f with the groups and rights of the database.
func (c Config) withRights(cmd *cobra.Command, f func(context.Context, rights.Store) error) error {
	db, end, err := c.Open(cmd)
	if err != nil {
		return err
	}
	defer end()
	return f(cmd.Context(), db.Rights)
}

// explain replaces a fault.NotFound by missing.
func explain(err, missing error) error {
	if fault.KindOf(err) == fault.NotFound {
		return missing
	}
	return err
}

// moment returns a time in the terminal's time zone.
func moment(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Local().Format("2006-01-02 15:04")
}
