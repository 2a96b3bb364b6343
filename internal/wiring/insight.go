package wiring

import (
	"context"
	"fmt"
	"time"

	"docent/auth/rights"
	"docent/insight"
)

// addInsights adds the work that keeps facts about answers.
func (s *Server) addInsights() (err error) {
	keep := time.Duration(s.Config.KeepQuestions) * 24 * time.Hour
	s.recorder = insight.NewRecorder(s.DB.Insights, keep, s.Log)
	if s.facts, err = insight.NewFollower(insight.FollowerConfig{Store: s.DB.Insights, Keep: keep, Logger: s.Log}); err != nil {
		return fmt.Errorf("facts about answers: %w", err)
	}
	return nil
}

// lacking returns those of some documents that the reader of ctx may not read.
func (s *Server) lacking(ctx context.Context, documents []int64) ([]int64, error) {
	return s.rights.Lacking(ctx, documents, rights.Read) //nolint:wrapcheck // the error is complete
}
