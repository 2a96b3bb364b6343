package session

import "log/slog"

// PageAlarms sets how many alarms are read at once.
func (r *Runtime) PageAlarms(n int) { r.alarms.page = n }

// Logger returns the logger of the runtime.
func (r *Runtime) Logger() *slog.Logger { return r.cfg.Logger }
