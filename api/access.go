package api

import (
	"docent/api/route"
	"docent/auth"
)

// Routes lists the scope that each route needs. New fails if a route is missing
// here. Handlers check the owners of sessions and tokens themselves.
func Routes() []route.Access {
	return []route.Access{
		{Route: "GET /api/health", Scope: route.Public},
		{Route: "GET /api/ready", Scope: route.Public},
		{Route: "GET /openapi.json", Scope: route.Public},
		{Route: "GET /ws", Scope: route.Public}, // package ws serves upgrades
		{Route: "POST /api/login", Scope: route.Public},
		{Route: "POST /api/logout", Scope: route.Public},
		{Route: "GET /api/me", Scope: route.Known},
		{Route: "GET /api/info", Scope: route.Known},
		{Route: "GET /api/tokens", Scope: route.Known}, // the principal's own; package auth checks who may have tokens
		{Route: "POST /api/tokens", Scope: route.Known},
		{Route: "DELETE /api/tokens/{token_id}", Scope: route.Known},
		{Route: "GET /api/documents", Scope: auth.Ask},
		{Route: "GET /api/documents/{id}", Scope: auth.Ask},
		{Route: "GET /api/documents/{id}/text", Scope: auth.Ask},
		{Route: "GET /api/documents/{id}/file", Scope: auth.Ask},
		{Route: "GET /api/documents/{id}/chunks", Scope: auth.Ask},
		{Route: "GET /api/documents/{id}/pages/{page}", Scope: auth.Ask},
		{Route: "GET /api/documents/{id}/pages/{page}/image", Scope: auth.Ask},
		{Route: "POST /api/pages", Scope: auth.Ask},
		{Route: "GET /api/search", Scope: auth.Ask},
		{Route: "POST /api/ask", Scope: auth.Ask},
		{Route: "GET /v1/models", Scope: auth.Ask},
		{Route: "GET /v1/models/{model}", Scope: auth.Ask},
		{Route: "GET /v1/models/docent/{collection}", Scope: auth.Ask},
		{Route: "POST /v1/chat/completions", Scope: auth.Ask},
		{Route: "POST /v1/responses", Scope: auth.Ask},
		{Route: "POST /v1/embeddings", Scope: auth.Ask},
		{Route: "POST /agui", Scope: auth.Ask},
		{Route: "POST /mcp", Scope: auth.Ask},
		{Route: "GET /mcp", Scope: auth.Ask},
		{Route: "DELETE /mcp", Scope: auth.Ask},
		{Route: "GET /.well-known/oauth-protected-resource", Scope: route.Public},
		{Route: "GET /.well-known/oauth-protected-resource/mcp", Scope: route.Public},
		{Route: "GET /api/sessions", Scope: auth.Ask},
		{Route: "DELETE /api/sessions", Scope: auth.Ask},
		{Route: "PATCH /api/sessions/{session_id}", Scope: auth.Ask},
		{Route: "DELETE /api/sessions/{session_id}", Scope: auth.Ask},
		{Route: "GET /api/sessions/{session_id}/messages", Scope: auth.Ask},
		{Route: "GET /api/sessions/{session_id}/export", Scope: auth.Ask},
		{Route: "POST /notify_websocket", Scope: auth.Ask},
		{Route: "POST /api/sessions/{session_id}/events", Scope: auth.Ask},
		{Route: "POST /api/events", Scope: auth.Ask},
		{Route: "GET /api/collections", Scope: auth.Ask},
		{Route: "PUT /api/collections/{collection}/rights", Scope: auth.Ingest},
		{Route: "DELETE /api/collections/{collection}/rights", Scope: auth.Ingest},
		{Route: "GET /api/groups", Scope: auth.Admin},
		{Route: "POST /api/groups", Scope: auth.Admin},
		{Route: "DELETE /api/groups/{group}", Scope: auth.Admin},
		{Route: "PUT /api/groups/{group}/members", Scope: auth.Admin},
		{Route: "POST /api/documents", Scope: auth.Ingest},
		{Route: "DELETE /api/documents/{id}", Scope: auth.Ingest},
		{Route: "POST /api/documents/delete", Scope: auth.Ingest},
		{Route: "GET /api/sources", Scope: auth.Admin},
		{Route: "POST /api/sources", Scope: auth.Admin},
		{Route: "GET /api/sources/{source_id}", Scope: auth.Admin},
		{Route: "PATCH /api/sources/{source_id}", Scope: auth.Admin},
		{Route: "DELETE /api/sources/{source_id}", Scope: auth.Admin},
		{Route: "POST /api/sources/{source_id}/sync", Scope: auth.Admin},
		{Route: "POST /api/sources/{source_id}/retry", Scope: auth.Admin},
		{Route: "GET /api/sources/{source_id}/failures", Scope: auth.Admin},
		{Route: "GET /api/source-kinds", Scope: auth.Admin},
		{Route: "GET /api/admin/conversations", Scope: auth.Admin},
		{Route: "GET /api/admin/conversations/{session_id}/messages", Scope: auth.Admin},
		{Route: "GET /api/admin/conversations/{session_id}/export", Scope: auth.Admin},
		{Route: "GET /api/admin/log", Scope: auth.Admin},
		{Route: "GET /metrics", Scope: auth.Admin},
	}
}
