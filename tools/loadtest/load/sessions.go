package load

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"docent/api"
	"docent/rag"
)

// cleaning bounds the time for deleting the sessions.
const cleaning = time.Minute

// call sends an HTTP request to the server. The caller closes the body.
func (t *Test) call(ctx context.Context, method, path string, query url.Values) (*http.Response, error) {
	u, err := url.Parse(t.URL)
	if err != nil {
		return nil, fmt.Errorf("--url: %w", err)
	}
	at := url.URL{Scheme: strings.Replace(u.Scheme, "ws", "http", 1), Host: u.Host, Path: path, RawQuery: query.Encode()}
	req, err := http.NewRequestWithContext(ctx, method, at.String(), http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if h := t.header(); h != nil {
		req.Header = h
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return resp, nil
}

// clean deletes the sessions of the test, even after ctx has ended, and reports
// how many it could not delete.
func (t *Test) clean(ctx context.Context) []Row {
	const atOnce = 8
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleaning)
	defer cancel()
	t.counts.mu.Lock()
	made := t.counts.sessions
	t.counts.sessions = nil
	t.counts.mu.Unlock()
	var left atomic.Int64
	_ = each(min(atOnce, len(made)), func(worker int) error { // what fails is counted
		for i := worker; i < len(made); i += atOnce {
			resp, err := t.call(ctx, http.MethodDelete, "/api/sessions", url.Values{"session_id": {made[i]}})
			if err != nil {
				left.Add(1)
				continue
			}
			// docent keeps no session that has received nothing.
			if resp.StatusCode >= http.StatusMultipleChoices && resp.StatusCode != http.StatusNotFound {
				left.Add(1)
			}
			_ = resp.Body.Close() // nothing more is read
		}
		return nil
	})
	if left.Load() == 0 {
		return nil
	}
	return []Row{{"sessions that could not be deleted", fmt.Sprint(left.Load())}}
}

// writer returns a row that names the server's model; none if it is unknown.
func (t *Test) writer(ctx context.Context) []Row {
	const most = 1 << 20
	resp, err := t.call(ctx, http.MethodGet, "/api/info", nil)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	var info api.Info
	if json.NewDecoder(io.LimitReader(resp.Body, most)).Decode(&info) != nil || info.Model.Kind == "" {
		return nil
	}
	if info.Model.Kind == rag.Extractive {
		return []Row{{"model", "none: quotes, which measures the processor time of this machine"}}
	}
	return []Row{{"model", info.Model.Name}}
}
