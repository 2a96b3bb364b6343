// Package wiring builds docent from its settings. Each function makes one part and takes the parts
// that it needs, so the types give the order:
//
//	New             settings and logs
//	OpenStore       the database
//	OpenEmbedders   the embedder and the encoders
//	OpenIndexes     the retriever and its indexes
//	OpenReaders     the reader of documents
//	OpenModels      the chat model
//	OpenAnswers     the answering
//	OpenSources     the sources
//	NewServer       all of them behind one port
//
// This is the only package that knows every concrete type.
package wiring

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/agent/tool"
	"docent/config"
	"docent/internal/cores"
	"docent/internal/quota"
	"docent/internal/trace"
	"docent/llm"
)

// Base has the settings and logs of all parts.
type Base struct {
	// Config holds the settings.
	Config config.Config
	// Log receives the messages of all parts.
	Log *slog.Logger
	// Progress receives messages about long work on indexes. New sets it to Log.
	Progress *slog.Logger
	// Functions are the functions that agent files may call. A program sets them.
	Functions []tool.Tool
	// Models are chat models of a program by the names of Config.ChatModels. A program sets them.
	Models map[string]llm.Model

	metrics *metrics.Set
}

// New returns a Base with the settings.
func New(cfg config.Config, log *slog.Logger) Base {
	return Base{Config: cfg, Log: log, Progress: log, metrics: metrics.NewSet()}
}

// service has the parts that only a server has. It is zero in commands.
type service struct {
	cores  *cores.Pool // bounds embedding and indexing
	quotas *quota.Quotas
	tracer *trace.Tracer // nil while tracing is off
}

// closeTimeout bounds how long closing takes.
const closeTimeout = 5 * time.Second

// closeParts closes parts in order and logs failures. It also works if ctx has ended.
func (b Base) closeParts(ctx context.Context, parts ...func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	var errs []error
	for _, part := range parts {
		errs = append(errs, part(ctx))
	}
	if err := errors.Join(errs...); err != nil {
		b.Log.Warn("close", "error", err)
	}
}
