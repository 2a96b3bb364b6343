package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/auth/audit"
)

// AuditLog keeps records of acts. *audit.Log implements it.
type AuditLog interface {
	// Add stores a record.
	Add(ctx context.Context, record audit.Record) error
	// Records returns up to limit records before an id, newest first. 0 means the newest.
	Records(ctx context.Context, before int64, limit int) ([]audit.Record, error)
}

// AuditRecord is a record of an act.
type AuditRecord struct {
	// ID orders the records.
	ID int64 `json:"id"`
	// Timestamp is the time of the act.
	Timestamp time.Time `json:"timestamp"`
	// Actor is the principal that acted.
	Actor string `json:"actor" doc:"The principal that acted, or operator for the command line. Empty without authentication."`
	// Address is the address of the client.
	Address string `json:"address" doc:"The network address of the client. Empty for the command line."`
	// Action is the act.
	Action string `json:"action" doc:"The act, such as conversation.read."`
	// Object is the id of the object.
	Object string `json:"object" doc:"The id of the object, such as a session or the owner of conversations. Empty for all."`
}

type auditInput struct {
	Before int64 `query:"before" minimum:"0" doc:"The cursor: the value before of the previous page."`
	Limit  int   `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

type auditOutput struct {
	Body struct {
		Records []AuditRecord `json:"records"`
		Before  int64         `json:"before,omitempty" doc:"The cursor of the next page. Absent on the last page."`
	} `nameHint:"AuditPage"`
}

// auditRoutes handles the route for the audit log.
type auditRoutes struct{ log AuditLog }

func (a auditRoutes) addRoutes(r *route.Router) {
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/admin/log", OperationID: "list-audit-records", Tags: []string{"administration"},
		Summary: "List the records of the audit log, newest first",
	}, a.list)
}

func (a auditRoutes) list(ctx context.Context, in *auditInput) (*auditOutput, error) {
	found, err := a.log.Records(ctx, in.Before, in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := &auditOutput{}
	out.Body.Records = []AuditRecord{}
	if len(found) > in.Limit {
		found = found[:in.Limit]
		out.Body.Before = found[in.Limit-1].ID
	}
	for _, r := range found {
		out.Body.Records = append(out.Body.Records, AuditRecord{r.ID, r.Time.UTC(), r.Actor, r.Address, string(r.Action), r.Object})
	}
	return out, nil
}

// noAudit is the AuditLog of a server without one.
type noAudit struct{}

// Add implements AuditLog.
func (noAudit) Add(context.Context, audit.Record) error { return nil }

// Records implements AuditLog.
func (noAudit) Records(context.Context, int64, int) ([]audit.Record, error) { return nil, nil }
