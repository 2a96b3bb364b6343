package session

import "log/slog"

// WithAlarmPage returns a configuration that reads n alarms at once.
func (c RuntimeConfig) WithAlarmPage(n int) RuntimeConfig {
	c.alarmPage = n
	return c
}

// Logger returns the logger of the runtime.
func (r *Runtime) Logger() *slog.Logger { return r.cfg.Logger }
