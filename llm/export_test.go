package llm

import (
	"context"
	"time"
)

// SetWait replaces the pauses between retries.
func (o *OpenAI) SetWait(wait func(context.Context, time.Duration) error) { o.wait = wait }

// Config returns the completed configuration.
func (o *OpenAI) Config() Config { return o.cfg }
