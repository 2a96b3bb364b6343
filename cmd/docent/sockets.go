package main

import (
	"net/http"

	"docent/agent/session"
	"docent/ws"
)

// socketConfig is how WebSocket connections are served. The guard before them
// has checked the origin of every request.
func (a *app) socketConfig(runtime *session.Runtime) ws.Config {
	bounds := a.cfg.Sockets
	return ws.Config{
		Runtime: runtime, Transcriber: a.transcriber(), Info: a.welcome, Authenticate: a.authenticate(), Valid: a.valid(),
		CheckOrigin: func(*http.Request) bool { return true }, ResumeByUser: a.cfg.ResumeByUser,
		MaxConnections: bounds.MaxConnections, UserConnections: bounds.UserConnections,
		FrameBytes: bounds.FrameBytes, MessageBytes: int(bounds.MessageBytes), OutboxBytes: int(bounds.OutboxBytes),
		FileBytes: int(bounds.FrameBytes),
		Rate:      bounds.Rate, Burst: bounds.Burst, UserRate: bounds.UserRate, UserBurst: bounds.UserBurst,
		PingEvery: bounds.PingInterval, Silence: bounds.Silence, SessionTimeout: a.cfg.SessionTimeout,
		Logger: a.log, Metrics: a.metrics,
	}
}
