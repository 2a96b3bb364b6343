package embed_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/embed"
	"docent/embed/embedtest"
	"docent/internal/fault"
)

const testKey = "sk-very-secret"

var testNow = time.Date(2025, 3, 4, 5, 6, 7, 0, time.UTC)

// newOpenAI makes an embedder for a server. It records the waits instead of waiting.
func newOpenAI(t *testing.T, server *embedtest.Server, change func(*embed.Config)) (*embed.OpenAI, *[]time.Duration) {
	t.Helper()
	cfg := embed.Config{BaseURL: server.URL, APIKey: testKey, Model: "m", MaxRetries: 2}
	if change != nil {
		change(&cfg)
	}
	o, err := embed.NewOpenAI(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return o, embed.RecordWaits(o, testNow)
}

func TestOpenAIRequest(t *testing.T) {
	t.Parallel()
	server := embedtest.NewServer(t)
	o, _ := newOpenAI(t, server, func(c *embed.Config) { c.Dimensions = 32; c.BaseURL += "/" })
	if o.Name() != "openai/m@32" || o.Dimensions() != 32 {
		t.Errorf("%s with %d dimensions", o.Name(), o.Dimensions())
	}
	if v, err := o.EmbedQuery(t.Context(), "hello"); err != nil || len(v) != 32 {
		t.Fatalf("%d elements, %v", len(v), err)
	}
	r := server.Requests()[0]
	if r.Path != "/v1/embeddings" || r.Model != "m" || r.Dimensions != 32 || r.EncodingFormat != "float" ||
		r.Header.Get("Authorization") != "Bearer "+testKey || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("request %+v", r)
	}
	o, _ = newOpenAI(t, server, func(c *embed.Config) { c.APIKey = "" })
	if _, err := o.EmbedQuery(t.Context(), "hello"); err != nil {
		t.Fatal(err)
	}
	if r := server.Requests()[1]; r.Header.Get("Authorization") != "" || o.Name() != "openai/m" || o.Dimensions() != 64 {
		t.Errorf("without a key: %+v, %s, %d", r, o.Name(), o.Dimensions())
	}
}

func TestOpenAIBatches(t *testing.T) {
	t.Parallel()
	server := embedtest.NewServer(t)
	sizes := func(change func(*embed.Config), texts ...string) (out []int) {
		o, _ := newOpenAI(t, server, change)
		server.Intercept(nil)
		if _, err := o.EmbedDocuments(t.Context(), texts); err != nil {
			t.Fatal(err)
		}
		for _, r := range server.Requests() {
			out = append(out, len(r.Input))
		}
		return out
	}
	seven := strings.Split(strings.Repeat("text ", 7), " ")[:7]
	if got := sizes(func(c *embed.Config) { embed.SetBatch(c, 3, 1000) }, seven...); !slices.Equal(got, []int{3, 3, 1}) {
		t.Errorf("by count: %v", got)
	}
	long := strings.Repeat("x", 25)
	if got := sizes(func(c *embed.Config) { embed.SetBatch(c, 100, 10) }, "aaaa", "bbbb", "cccc", long, "d", "", "e"); !slices.Equal(got, []int{2, 1, 1, 2}) {
		t.Errorf("by bytes: %v", got)
	}
	if got := sizes(nil, "", " "); !slices.Equal(got, []int{1}) {
		t.Errorf("blank texts, length unknown: %v", got)
	}
	if got := sizes(func(c *embed.Config) { c.Dimensions = 8 }, "", " "); got != nil {
		t.Errorf("blank texts, length known: %v", got)
	}
}

// TestOpenAIFailures covers the faults of a server and the resulting errors.
func TestOpenAIFailures(t *testing.T) {
	t.Parallel()
	answer := func(body string) func(http.ResponseWriter, embedtest.Request, int) bool {
		return func(w http.ResponseWriter, _ embedtest.Request, _ int) bool {
			_, _ = io.WriteString(w, body)
			return true
		}
	}
	refuse := func(status int) func(http.ResponseWriter, embedtest.Request, int) bool {
		return func(w http.ResponseWriter, _ embedtest.Request, _ int) bool {
			embedtest.Refuse(w, status, "no: "+testKey)
			return true
		}
	}
	one, two := `{"index":0,"embedding":[1,0]}`, `{"index":1,"embedding":[0,1]}`
	for name, c := range map[string]struct {
		serve func(http.ResponseWriter, embedtest.Request, int) bool
		calls int
		waits int
		kind  fault.Kind
		says  string
	}{
		"missing vector":  {answer(`{"data":[` + one + `]}`), 1, 0, fault.Unavailable, "1 vectors for 2 texts"},
		"extra vector":    {answer(`{"data":[` + one + `,` + two + `,` + two + `]}`), 1, 0, fault.Unavailable, "3 vectors for 2 texts"},
		"index twice":     {answer(`{"data":[` + one + `,` + one + `]}`), 1, 0, fault.Unavailable, "index 0"},
		"index outside":   {answer(`{"data":[` + one + `,{"index":7,"embedding":[1,2]}]}`), 1, 0, fault.Unavailable, "index 7"},
		"index negative":  {answer(`{"data":[` + one + `,{"index":-1,"embedding":[1,2]}]}`), 1, 0, fault.Unavailable, "index -1"},
		"index missing":   {answer(`{"data":[` + two + `,{"embedding":[1,2]}]}`), 1, 0, fault.Unavailable, "no index"},
		"empty vector":    {answer(`{"data":[` + one + `,{"index":1,"embedding":[]}]}`), 1, 0, fault.Unavailable, "empty"},
		"uneven vectors":  {answer(`{"data":[` + one + `,{"index":1,"embedding":[1,1,0]}]}`), 1, 0, fault.Unavailable, "has 3 dimensions, the first of the same answer 2"},
		"zero vector":     {answer(`{"data":[` + one + `,{"index":1,"embedding":[0,0]}]}`), 1, 0, fault.Unavailable, "do not tell texts apart"},
		"not finite":      {answer(`{"data":[` + one + `,{"index":1,"embedding":[null,null]}]}`), 1, 0, fault.Unavailable, "do not tell texts apart"},
		"constant vector": {answer(`{"data":[` + one + `,{"index":1,"embedding":[0.5,0.5]}]}`), 1, 0, fault.Unavailable, "do not tell texts apart"},
		"NaN":             {answer(`{"data":[` + one + `,{"index":1,"embedding":[NaN,1]}]}`), 1, 0, fault.Unavailable, "is not valid"},
		"beyond float32":  {answer(`{"data":[` + one + `,{"index":1,"embedding":[1e300,1]}]}`), 1, 0, fault.Unavailable, "read the answer"},
		"odd base64":      {answer(`{"data":[` + one + `,{"index":1,"embedding":"AAAA"}]}`), 1, 0, fault.Unavailable, "no list of float32"},
		"NaN in base64":   {answer(`{"data":[` + one + `,{"index":1,"embedding":"AADAfwAAgD8="}]}`), 1, 0, fault.Unavailable, "do not tell texts apart"},
		"error with 200":  {answer(`{"error":{"message":"boom ` + testKey + `"}}`), 2, 0, fault.Invalid, "boom"},
		"a web page":      {answer("<html>hello"), 1, 0, fault.Unavailable, "is not valid"},
		"truncated":       {answer(`{"data":[` + one), 3, 2, fault.Unavailable, "read the answer"},
		"nothing":         {answer(``), 3, 2, fault.Unavailable, "read the answer"},
		"refused key":     {refuse(401), 1, 0, fault.Unavailable, "does not accept the key"},
		"no model":        {refuse(404), 1, 0, fault.Unavailable, `knows no model "m"`},
		"bad request":     {refuse(400), 3, 0, fault.Invalid, "status 400"},
		"busy":            {refuse(429), 3, 2, fault.RateLimited, "asked too often"},
		"broken":          {refuse(500), 4, 2, fault.Unavailable, "has a problem (status 500)"},
		"not implemented": {refuse(501), 1, 0, fault.Invalid, "status 501"},
		"elsewhere":       {refuse(308), 1, 0, fault.Unavailable, "another address"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := embedtest.NewServer(t)
			server.Intercept(c.serve)
			o, waits := newOpenAI(t, server, nil)
			v, err := o.EmbedDocuments(t.Context(), []string{"a", "b"})
			if err == nil || v != nil {
				t.Fatalf("%d vectors, %v", len(v), err)
			}
			if fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "openai/m") {
				t.Errorf("%s: %v; want %s: …%s…", fault.KindOf(err), err, c.kind, c.says)
			}
			if strings.Contains(err.Error(), testKey) {
				t.Errorf("the key is in the error: %v", err)
			}
			if got := len(server.Requests()); got != c.calls || len(*waits) != c.waits {
				t.Errorf("%d requests and %d waits, want %d and %d", got, len(*waits), c.calls, c.waits)
			}
			if o.Dimensions() != 0 {
				t.Errorf("a failed call has taught it %d dimensions", o.Dimensions())
			}
		})
	}
}

func TestOpenAIRetries(t *testing.T) {
	t.Parallel()
	server := embedtest.NewServer(t)
	after := func(header string) func(http.ResponseWriter, embedtest.Request, int) bool {
		return func(w http.ResponseWriter, _ embedtest.Request, n int) bool {
			if n >= 2 {
				return false
			}
			if header != "" {
				w.Header().Set("Retry-After", header)
			}
			embedtest.Refuse(w, http.StatusTooManyRequests, "slow down")
			return true
		}
	}
	for _, c := range []struct {
		header string
		min    []time.Duration
		max    []time.Duration
	}{
		{"7", []time.Duration{7 * time.Second, 7 * time.Second}, []time.Duration{7 * time.Second, 7 * time.Second}},
		{
			testNow.Add(9 * time.Second).Format(http.TimeFormat),
			[]time.Duration{9 * time.Second, 9 * time.Second},
			[]time.Duration{9 * time.Second, 9 * time.Second},
		},
		{"", []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}, []time.Duration{500 * time.Millisecond, time.Second}},
		{"soon", []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}, []time.Duration{500 * time.Millisecond, time.Second}},
	} {
		server.Intercept(after(c.header))
		o, waits := newOpenAI(t, server, nil)
		if _, err := o.EmbedQuery(t.Context(), "hello"); err != nil {
			t.Fatalf("Retry-After %q: %v", c.header, err)
		}
		if len(*waits) != 2 {
			t.Fatalf("Retry-After %q: waits %v", c.header, *waits)
		}
		for i, w := range *waits {
			if w < c.min[i] || w > c.max[i] {
				t.Errorf("Retry-After %q: wait %d is %v, want %v to %v", c.header, i, w, c.min[i], c.max[i])
			}
		}
	}
	// The server asks for a longer wait than the limit.
	server.Intercept(after("3600"))
	o, waits := newOpenAI(t, server, nil)
	_, err := o.EmbedQuery(t.Context(), "hello")
	var status *embed.StatusError
	if !errors.As(err, &status) || status.RetryAfter != time.Hour || len(*waits) != 0 {
		t.Errorf("an hour: %v after waits %v", err, *waits)
	}
	// Retries are turned off.
	server.Intercept(after("1"))
	o, waits = newOpenAI(t, server, func(c *embed.Config) { c.MaxRetries = -1 })
	if _, err := o.EmbedQuery(t.Context(), "hello"); err == nil || len(*waits) != 0 {
		t.Errorf("no retries: %v after waits %v", err, *waits)
	}
}

func TestOpenAIDimensionsStay(t *testing.T) {
	t.Parallel()
	server := embedtest.NewServer(t)
	server.Intercept(func(w http.ResponseWriter, _ embedtest.Request, n int) bool {
		_, _ = fmt.Fprintf(w, `{"data":[{"index":0,"embedding":[1%s]}]}`, strings.Repeat(",0", n+1))
		return true
	})
	o, _ := newOpenAI(t, server, nil)
	if v, err := o.EmbedQuery(t.Context(), "a"); err != nil || len(v) != 2 {
		t.Fatal(v, err)
	}
	if _, err := o.EmbedQuery(t.Context(), "b"); err == nil || !strings.Contains(err.Error(), "vectors of 3 dimensions, want 2") {
		t.Errorf("a longer vector: %v", err)
	}
	asked, _ := newOpenAI(t, server, func(c *embed.Config) { c.Dimensions = 3 })
	if _, err := asked.EmbedQuery(t.Context(), "c"); err == nil || !strings.Contains(err.Error(), "vectors of 4 dimensions, want 3") {
		t.Errorf("other than asked for: %v", err)
	}
}

func TestOpenAIWithoutIndexTakesTheOrder(t *testing.T) {
	t.Parallel()
	server := embedtest.NewServer(t)
	server.Intercept(func(w http.ResponseWriter, _ embedtest.Request, _ int) bool {
		_, _ = io.WriteString(w, `{"data":[{"embedding":[3,4]},{"embedding":[0,2]}]}`)
		return true
	})
	o, _ := newOpenAI(t, server, nil)
	v, err := o.EmbedDocuments(t.Context(), []string{"a", "b"})
	if err != nil || !slices.Equal(v[0], []float32{.6, .8}) || !slices.Equal(v[1], []float32{0, 1}) {
		t.Errorf("%v, %v", v, err)
	}
}

// Some servers send base64 although docent asks for numbers.
func TestOpenAIReadsBase64(t *testing.T) {
	t.Parallel()
	server := embedtest.NewServer(t)
	server.Intercept(func(w http.ResponseWriter, _ embedtest.Request, _ int) bool {
		_, _ = io.WriteString(w, `{"data":[{"index":0,"embedding":"AABAQAAAgEA="},{"index":1,"embedding":[0,2]}]}`)
		return true
	})
	o, _ := newOpenAI(t, server, nil)
	v, err := o.EmbedDocuments(t.Context(), []string{"a", "b"})
	if err != nil || !slices.Equal(v[0], []float32{.6, .8}) || !slices.Equal(v[1], []float32{0, 1}) {
		t.Errorf("%v, %v", v, err)
	}
}

func TestOpenAICanceledWhileWaiting(t *testing.T) {
	t.Parallel()
	server := embedtest.NewServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	server.Intercept(func(w http.ResponseWriter, _ embedtest.Request, _ int) bool {
		w.Header().Set("Retry-After", "30")
		embedtest.Refuse(w, http.StatusServiceUnavailable, "restarting")
		cancel()
		return true
	})
	o, err := embed.NewOpenAI(embed.Config{BaseURL: server.URL, Model: "m"}) // with the real wait
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.EmbedQuery(ctx, "a"); fault.KindOf(err) != fault.Canceled {
		t.Errorf("canceled: %v", err)
	}
}

func TestOpenAITimeout(t *testing.T) {
	t.Parallel()
	server := embedtest.NewServer(t)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	server.Intercept(func(http.ResponseWriter, embedtest.Request, int) bool {
		<-release
		return true
	})
	o, waits := newOpenAI(t, server, func(c *embed.Config) { c.Timeout = 20 * time.Millisecond; c.MaxRetries = 1 })
	_, err := o.EmbedQuery(t.Context(), "a")
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "did not answer within 20ms") || len(*waits) != 1 {
		t.Errorf("%v after waits %v", err, *waits)
	}
}

func TestOpenAINobodyThere(t *testing.T) {
	t.Parallel()
	o, err := embed.NewOpenAI(embed.Config{BaseURL: "http://127.0.0.1:1/v1", Model: "m", MaxRetries: 1, Settings: embed.Settings{URL: "EMBED_URL"}})
	if err != nil {
		t.Fatal(err)
	}
	waits := embed.RecordWaits(o, testNow)
	_, err = o.EmbedQuery(t.Context(), "a")
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.Message(err), "EMBED_URL") || len(*waits) != 1 {
		t.Errorf("%v after waits %v", err, *waits)
	}
}

func TestOpenAIConfig(t *testing.T) {
	t.Parallel()
	for field, cfg := range map[string]embed.Config{
		"Model":      {},
		"BaseURL":    {Model: "m", BaseURL: "localhost:11434"},
		"scheme":     {Model: "m", BaseURL: "ftp://host"},
		"password":   {Model: "m", BaseURL: "http://u:" + testKey + "@host/v1"},
		"unparsable": {Model: "m", BaseURL: "http://u:" + testKey + "@ho st/%zz"},
		"APIKey":     {Model: "m", APIKey: "a\nb"},
		"Dimensions": {Model: "m", Dimensions: -1},
		"Texts":      {Model: "m", Texts: -1},
		"Timeout":    {Model: "m", Timeout: -1},
	} {
		if _, err := embed.NewOpenAI(cfg); err == nil || strings.Contains(err.Error(), testKey) {
			t.Errorf("%s: %v", field, err)
		}
	}
}
