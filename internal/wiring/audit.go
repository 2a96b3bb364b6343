package wiring

import (
	"context"
	"time"

	"docent/auth/audit"
)

// keepLog removes old records of the audit log until ctx ends.
func (s *Server) keepLog(ctx context.Context) error {
	keep := time.Duration(s.Config.KeepLog) * 24 * time.Hour
	return audit.NewLog(s.DB.Audit, s.Log).Keep(ctx, keep) //nolint:wrapcheck // it returns no error
}
