package auth

import (
	"context"
	"strings"
	"sync"
	"time"
)

// IssuerGroups stores the groups that an issuer names in its tokens. It is safe for
// concurrent use.
type IssuerGroups interface {
	// SetIssuerGroups replaces the groups of a principal. They count until a time.
	SetIssuerGroups(ctx context.Context, principal string, groups []string, until time.Time) error
}

// maxNoted bounds the principals whose stored groups are known.
const maxNoted = 10_000

// members stores the groups in tokens. It writes only groups that differ from the
// last ones of the principal.
type members struct {
	store IssuerGroups // nil if groups have no effect

	mu    sync.Mutex        // guards noted
	noted map[string]string // the stored groups and their end, by principal
}

// note stores the groups of a principal. They end with the token.
func (m *members) note(ctx context.Context, p Principal, groups []string) error {
	if m.store == nil {
		return nil
	}
	now := strings.Join(append(groups, p.Expires.String()), "\n")
	m.mu.Lock()
	known := m.noted[p.ID] == now
	m.mu.Unlock()
	if known {
		return nil
	}
	_, err := look(ctx, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, m.store.SetIssuerGroups(ctx, p.ID, groups, p.Expires)
	})
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.noted == nil || len(m.noted) >= maxNoted {
		m.noted = map[string]string{}
	}
	m.noted[p.ID] = now
	return nil
}
