package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
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
	// Records returns the records of a query, newest first.
	Records(ctx context.Context, q audit.Query) ([]audit.Record, error)
}

// AuditRecord is a record of an act.
type AuditRecord struct {
	// ID orders the records.
	ID int64 `json:"id"`
	// Timestamp is the time of the act.
	Timestamp time.Time `json:"timestamp"`
	// Actor is the principal that acted.
	Actor string `json:"actor" doc:"The principal that acted, operator for the command line, or server for docent itself. Empty without authentication."`
	// Address is the address of the client.
	Address string `json:"address" doc:"The network address of the client. Empty for the command line."`
	// Action is the act.
	Action string `json:"action" doc:"The act, such as conversation.read."`
	// Object is the id of the object.
	Object string `json:"object" doc:"The id of the object, such as a session or the owner of conversations. Empty for all."`
}

// AuditFilter selects records of the audit log.
type AuditFilter struct {
	Actor  string    `query:"actor" maxLength:"200" doc:"Lists only records with this text in their actor, in any case of letters."`
	Action []string  `query:"action,explode" maxItems:"20" doc:"Lists only these actions. token means all actions that begin with token and a dot."`
	Since  time.Time `query:"since" doc:"Lists only records at this time or later."`
	Until  time.Time `query:"until" doc:"Lists only records before this time."`
}

func (f AuditFilter) query(before int64, limit int) audit.Query {
	return audit.Query{Before: before, Actor: f.Actor, Actions: f.Action, Since: f.Since, Until: f.Until, Limit: limit}
}

type auditInput struct {
	AuditFilter
	Before int64 `query:"before" minimum:"0" doc:"The cursor: the value before of the previous page."`
	Limit  int   `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

type auditOutput struct {
	Body struct {
		Records []AuditRecord `json:"records"`
		Before  int64         `json:"before,omitempty" doc:"The cursor of the next page. Absent on the last page."`
	} `nameHint:"AuditPage"`
}

// auditRoutes handles the routes for the audit log.
type auditRoutes struct {
	log       AuditLog
	transfers transfers
}

func (a auditRoutes) addRoutes(r *route.Router) {
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/admin/log", OperationID: "list-audit-records", Tags: []string{"administration"},
		Summary: "List the records of the audit log, newest first",
	}, a.list)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/admin/log/export", OperationID: "export-audit-records", Tags: []string{"administration"},
		Summary:     "Export records of the audit log as a file, newest first",
		Description: "Each line is a record in JSON.",
		Errors:      []int{http.StatusTooManyRequests, http.StatusServiceUnavailable},
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
			"application/jsonl": {Schema: route.SchemaOf[AuditRecord](r)},
		}}},
	}, a.export)
}

// exportPage is the number of records that an export reads at once.
const exportPage = 1000

func (a auditRoutes) export(ctx context.Context, in *AuditFilter) (*huma.StreamResponse, error) {
	return a.transfers.send(ctx, func(h http.Header) {
		h.Set("Content-Type", "application/jsonl")
		h.Set("Content-Disposition", `attachment; filename="docent-log.jsonl"`)
	}, func(ctx context.Context, w io.Writer) error {
		lines := json.NewEncoder(w)
		for before := int64(0); ; {
			found, err := a.log.Records(ctx, in.query(before, exportPage))
			if err != nil {
				return err
			}
			for _, r := range found {
				if err := lines.Encode(auditRecord(r)); err != nil {
					return fmt.Errorf("write a record: %w", err)
				}
			}
			if len(found) < exportPage {
				return nil
			}
			before = found[len(found)-1].ID
		}
	})
}

func auditRecord(r audit.Record) AuditRecord {
	return AuditRecord{r.ID, r.Time.UTC(), r.Actor, r.Address, string(r.Action), r.Object}
}

func (a auditRoutes) list(ctx context.Context, in *auditInput) (*auditOutput, error) {
	found, err := a.log.Records(ctx, in.query(in.Before, in.Limit+1))
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
		out.Body.Records = append(out.Body.Records, auditRecord(r))
	}
	return out, nil
}

// noAudit is the AuditLog of a server without one.
type noAudit struct{}

// Add implements AuditLog.
func (noAudit) Add(context.Context, audit.Record) error { return nil }

// Records implements AuditLog.
func (noAudit) Records(context.Context, audit.Query) ([]audit.Record, error) { return nil, nil }
