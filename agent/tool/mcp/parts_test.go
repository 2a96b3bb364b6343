package mcp

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docent/internal/fault"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	for want, cfg := range map[string]Config{
		"Name must be":          {Command: []string{"x"}},
		"one of Command":        {Name: "a"},
		"one of":                {Name: "a", Command: []string{"x"}, URL: "http://x"},
		"no program":            {Name: "a", Command: []string{""}},
		"Timeout":               {Name: "a", URL: "http://x", Timeout: -1},
		"Headers are for a URL": {Name: "a", Command: []string{"x"}, Headers: map[string]string{"A": "b"}},
		"Env and Dir":           {Name: "a", URL: "http://x", Dir: "/"},
		"http or https":         {Name: "a", URL: "ftp://x"},
		"http or":               {Name: "a", URL: "http://"},
		"cannot be sent":        {Name: "a", URL: "http://x", Headers: map[string]string{"A": "b\r\nC: d"}},
		"no program can have":   {Name: "a", Command: []string{"x"}, Env: map[string]string{"A=B": "c"}},
	} {
		_, err := Connect(t.Context(), cfg)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Message(err), want) {
			t.Errorf("%+v: %v, want %q", cfg, err, want)
		}
	}
}

func TestFunctionName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("very_", 20) + "long"
	for _, c := range []struct{ server, name, want string }{
		{"files", "read", "files_read"},
		{"files", "files_read", "files_read"},
		{"files", "read.all/now", "files_read_all_now"},
		{"files", "Größe", "files_Gr_e"},
		{"files", "天气", "files"},
		{"files", long, "files_very_very_very_very_very_very_very_very_very_very_7ae1c049"},
	} {
		got := functionName(c.server, c.name, false)
		if got != c.want || len(got) > maxToolName {
			t.Errorf("%s of %s is %s, want %s", c.name, c.server, got, c.want)
		}
	}
	if a, b := functionName("files", "a.b", false), functionName("files", "a_b", true); a == b || !strings.HasPrefix(b, a+"_") {
		t.Errorf("%s, %s", a, b)
	}
}

func TestOffer(t *testing.T) {
	t.Parallel()
	cfg, err := Config{Name: "test", URL: "http://x"}.prepare()
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{cfg: cfg}
	object := map[string]any{"type": "object"}
	got := s.offer([]*sdk.Tool{
		{Name: "a.b", InputSchema: object, Title: "Title"},
		{Name: "a_b", InputSchema: object, Description: strings.Repeat("é", maxDescription)},
		{Name: "a_b", InputSchema: object},
		{Name: "list", InputSchema: map[string]any{"type": "array"}},
		{Name: "string", InputSchema: "nonsense"},
		{Name: "huge", InputSchema: map[string]any{"type": "object", "description": strings.Repeat("x", 100_000)}},
		{Name: "bare", InputSchema: map[string]any{"properties": map[string]any{"x": map[string]any{"type": "string"}}}},
		{Name: "none"},
	})
	var names []string
	for _, made := range got {
		names = append(names, made.Name)
	}
	if list := strings.Join(names, " "); list != "test_a_b test_a_b_"+names[1][9:]+" test_bare test_none" {
		t.Errorf("offered: %s", list)
	}
	if got[0].Description != "Title" || len(got[1].Description) > maxDescription+3 || !utf8.ValidString(got[1].Description) {
		t.Errorf("described as %q, %.20q…", got[0].Description, got[1].Description)
	}
	if string(got[2].Parameters) != `{"properties":{"x":{"type":"string"}},"type":"object"}` {
		t.Errorf("parameters %s", got[2].Parameters)
	}
	many := make([]*sdk.Tool, 1000)
	for i := range many {
		many[i] = &sdk.Tool{Name: strings.Repeat("x", i+1), InputSchema: object}
	}
	if n := len(s.offer(many)); n != 128 {
		t.Errorf("%d tools are offered", n)
	}
}

func TestRedirectTo(t *testing.T) {
	t.Parallel()
	request := func(url string) *http.Request {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for url, ok := range map[string]bool{
		"https://a.example/x": true, "http://a.example/x": false, "https://a.example:8443/": false, "https://a.example.evil/": false,
	} {
		if err := sameHost(request(url), []*http.Request{request("https://a.example/")}); (err == nil) != ok {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// FuzzResult checks that each result of a server becomes either bounded, valid
// text or an error.
func FuzzResult(f *testing.F) {
	for _, seed := range []string{
		`{"content":[{"type":"text","text":"hello"}]}`,
		`{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}],"isError":true}`,
		`{"content":[{"type":"resource","resource":{"uri":"a","blob":"AAAA"}},{"type":"resource_link","uri":"x","size":-5}]}`,
		`{"content":null,"structuredContent":{"a":[1,null]}}`,
		`{"content":[{"type":"resource"}]}`,
		`{"content":[null],"isError":true}`,
		`{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{}}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r sdk.CallToolResult
		if json.Unmarshal(data, &r) != nil {
			return
		}
		result, err := render(&r)
		if err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
		if text, ok := result.(string); ok && len(text) > maxResult+100 {
			t.Errorf("%d bytes", len(text))
		}
	})
}
