//go:build !unix

package wiring

import (
	"context"

	"docent/ingest/source"
)

// RunSourceWorker does nothing, because this system cannot pass connections to another
// process. The server itself reads sources.
func RunSourceWorker(context.Context) {}

func confined(k source.Kind, _ bool) source.Kind { return k }
