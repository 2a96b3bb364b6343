package agent

import (
	"context"

	"docent/internal/errlog"
)

func (t *Turn) log(ctx context.Context, what string, err error, attrs ...any) {
	errlog.Failure(ctx, t.env.Logger, t.start.ID, what, err, attrs...)
}
