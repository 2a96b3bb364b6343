package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/internal/fault"
)

// socketPath is the path of the WebSocket in the description.
const socketPath = "/ws"

// addSocket adds the WebSocket to the description. Another handler on the same
// port serves upgrades; all other requests come here.
func addSocket(r *route.Router) {
	r.Handle("GET "+socketPath, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Upgrade", "websocket")
		route.Write(w, req, route.NewError(http.StatusUpgradeRequired, fault.Invalid,
			fault.NewText("websocket_needed", "this path takes WebSocket connections")))
	})
	parameter := func(name, doc string) *huma.Param {
		return &huma.Param{Name: name, In: "query", Description: doc, Schema: &huma.Schema{Type: "string"}}
	}
	r.OpenAPI().AddOperation(&huma.Operation{
		Method: http.MethodGet, Path: socketPath, OperationID: "websocket", Tags: []string{"sessions"}, Summary: "Open a WebSocket",
		Description: "An upgrade at this path, or at any other, opens a conversation. " +
			"By default, it uses the frames of the BESSER Agentic Framework. " +
			"With docent.v1 (as a parameter or as Sec-WebSocket-Protocol), answers are streamed and frames have sequence numbers. " +
			"An upgrade at /agent_websocket uses that dialect, with the same sessions.",
		Parameters: []*huma.Param{
			parameter("protocol", "docent.v1, or empty."),
			parameter("session_id", "The session to resume."),
			parameter("user_id", "The name of the user."),
			parameter("session_name", "The display name of a new session."),
		},
		Responses: map[string]*huma.Response{
			"101":     {Description: "Switching Protocols"},
			"426":     {Description: "Upgrade Required: the request is not an upgrade", Content: r.ErrorContent()},
			"default": {Description: "Error", Content: r.ErrorContent()},
		},
	})
}
