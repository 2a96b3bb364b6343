package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"docent/internal/fault"
	"docent/payload"
)

// ErrNoChoice is the cause of a fault.NotFound that is about a collection or a
// model that a message names, not about the session.
var ErrNoChoice = errors.New("no such collection or model")

// choose refuses options that cannot be kept to.
func (c *conversation) choose(ctx context.Context, o payload.AskOptions) error {
	if o.Model == "" && len(o.Collections) == 0 || c.rt.cfg.Choices == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	there, err := c.rt.cfg.Choices(ctx)
	if err != nil {
		return fmt.Errorf("what a message may name: %w", err)
	}
	if o.Model != "" && !slices.Contains(there.Models, o.Model) {
		return fault.Wrap(fault.NotFound, ErrNoChoice, "no_model", "there is no model %.64q here", o.Model)
	}
	for _, name := range o.Collections {
		if !slices.Contains(there.Collections, name) {
			return fault.Wrap(fault.NotFound, ErrNoChoice, "no_collection", "there is no collection %.64q", name)
		}
	}
	return nil
}
