package llm_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"docent/internal/fault"
	"docent/llm"
)

// speak starts a server that answers each connection with the same bytes.
func speak(t *testing.T, raw string) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { //nolint:gosec // the test is its only client
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = c.Write([]byte(raw))
		_ = c.Close()
	})}
	ended := make(chan struct{})
	go func() { _ = s.Serve(l); close(ended) }()
	t.Cleanup(func() { _ = s.Close(); <-ended })
	return "http://" + l.Addr().String() + "/v1"
}

// zipped is a response body as a proxy compresses it.
func zipped(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return out.String()
}

// response is a response of HTTP/1.1 that ends with the connection.
func response(header, body string) string {
	return "HTTP/1.1 200 OK\r\nConnection: close\r\n" + header + "\r\n\r\n" + body
}

// TestTransports reads the same answer in the forms in which servers and proxies send it.
func TestTransports(t *testing.T) {
	t.Parallel()
	const events = "Content-Type: text/event-stream"
	data := func(d string) string { return fmt.Sprintf(`{"choices":[{"index":0,"delta":%s}]}`, d) }
	one, two := data(`{"role":"assistant","content":"27 "}`), data(`{"content":"days."}`)
	end := `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	whole := `{"choices":[{"index":0,"message":{"role":"assistant","content":"27 days."},"finish_reason":"stop"}]}`
	stream := "data: " + one + "\n\ndata: " + two + "\n\ndata: " + end + "\n\ndata: [DONE]\n\n"
	for name, raw := range map[string]string{
		"plain":                   response(events, stream),
		"CRLF":                    response(events, strings.ReplaceAll(stream, "\n", "\r\n")),
		"byte order mark":         response(events, "\ufeff"+stream),
		"comments":                response(events, ": ping\n\n:\n\n"+strings.ReplaceAll(stream, "\n\n", "\n\n: keep-alive\n\n")),
		"ids and retry":           response(events, strings.ReplaceAll(stream, "data: ", "id: 5\nevent: message\nretry: 10\ndata:")),
		"no blank lines":          response(events, strings.ReplaceAll(stream, "\n\n", "\n")),
		"data over several lines": response(events, strings.ReplaceAll(stream, `"choices":`, "\ndata: \"choices\":\ndata: ")),
		"gzip":                    response(events+"\r\nContent-Encoding: gzip", zipped(t, stream)),
		"HTTP 1.0":                "HTTP/1.0 200 OK\r\n" + events + "\r\n\r\n" + stream,
		"no content type":         response("X-Served-By: x", stream),
		"plain text":              response("Content-Type: text/plain; charset=utf-8", stream),
		"no end":                  response(events, "data: "+one+"\n\ndata: "+two+"\n\ndata: "+end+"\n\n"),
		"no finish reason":        response(events, "data: "+one+"\n\ndata: "+two+"\n\ndata: [DONE]\n\n"),
		"two in a line":           response(events, "data: "+one+two+"\n\ndata: "+end+"\n\ndata: [DONE]\n\n"),
		"two events in a line":    response(events, "data: "+one+"data: "+two+"\n\ndata: "+end+"\n\ndata: [DONE]\n\n"),
		"signs of life":           response(events, "data: ping\n\ndata:\n\n"+stream),
		"end in quotes":           response(events, "data: "+one+"\n\ndata: "+two+"\n\ndata: \"[DONE]\"\n\n"),
		"a message that grows": response(events, "data: "+strings.Replace(one, "delta", "message", 1)+"\n\ndata: "+
			strings.Replace(data(`{"content":"27 days."}`), "delta", "message", 1)+"\n\ndata: "+end+"\n\ndata: [DONE]\n\n"),
		"deltas, and then all":   response(events, "data: "+one+"\n\ndata: "+two+"\n\ndata: "+whole+"\n\ndata: [DONE]\n\n"),
		"lines of JSON":          response("Content-Type: application/x-ndjson", one+"\n"+two+"\n"+end+"\n"),
		"a list":                 response("Content-Type: application/json", "["+one+",\n"+two+","+end+"]"),
		"whole":                  response("Content-Type: application/json", whole),
		"whole, indented":        response("Content-Type: application/json", strings.ReplaceAll(whole, ":", ":\n  ")),
		"whole, byte order mark": response("Content-Type: application/json", "\ufeff\r\n"+whole),
		"whole, gzip":            response("Content-Type: application/json\r\nContent-Encoding: gzip", zipped(t, whole)),
		"whole, HTTP 1.0":        "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + whole,
		"whole, in one event":    response(events, "data: "+whole+"\n\ndata: [DONE]\n\n"),
	} {
		o, err := llm.NewOpenAI(llm.Config{BaseURL: speak(t, raw), Model: "m", MaxRetries: -1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(o.Config().HTTPClient.CloseIdleConnections)
		a, text, _, err := heard(t, o, llm.Request{})
		if err != nil || a.Text != "27 days." || text != a.Text {
			t.Errorf("%s: %+v, streamed %q, %v", name, a, text, err)
		}
	}
}

// TestErrorsWithStatus200 has servers that answer a failure with status 200. It is neither an answer nor unreadable, and the
// operator finds the words of the server in the log.
func TestErrorsWithStatus200(t *testing.T) {
	t.Parallel()
	const words = "the GPU is on fire"
	for name, body := range map[string]string{
		"error":           `{"error":{"message":"` + words + `","code":503}}`,
		"text":            `{"error":"` + words + `"}`,
		"vLLM, older":     `{"object":"error","message":"` + words + `","type":"InternalServerError","param":null,"code":500}`,
		"FastAPI":         `{"detail":"` + words + `"}`,
		"code and msg":    `{"code":1301,"msg":"` + words + `","success":false}`,
		"beside choices":  `{"choices":null,"message":"` + words + `"}`,
		"in a choice":     `{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":{"code":"x","message":"` + words + `"}}]}`,
		"error and index": `{"error":{"message":"` + words + `"},"choices":[]}`,
	} {
		for form, sent := range map[string]string{
			"whole": response("Content-Type: application/json", body),
			"event": response("Content-Type: text/event-stream", "event: error\ndata: "+body+"\n\n"),
		} {
			var log bytes.Buffer
			o, err := llm.NewOpenAI(llm.Config{
				BaseURL: speak(t, sent), Model: "m", MaxRetries: -1, ForUsers: true, Logger: slog.New(slog.NewTextHandler(&log, nil)),
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(o.Config().HTTPClient.CloseIdleConnections)
			_, err = llm.Ask(t.Context(), o, llm.Request{})
			if fault.KindOf(err) != fault.Unavailable || !strings.Contains(llm.Reason(err), words) || !strings.Contains(log.String(), words) {
				t.Errorf("%s, %s: %v (%s), logged %s", name, form, err, fault.KindOf(err), log.String())
			}
			if strings.Contains(fault.Message(err), words) {
				t.Errorf("%s, %s: users read %s", name, form, fault.Message(err))
			}
		}
	}
}

// TestRedirectsOfServers: a question with passages follows no redirect. The error says where the server wants it.
func TestRedirectsOfServers(t *testing.T) {
	t.Parallel()
	reached := make(chan struct{}, 1)
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached <- struct{}{} }))
	t.Cleanup(other.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := httptest.NewServer(http.RedirectHandler(other.URL+"/v1/chat/completions?key=secret", status))
		t.Cleanup(s.Close)
		o, err := llm.NewOpenAI(llm.Config{BaseURL: s.URL + "/v1", Model: "m", MaxRetries: -1, APIKey: "sk-geheim"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(o.Config().HTTPClient.CloseIdleConnections)
		_, err = llm.Ask(t.Context(), o, llm.Request{})
		if fault.KindOf(err) != fault.Unavailable || !strings.Contains(llm.Reason(err), other.URL+"/v1/chat/completions") ||
			strings.Contains(fmt.Sprint(err), "secret") || len(reached) > 0 {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// TestOddEvents reads answers whose events have unusual values beside the text. An answer is worth more than these.
func TestOddEvents(t *testing.T) {
	t.Parallel()
	text := deltaFrame(`{"content":"27 days."}`)
	for name, f := range map[string][]string{
		"choices null":            {`{"choices":null}`, text, finish("stop")},
		"empty choices":           {`{"choices":[],"prompt_filter_results":[]}`, text, finish("stop"), `{"choices":[],"usage":{"prompt_tokens":3}}`},
		"null content":            {deltaFrame(`{"role":"assistant","content":null}`), text, deltaFrame(`{"content":null}`), finish("stop")},
		"null delta":              {`{"choices":[{"index":0,"delta":null,"finish_reason":null}]}`, text, finish("stop")},
		"null tool calls":         {deltaFrame(`{"content":"27 days.","tool_calls":null}`), finish("stop")},
		"empty tool calls":        {deltaFrame(`{"content":"27 days.","tool_calls":[]}`), finish("tool_calls")},
		"usage as text":           {text, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":"none"}`},
		"usage as a list":         {text, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":[]}`},
		"usage with details null": {text, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"completion_tokens_details":null}}`},
		"details as a list":       {text, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens_details":[]}}`},
		"index as text":           {`{"choices":[{"index":"0","delta":{"content":"27 days."}}]}`, finish("stop")},
		"index null":              {`{"choices":[{"index":null,"delta":{"content":"27 days."},"finish_reason":"stop"}]}`},
		"finish reason null":      {`{"choices":[{"index":0,"delta":{"content":"27 "},"finish_reason":"null"}]}`, `{"choices":[{"index":0,"delta":{"content":"days."},"finish_reason":"None"}]}`, finish("stop")},
		"finish reason false":     {`{"choices":[{"index":0,"delta":{"content":"27 days."},"finish_reason":false}]}`, finish("stop")},
		"model as a number":       {`{"model":5,"id":null,"choices":[{"index":0,"delta":{"content":"27 days."}}]}`, finish("stop")},
		"text of completions":     {`{"choices":[{"index":0,"text":"27 days.","finish_reason":"stop"}]}`},
		"message in each event":   {`{"choices":[{"index":0,"message":{"role":"assistant","content":"27 "}}]}`, `{"choices":[{"index":0,"message":{"content":"days."},"finish_reason":"stop"}]}`},
	} {
		o, _, _ := serve(t, llm.Config{MaxRetries: -1}, frames(append(f, "[DONE]")...))
		a, streamed, _, err := heard(t, o, llm.Request{})
		if err != nil || a.Text != "27 days." || streamed != a.Text || len(a.Calls) > 0 {
			t.Errorf("%s: %+v, streamed %q, %v", name, a, streamed, err)
		}
	}
}

// TestFinishReasons: servers have their own words for the reason why an answer ends. A limit is a limit, and a filter a filter.
func TestFinishReasons(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"stop": "stop", "STOP": "stop", "eos": "stop", "eos_token": "stop", "end_turn": "stop", "stop_sequence": "stop", "COMPLETE": "stop",
		"length": "length", "max_tokens": "length", "MAX_TOKENS": "length", "max_output_tokens": "length", "model_length": "length",
		"model_context_window_exceeded": "length",
		"content_filter":                "content_filter", "SAFETY": "content_filter", "PROHIBITED_CONTENT": "content_filter", "RECITATION": "content_filter",
		"sensitive": "content_filter", "refusal": "content_filter",
		"something new": "something new",
	} {
		o, _, _ := serve(t, llm.Config{}, frames(deltaFrame(`{"content":"27 days."}`), finish(said), "[DONE]"))
		a, err := llm.Ask(t.Context(), o, llm.Request{})
		if err != nil || a.StopReason != want {
			t.Errorf("%s: %q, %v; want %q", said, a.StopReason, err, want)
		}
	}
	// A wrong reason beside calls, and none beside them.
	for _, calls := range []string{`"tool_calls":[{"index":0,"id":"a","function":`, `"function_call":`} {
		o, _, _ := serve(t, llm.Config{}, frames(deltaFrame(`{`+calls+`{"name":"clock","arguments":"{}"}`+strings.Repeat("}]", strings.Count(calls, "["))+`}`), finish("stop"), "[DONE]"))
		if a, err := llm.Ask(t.Context(), o, searching); err != nil || len(a.Calls) != 1 || a.Calls[0].Name != "clock" {
			t.Errorf("%s: %+v, %v", calls, a, err)
		}
	}
	for _, reason := range []string{"stop", "function_call", "TOOL_CALL", ""} {
		o, _, _ := serve(t, llm.Config{}, frames(
			deltaFrame(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"clock","arguments":"{}"}}]}`), finish(reason), "[DONE]"))
		if a, err := llm.Ask(context.WithoutCancel(t.Context()), o, searching); err != nil || len(a.Calls) != 1 {
			t.Errorf("calls with the reason %q: %+v, %v", reason, a, err)
		}
	}
}
