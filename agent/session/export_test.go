package session

import "log/slog"

// Limits are bounds of a runtime that only tests change.
type Limits = limits

// With returns the configuration with other bounds.
func (c RuntimeConfig) With(l Limits) RuntimeConfig {
	c.limits = l
	return c
}

// Logger returns the logger of the runtime.
func (r *Runtime) Logger() *slog.Logger { return r.cfg.Logger }
