package wiring

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docent/agent/session/journal"
	"docent/auth"
)

// ErrRestart is the error of Serve after a change that needs another Server on the same data.
var ErrRestart = errors.New("the server restarts")

// Setup returns the one-time code with which the browser sets up a new installation, or "" for an installation with
// users, settings, documents, or conversations. Call it at most once, before Start.
func (s *Server) Setup(ctx context.Context) (code string, err error) {
	fresh, err := s.fresh(ctx)
	if err != nil || !fresh {
		return "", err
	}
	s.setup, code = auth.NewSetup(time.Now, s.setUp)
	return code, nil
}

// fresh reports whether nobody has used the installation.
func (s *Store) fresh(ctx context.Context) (bool, error) {
	users, err := s.DB.Users.Users(ctx)
	tokens, failed := s.DB.Tokens.Tokens(ctx)
	records, unread := s.DB.Settings.Settings(ctx)
	sessions, unlisted := s.DB.Directory.Sessions(ctx, journal.SessionFilter{Limit: 1})
	collections, uncounted := s.DB.Library.Collections(ctx)
	if err := errors.Join(err, failed, unread, unlisted, uncounted); err != nil {
		return false, fmt.Errorf("first start: %w", err)
	}
	for _, c := range collections {
		if c.Documents+c.Failed > 0 {
			return false, nil
		}
	}
	return len(users)+len(tokens)+len(records)+len(sessions) == 0, nil
}

// setUp creates the first administrator and turns authentication on, which restarts the server.
func (s *Server) setUp(ctx context.Context, name, password string) (restarts bool, err error) {
	accounts := s.authenticator
	if accounts == nil {
		if accounts, err = s.DB.Authenticator(auth.Config{Logger: s.Log}); err != nil {
			return false, err
		}
		defer accounts.Close()
	}
	if err := accounts.CreateUser(ctx, name, password, auth.Scopes{auth.Ask, auth.Ingest, auth.Admin}); err != nil {
		return false, err //nolint:wrapcheck // it says what failed
	}
	if s.authenticator != nil {
		return false, nil
	}
	if err := s.Settings.Set(ctx, "auth", "true"); err != nil {
		return false, errors.Join(err, accounts.DeleteUser(ctx, name))
	}
	close(s.restart)
	return true, nil
}
