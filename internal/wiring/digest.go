package wiring

import (
	"context"
	"fmt"

	"docent/auth"
	"docent/auth/audit"
	"docent/auth/rights"
	"docent/config"
	"docent/insight/digest"
	"docent/insight/today"
	"docent/webhook"
)

// digestPlan returns the plan of the weekly digest.
func digestPlan(cfg config.Config) digest.Plan {
	day, on := cfg.Digest.Weekday()
	return digest.Plan{Day: day, On: on, Recipients: cfg.Digest.Recipients, Language: cfg.Digest.Language}
}

// newDigest returns the sender of the weekly digest.
func newDigest(s *Server, list *today.List) (*digest.Sender, error) {
	out, err := digest.New(digest.Config{
		Store: s.DB.Digests, Leases: s.DB.Jobs, Today: list, Totals: s.DB.Insights, Server: s.Config.Mail,
		Plan: func() digest.Plan { return digestPlan(s.now().store.Config) },
		Managed: func(ctx context.Context, user string) (managed, readable []string, err error) {
			return managedBy(ctx, s, user)
		},
		Notify: func(ctx context.Context, subject, text string, things int) (bool, error) {
			wanted, err := s.Webhooks.Wanted(ctx, webhook.DigestWeekly)
			if wanted && err == nil {
				s.Webhooks.Notify(ctx, webhook.DigestWeekly, map[string]any{"subject": subject, "text": text, "things": things}, nil)
			}
			return wanted, err
		},
		Record: func(ctx context.Context, recipient string) {
			record := audit.Record{Actor: audit.Server, Action: audit.DigestRefused, Object: recipient}
			if err := audit.NewLog(s.DB.Audit, s.Log).Add(ctx, record); err != nil {
				s.Log.Warn("audit", "error", err)
			}
		},
		Logger: s.Log,
	})
	if err != nil {
		return nil, fmt.Errorf("weekly digest: %w", err)
	}
	return out, nil
}

// managedBy returns the collections that a user manages, and those that the user may read; nil means all.
func managedBy(ctx context.Context, s *Server, user string) (managed, readable []string, err error) {
	if s.authenticator == nil {
		return nil, nil, nil // everybody sees everything
	}
	record, err := s.DB.Users.User(ctx, auth.UserName(user))
	if err != nil {
		return nil, nil, err
	}
	p := auth.Principal{ID: "user:" + record.Name, Scopes: record.Scopes}
	switch {
	case record.Disabled:
		return nil, nil, digest.Disabled(record.Name)
	case p.May(auth.Admin):
		return nil, nil, nil
	}
	if p.May(auth.Ingest) {
		access, err := s.rights.Access(auth.NewContext(ctx, p))
		if err != nil {
			return nil, nil, err //nolint:wrapcheck // the store names the operation
		}
		readable = access.Readable(nil)
		for _, name := range readable {
			if access.Level(name) >= rights.Manage {
				managed = append(managed, name)
			}
		}
	}
	if len(managed) == 0 {
		return nil, nil, digest.ManagesNothing(record.Name)
	}
	return managed, readable, nil
}
