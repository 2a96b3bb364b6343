package wiring

import (
	"io"
	"log/slog"

	"docent/config"
)

// NewLog returns the configured log. Commands that end by themselves report their
// results, so their log contains only problems: serving is false for them.
func NewLog(cfg config.Config, w io.Writer, serving bool) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.LogLevel)); err != nil || (level == slog.LevelInfo && !serving) {
		level = slog.LevelWarn
	}
	options := &slog.HandlerOptions{Level: level}
	if cfg.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
