package main

import (
	"net/http"

	"docent/agent"
	"docent/ws"
	"docent/ws/typed"
)

// notifier reaches the connected clients for package api.
type notifier struct {
	*typed.Endpoint
	server *ws.Server
}

// Recheck checks soon whether all clients may still be connected.
func (n notifier) Recheck() { n.server.Recheck() }

// socketConfig configures the WebSocket server. The guard in front of it has
// checked the origin of every request.
func (a *app) socketConfig(runtime *agent.Runtime, endpoint *typed.Endpoint) ws.Config {
	bounds := a.cfg.Sockets
	return ws.Config{
		Runtime: runtime, Dialects: map[string]ws.Dialect{typed.Path: endpoint.Dialect()}, Transcriber: a.transcriber(), Info: a.welcome, Authenticate: a.authenticate(), Valid: a.valid(),
		CheckOrigin: func(*http.Request) bool { return true }, ResumeByUser: a.cfg.ResumeByUser,
		MaxConnections: bounds.MaxConnections, UserConnections: bounds.UserConnections,
		FrameBytes: bounds.FrameBytes, MessageBytes: int(bounds.MessageBytes), OutboxBytes: int(bounds.OutboxBytes),
		FileBytes: int(bounds.FrameBytes),
		Rate:      bounds.Rate, Burst: bounds.Burst, UserRate: bounds.UserRate, UserBurst: bounds.UserBurst,
		PingEvery: bounds.PingInterval, Silence: bounds.Silence,
		Logger: a.log, Metrics: a.metrics,
	}
}
