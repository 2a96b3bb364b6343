package docent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"docent"
)

// printed collects the output of a server.
type printed struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// send posts JSON, and returns the status and the body of the answer.
func send(t *testing.T, url string, body map[string]string) (int, string) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error() // the connection may end with a server
	}
	defer resp.Body.Close()
	var out bytes.Buffer
	if _, err := out.ReadFrom(resp.Body); err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, out.String()
}

// TestFirstStart: the printed code creates the first administrator once, and turns authentication on at the same
// address. A later start prints no code.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	serve := func() (url string, out *printed, stop func()) {
		out = &printed{}
		ctx, cancel := context.WithCancel(t.Context())
		at, ended := make(chan string, 1), make(chan error, 1)
		go func() {
			ended <- docent.Run(ctx, nil, docent.Options{
				Args: []string{"--addr=127.0.0.1:0", "--encoder=off", "--data=" + data}, Output: out, Ready: func(url string) { at <- url },
			})
		}()
		stop = sync.OnceFunc(func() {
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("Run: %v", err)
			}
		})
		t.Cleanup(stop)
		return <-at, out, stop
	}
	url, out, stop := serve()
	link := regexp.MustCompile(`/#/start/(\w+)`)
	found := link.FindStringSubmatch(out.String())
	if found == nil {
		t.Fatalf("there is no link in %s", out)
	}
	if status, body := get(t, url+"/api/me"); status != http.StatusOK || !strings.Contains(body, `"auth":false`) {
		t.Errorf("before, %d %s", status, body)
	}
	if status, body := send(t, url+"/api/setup", map[string]string{"code": "wrong", "name": "eve", "password": "correct horse"}); status != http.StatusForbidden {
		t.Errorf("a wrong code: %d %s", status, body)
	}
	if status, body := send(t, url+"/api/setup", map[string]string{"code": found[1], "name": "ann", "password": "x"}); status != http.StatusBadRequest {
		t.Errorf("a short password: %d %s", status, body)
	}
	if status, body := send(t, url+"/api/setup/check", map[string]string{"code": found[1]}); status != http.StatusOK || body != `{"auth":false}`+"\n" {
		t.Errorf("the code: %d %q", status, body)
	}
	if status, body := send(t, url+"/api/setup", map[string]string{"code": found[1], "name": "ann", "password": "correct horse"}); status != http.StatusOK || !strings.Contains(body, `"restarts":true`) {
		t.Errorf("the setup: %d %s", status, body)
	}
	login := map[string]string{"username": "ann", "password": "correct horse"}
	for deadline := time.After(patience); ; {
		status, body := send(t, url+"/api/login", login)
		if status == http.StatusOK {
			if !strings.Contains(body, `"admin"`) {
				t.Errorf("ann is %s", body)
			}
			break
		}
		select {
		case <-deadline:
			t.Fatalf("nobody can sign in: %d %s", status, body)
		default:
		}
	}
	if status, _ := get(t, url+"/api/me"); status != http.StatusUnauthorized {
		t.Errorf("without a sign-in: %d", status)
	}
	if status, body := send(t, url+"/api/setup", map[string]string{"code": found[1], "name": "eve", "password": "correct horse"}); status != http.StatusForbidden {
		t.Errorf("the code again: %d %s", status, body)
	}
	stop()
	if _, out, _ := serve(); link.MatchString(out.String()) {
		t.Errorf("a later start prints %s", out)
	}
}
