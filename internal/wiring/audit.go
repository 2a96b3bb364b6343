package wiring

import (
	"context"
	"strconv"
	"time"

	"docent/agent/session/journal"
	"docent/auth/audit"
)

const (
	// day is the step in which conversations expire, so that each day adds one record to the audit log.
	day = 24 * time.Hour
	// expireEvery is the time between two removals of old conversations.
	expireEvery = time.Hour
	// expireBatch bounds the conversations of one transaction.
	expireBatch = 100
)

// keepLog removes old records of the audit log until ctx ends.
func (s *Server) keepLog(ctx context.Context) error {
	keep := time.Duration(s.Config.KeepLog) * day
	return audit.NewLog(s.DB.Audit, s.Log).Keep(ctx, keep) //nolint:wrapcheck // it returns no error
}

// keepConversations removes old conversations of a server until ctx ends.
func keepConversations(ctx context.Context, s *Server) error {
	keep := time.Duration(s.Config.KeepConversations) * day
	if keep <= 0 {
		return nil
	}
	tick := time.NewTicker(expireEvery)
	defer tick.Stop()
	directory := s.Agents.Directory(s.DB.Directory)
	for {
		removed, err := expireConversations(ctx, directory, time.Now().UTC().Truncate(day).Add(-keep))
		if err != nil && ctx.Err() == nil {
			s.Log.Warn("remove old conversations", "error", err)
		}
		recordExpired(ctx, s.Store, audit.ConversationsExpired, removed)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// expireConversations removes the conversations that were last used before a time, and returns their number. Several
// processes may do it: each conversation counts once.
func expireConversations(ctx context.Context, directory journal.Directory, before time.Time) (removed int, err error) {
	for {
		keys, err := directory.ExpireSessions(ctx, before, expireBatch)
		removed += len(keys)
		if err != nil || len(keys) < expireBatch {
			return removed, err //nolint:wrapcheck // the store names the operation
		}
	}
}

// recordExpired records a removal in the audit log, also at the end of the server.
func recordExpired(ctx context.Context, s *Store, action audit.Action, removed int) {
	if removed == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	record := audit.Record{Actor: audit.Server, Action: action, Object: strconv.Itoa(removed)}
	if err := audit.NewLog(s.DB.Audit, s.Log).Add(ctx, record); err != nil {
		s.Log.Warn("audit", "error", err)
	}
}
