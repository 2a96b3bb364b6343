package wiring

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"docent/agent"
	"docent/agent/definition"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/store/sqlite"
)

// Trial runs an agent file outside of a server. It keeps conversations only while it
// is open, and not in the configured database.
type Trial struct {
	// Runtime runs the agent.
	Runtime *session.Runtime

	definition *definition.Definition
	store      *sqlite.Store
	dir        string
}

// NewTrial opens an agent file. Its runtime uses the store that wrap returns. The caller closes the
// Trial.
func NewTrial(
	ctx context.Context, a *Answers, readers *Readers, file string, wrap func(*agent.Agent, journal.Store) journal.Store,
) (_ *Trial, err error) {
	t := &Trial{}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.Close(ctx))
		}
	}()
	if t.definition, err = a.newAgent(ctx, file); err != nil {
		return nil, err
	}
	if t.dir, err = os.MkdirTemp("", "docent-trial-"); err != nil {
		return nil, fmt.Errorf("conversation: %w", err)
	}
	if t.store, err = sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(t.dir, "trial.db")}); err != nil {
		return nil, fmt.Errorf("conversation: %w", err)
	}
	host := hosting{conversations: wrap(t.definition.Agent, t.store), readers: readers}
	if t.Runtime, err = a.newRuntime(t.definition, host); err != nil {
		return nil, err
	}
	if err := t.Runtime.Start(ctx); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	return t, nil
}

// Close ends the runtime and removes its conversations. It also works if ctx has
// ended.
func (t *Trial) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	var errs []error
	if t.Runtime != nil {
		errs = append(errs, t.Runtime.Shutdown(ctx))
	}
	if t.definition != nil {
		errs = append(errs, t.definition.Close())
	}
	if t.store != nil {
		errs = append(errs, t.store.Close())
	}
	if t.dir != "" {
		errs = append(errs, os.RemoveAll(t.dir))
	}
	return errors.Join(errs...)
}
