package api

import (
	"slices"

	"docent/api/route"
	"docent/auth"
	"docent/auth/audit"
)

// Routes lists the scope that each route needs. New fails if a route is missing
// here. It also names the actions that the audit log records. Handlers check the owners of sessions and tokens themselves.
func Routes() []route.Access {
	return append([]route.Access{
		{Route: "GET /api/health", Scope: route.Public},
		{Route: "GET /api/ready", Scope: route.Public},
		{Route: "GET /openapi.json", Scope: route.Public},
		{Route: "GET /ws", Scope: route.Public}, // package ws serves upgrades
		{Route: "POST /api/login", Scope: route.Public, Audit: audit.SignedIn},
		{Route: "POST /api/logout", Scope: route.Public},
		{Route: "GET /api/sign-in", Scope: route.Public},
		{Route: "GET /api/sign-in/start", Scope: route.Public},
		{Route: "GET " + callbackPath, Scope: route.Public, Audit: audit.SignedIn},
		{Route: "GET /api/me", Scope: route.Known},
		{Route: "GET /api/info", Scope: route.Known},
		{Route: "GET /api/tokens", Scope: route.Known}, // the principal's own; package auth checks who may have tokens
		{Route: "POST /api/tokens", Scope: route.Known, Audit: audit.TokenCreated},
		{Route: "DELETE /api/tokens/{token_id}", Scope: route.Known, Audit: audit.TokenRevoked},
		{Route: "GET /api/suggestions", Scope: auth.Ask},
		{Route: "POST /api/pages", Scope: auth.Ask},
		{Route: "GET /api/search", Scope: auth.Ask},
		{Route: "POST /api/ask", Scope: auth.Ask},
		{Route: "POST /api/briefs", Scope: auth.Ask},
		{Route: "POST /api/briefs/outline", Scope: auth.Ask},
		{Route: "GET /v1/models", Scope: auth.Ask},
		{Route: "GET /v1/models/{model}", Scope: auth.Ask},
		{Route: "GET /v1/models/{prefix}/{name}", Scope: auth.Ask},
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
		{Route: "POST /api/sessions/{session_id}/branch", Scope: auth.Ask},
		{Route: "POST /api/sessions/{session_id}/stop", Scope: auth.Ask},
		{Route: "GET /api/sessions/{session_id}/messages", Scope: auth.Ask},
		{Route: "DELETE /api/sessions/{session_id}/solved/{turn}", Scope: auth.Ask},
		{Route: "GET /api/sessions/{session_id}/trace", Scope: auth.Ask},
		{Route: "GET /api/agent/picture", Scope: auth.Ask},
		{Route: "GET /api/sessions/{session_id}/export", Scope: auth.Ask, Audit: audit.OwnConversationExported},
		{Route: "GET /api/sessions/{session_id}/files", Scope: auth.Ask},
		{Route: "POST /api/sessions/{session_id}/files", Scope: auth.Ask},
		{Route: "DELETE /api/sessions/{session_id}/files/{turn}", Scope: auth.Ask},
		{Route: "POST /api/sessions/{session_id}/files/{turn}/publish", Scope: auth.Ingest, Audit: audit.DocumentsAdded},
		{Route: "GET /api/shares", Scope: auth.Ask},
		{Route: "POST /api/shares", Scope: auth.Ask},
		{Route: "DELETE /api/shares/{share_id}", Scope: auth.Ask},
		{Route: "GET /api/shared/{share_id}", Scope: route.Public}, // the handler checks links that are not public
		{Route: "POST /notify_websocket", Scope: auth.Ask},
		{Route: "POST /api/sessions/{session_id}/events", Scope: auth.Ask},
		{Route: "POST /api/events", Scope: auth.Ask},
		{Route: "GET /api/collections", Scope: auth.Ask},
		{Route: "POST /api/collections", Scope: auth.Ingest, Audit: audit.CollectionCreated},
		{Route: "PATCH /api/collections/{collection}", Scope: auth.Ingest, Audit: audit.CollectionChanged},
		{Route: "DELETE /api/collections/{collection}", Scope: auth.Ingest, Audit: audit.CollectionDeleted},
		{Route: "POST /api/collections/{collection}/empty", Scope: auth.Ingest, Audit: audit.CollectionEmptied},
		{Route: "PUT /api/collections/{collection}/rights", Scope: auth.Ingest, Audit: audit.RightSet},
		{Route: "DELETE /api/collections/{collection}/rights", Scope: auth.Ingest, Audit: audit.CollectionOpened},
		{Route: "GET /api/groups", Scope: auth.Admin},
		{Route: "POST /api/groups", Scope: auth.Admin, Audit: audit.GroupCreated},
		{Route: "DELETE /api/groups/{group}", Scope: auth.Admin, Audit: audit.GroupDeleted},
		{Route: "PUT /api/groups/{group}/members", Scope: auth.Admin, Audit: audit.MemberSet},
		{Route: "GET /api/places", Scope: auth.Ask},
		{Route: "GET /api/facets", Scope: auth.Ask},
		{Route: "GET /api/sources", Scope: auth.Admin},
		{Route: "POST /api/sources", Scope: auth.Admin, Audit: audit.SourceCreated},
		{Route: "GET /api/sources/{source_id}", Scope: auth.Admin},
		{Route: "PATCH /api/sources/{source_id}", Scope: auth.Admin, Audit: audit.SourceChanged},
		{Route: "DELETE /api/sources/{source_id}", Scope: auth.Admin, Audit: audit.SourceDeleted},
		{Route: "POST /api/sources/{source_id}/sync", Scope: auth.Admin},
		{Route: "POST /api/sources/{source_id}/retry", Scope: auth.Admin},
		{Route: "GET /api/sources/{source_id}/failures", Scope: auth.Admin},
		{Route: "GET /api/source-kinds", Scope: auth.Admin},
		{Route: "GET /api/admin/conversations", Scope: auth.Admin},
		{Route: "GET /api/admin/conversations/{session_id}/messages", Scope: auth.Admin},
		{Route: "GET /api/admin/conversations/{session_id}/export", Scope: auth.Admin},
		{Route: "GET /api/admin/log", Scope: auth.Admin},
		{Route: "GET /api/admin/log/export", Scope: auth.Admin, Audit: audit.LogExported},
		{Route: "GET /metrics", Scope: auth.Admin},
	}, slices.Concat(documentRoutes(), peopleRoutes(), insightRoutes(), settingRoutes())...)
}

// documentRoutes are the routes for documents, and for the work on them.
func documentRoutes() []route.Access {
	return []route.Access{
		{Route: "GET /api/documents", Scope: auth.Ask},
		{Route: "GET /api/documents/{id}", Scope: auth.Ask},
		{Route: "GET /api/documents/{id}/text", Scope: auth.Ask},
		{Route: "GET /api/documents/{id}/file", Scope: auth.Ask},
		{Route: "GET /api/documents/{id}/chunks", Scope: auth.Ask},
		{Route: "GET /api/documents/export", Scope: auth.Ask},
		{Route: "GET /api/documents/{id}/versions", Scope: auth.Ask},
		{Route: "GET /api/documents/{id}/outline", Scope: auth.Ask},
		{Route: "GET /api/documents/{id}/questions", Scope: auth.Ask},
		{Route: "GET /api/documents/{id}/description", Scope: auth.Ask},
		{Route: "GET /api/documents/{id}/pages/{page}", Scope: auth.Ask},
		{Route: "GET /api/documents/{id}/pages/{page}/image", Scope: auth.Ask},
		{Route: "POST /api/documents", Scope: auth.Ingest, Audit: audit.DocumentsAdded},
		{Route: "PATCH /api/documents/{id}", Scope: auth.Ingest, Audit: audit.DocumentRenamed},
		{Route: "PUT /api/documents/{id}/file", Scope: auth.Ingest, Audit: audit.DocumentReplaced},
		{Route: "DELETE /api/documents/{id}", Scope: auth.Ingest, Audit: audit.DocumentsDeleted},
		{Route: "POST /api/documents/delete", Scope: auth.Ingest, Audit: audit.DocumentsDeleted},
		{Route: "POST /api/documents/tag", Scope: auth.Ingest, Audit: audit.DocumentsTagged},
		{Route: "POST /api/documents/move", Scope: auth.Ingest, Audit: audit.DocumentsMoved},
		{Route: "POST /api/documents/retry", Scope: auth.Ingest, Audit: audit.DocumentsRetried},
		{Route: "POST /api/documents/read-again", Scope: auth.Ingest, Audit: audit.DocumentsReadAgain},
		{Route: "GET /api/work", Scope: auth.Ingest},
		{Route: "POST /api/work/{work_id}/cancel", Scope: auth.Ingest, Audit: audit.WorkCanceled},
	}
}

// peopleRoutes are the routes for users, and for each user's own account.
func peopleRoutes() []route.Access {
	return []route.Access{
		{Route: "GET /api/users", Scope: auth.Admin},
		{Route: "POST /api/users", Scope: auth.Admin, Audit: audit.UserInvited},
		{Route: "PATCH /api/users/{user}", Scope: auth.Admin, Audit: audit.UserChanged},
		{Route: "DELETE /api/users/{user}", Scope: auth.Admin, Audit: audit.UserDeleted},
		{Route: "POST /api/users/{user}/link", Scope: auth.Admin, Audit: audit.LinkMade},
		{Route: "DELETE /api/users/{user}/sign-ins", Scope: auth.Admin, Audit: audit.UserSignedOut},
		{Route: "GET /api/users/{user}/access", Scope: auth.Admin},
		{Route: "PUT /api/me/password", Scope: route.Known, Audit: audit.PasswordChanged},
		{Route: "GET /api/me/sign-ins", Scope: route.Known},
		{Route: "DELETE /api/me/sign-ins/{sign_in_id}", Scope: route.Known, Audit: audit.UserSignedOut},
		{Route: "POST /api/me/delete", Scope: route.Known, Audit: audit.UserDeleted},
		{Route: "GET /api/me/preferences", Scope: auth.Ask},
		{Route: "PUT /api/me/preferences", Scope: auth.Ask},
		{Route: "GET /api/prompts", Scope: auth.Ask},
		{Route: "POST /api/prompts", Scope: auth.Ask},
		{Route: "PUT /api/prompts/{prompt_id}", Scope: auth.Ask},
		{Route: "DELETE /api/prompts/{prompt_id}", Scope: auth.Ask},
		{Route: "GET /api/me/memory", Scope: auth.Ask},
		{Route: "DELETE /api/me/memory", Scope: auth.Ask},
		{Route: "GET /api/me/export", Scope: auth.Ask, Audit: audit.AccountExported},
		{Route: "POST /api/password-link", Scope: route.Public},
		{Route: "PUT /api/password-link", Scope: route.Public, Audit: audit.PasswordChanged},
	}
}

// settingRoutes are the routes for the first start, settings, and chat models.
func settingRoutes() []route.Access {
	return []route.Access{
		{Route: "POST /api/setup", Scope: route.Public, Audit: audit.SetUp}, // the handler checks the code
		{Route: "POST /api/setup/check", Scope: route.Public},
		{Route: "GET /api/settings", Scope: auth.Admin},
		{Route: "PUT /api/settings/{key}", Scope: auth.Admin, Audit: audit.SettingChanged},
		{Route: "DELETE /api/settings/{key}", Scope: auth.Admin, Audit: audit.SettingRemoved},
		{Route: "GET /api/models", Scope: auth.Admin},
		{Route: "PUT /api/models", Scope: auth.Admin, Audit: audit.ModelChanged},
		{Route: "PUT /api/models/{name}", Scope: auth.Admin, Audit: audit.ModelChanged},
		{Route: "DELETE /api/models/{name}", Scope: auth.Admin, Audit: audit.ModelRemoved},
		{Route: "POST /api/models/test", Scope: auth.Admin},
		{Route: "GET /api/models/local", Scope: auth.Admin},
		{Route: "GET /api/system", Scope: auth.Admin},
		{Route: "GET /api/system/backups", Scope: auth.Admin},
		{Route: "POST /api/system/backups", Scope: auth.Admin, Audit: audit.BackupStarted},
		{Route: "GET /api/system/digest", Scope: auth.Admin},
		{Route: "POST /api/system/digest", Scope: auth.Admin, Audit: audit.DigestSent},
	}
}

// insightRoutes are the routes for administrators and managers of collections. The handlers check
// the right manage.
func insightRoutes() []route.Access {
	return []route.Access{
		{Route: "GET /api/today", Scope: auth.Ingest},
		{Route: "GET /api/insight/days", Scope: auth.Ingest},
		{Route: "GET /api/insight/questions", Scope: auth.Ingest},
		{Route: "GET /api/insight/questions/{id}", Scope: auth.Ingest},
		{Route: "PATCH /api/insight/questions/{id}", Scope: auth.Ingest},
		{Route: "GET /api/insight/gaps", Scope: auth.Ingest},
		{Route: "GET /api/insight/gaps/{id}", Scope: auth.Ingest},
		{Route: "PATCH /api/insight/gaps/{id}", Scope: auth.Ingest},
		{Route: "GET /api/insight/answers", Scope: auth.Ingest},
		{Route: "POST /api/insight/answers", Scope: auth.Ingest, Audit: audit.DocumentsAdded},
		{Route: "POST /api/insight/answers/import", Scope: auth.Ingest, Audit: audit.DocumentsAdded},
		{Route: "PUT /api/insight/answers/{id}", Scope: auth.Ingest, Audit: audit.DocumentsAdded},
		{Route: "GET /api/insight/quality", Scope: auth.Ingest},
		{Route: "POST /api/insight/quality/runs", Scope: auth.Ingest},
		{Route: "POST /api/insight/kept", Scope: auth.Ingest},
		{Route: "PUT /api/insight/kept/{id}", Scope: auth.Ingest},
		{Route: "DELETE /api/insight/kept/{id}", Scope: auth.Ingest},
		{Route: "GET /api/insight/thresholds", Scope: auth.Ingest},
	}
}
