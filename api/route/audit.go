package route

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"docent/auth"
	"docent/auth/audit"
)

// Concerns names the object of the request for the audit log. Without it, the object is the
// last parameter in the path.
func Concerns(ctx context.Context, object string) {
	if known := requestOf(ctx); known != nil {
		known.object = object
	}
}

// SignedIn names the principal that a request has signed in, for the logs.
func SignedIn(ctx context.Context, p auth.Principal) {
	if known := requestOf(ctx); known != nil {
		known.principal = p.ID
	}
}

// Refuse says that a request without an error did nothing, so that the audit log does not record it. reason is for the
// log.
func Refuse(ctx context.Context, reason string) {
	if known := requestOf(ctx); known != nil {
		known.refused, known.reason = true, reason
	}
}

// audit adds a record of a successful request to the audit log, if its route asks for one.
// If the log cannot store it, the request fails.
func (r *Router) audit(ctx context.Context, pattern string) error {
	action := r.audited[pattern]
	known := requestOf(ctx)
	if action == "" || known == nil || known.refused || r.cfg.Audit == nil {
		return nil
	}
	record := audit.Record{
		Actor: known.principal, Address: auth.RemoteOf(ctx), Action: action, Object: cmp.Or(known.object, lastParameter(known.http)),
	}
	if err := r.cfg.Audit(ctx, record); err != nil {
		return fmt.Errorf("the act succeeded but was not recorded: %w", err)
	}
	return nil
}

// lastParameter returns the value of the last parameter in the path of a request; "" without one.
func lastParameter(r *http.Request) string {
	i := strings.LastIndexByte(r.Pattern, '{')
	if i < 0 {
		return ""
	}
	name, _, _ := strings.Cut(r.Pattern[i+1:], "}")
	return r.PathValue(name)
}
