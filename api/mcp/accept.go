package mcp

import (
	"bytes"
	"net/http"
	"strings"
)

// acceptBoth lets a client send messages that accepts only one of the media types of a
// response, or names none. The specification wants both. A client that accepts JSON alone
// gets the response to its message as JSON, without progress. The caller calls done after
// the response.
func acceptBoth(req *http.Request, w http.ResponseWriter) (answer http.ResponseWriter, done func()) {
	accept := strings.Join(req.Header.Values("Accept"), ",")
	events := strings.Contains(accept, "event-stream") || strings.Contains(accept, "*/*") || strings.Contains(accept, "text/*")
	json := strings.Contains(accept, "json") || strings.Contains(accept, "application/*")
	if req.Method != http.MethodPost || events && json || accept != "" && !events && !json {
		return w, func() {}
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	if events || accept == "" {
		return w, func() {}
	}
	whole := &wholeWriter{ResponseWriter: w, status: http.StatusOK}
	return whole, whole.send
}

// wholeWriter keeps a stream of events and sends its last message as JSON. Other
// responses pass. The messages of tools are limited, so the stream is, too.
type wholeWriter struct {
	http.ResponseWriter

	status int
	kept   bytes.Buffer
}

func (w *wholeWriter) streams() bool {
	return strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream")
}

// WriteHeader implements http.ResponseWriter.
func (w *wholeWriter) WriteHeader(status int) {
	if w.status = status; !w.streams() {
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write implements http.ResponseWriter.
func (w *wholeWriter) Write(p []byte) (int, error) {
	if !w.streams() {
		return w.ResponseWriter.Write(p)
	}
	return w.kept.Write(p)
}

// Flush implements http.Flusher. Everything is sent at the end.
func (w *wholeWriter) Flush() {}

// send sends the last message of the stream, which is the response.
func (w *wholeWriter) send() {
	if !w.streams() {
		return
	}
	var last []byte
	for line := range bytes.Lines(w.kept.Bytes()) {
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && len(bytes.TrimSpace(data)) > 0 {
			last = bytes.TrimSpace(data)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.ResponseWriter.WriteHeader(w.status)
	_, _ = w.ResponseWriter.Write(last)
}
