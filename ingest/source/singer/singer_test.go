package singer

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"docent/ingest/source/sourcetest"
	"docent/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tap is a tap that runs in this process.
type tap struct {
	catalog, output string
	err             error
	args            []string          // of the last run
	files           map[string]string // that the last run got, by option
}

func (p *tap) run(_ context.Context, _ string, _, command []string, read func(io.Reader) error) error {
	if slices.Contains(command, "--discover") {
		return read(strings.NewReader(p.catalog))
	}
	p.args, p.files = command, map[string]string{}
	for i := 1; i+1 < len(command); i += 2 {
		data, err := os.ReadFile(command[i+1])
		if err != nil {
			return err
		}
		p.files[command[i]] = string(data)
	}
	if err := read(strings.NewReader(p.output)); err != nil {
		return err
	}
	return p.err
}

func inFolder(t *testing.T) func(func(string) error) error {
	t.Helper()
	return func(work func(string) error) error { return work(t.TempDir()) }
}

const streams = `{"streams": [
{"stream": "issues", "tap_stream_id": "issues", "schema": {"type": "object"}, "metadata": [
  {"breadcrumb": [], "metadata": {"inclusion": "available", "replication-method": "INCREMENTAL"}},
  {"breadcrumb": ["properties", "id"], "metadata": {"inclusion": "available"}}]},
{"stream": "comments", "schema": {}, "replication_method": "INCREMENTAL"},
{"stream": "labels", "schema": {}, "metadata": [{"breadcrumb": [], "metadata": {"forced-replication-method": "FULL_TABLE"}}]}]}`

const schemas = `{"type": "SCHEMA", "stream": "issues", "schema": {}, "key_properties": ["id"]}
{"type": "SCHEMA", "stream": "comments", "schema": {}, "key_properties": ["id"]}
{"type": "SCHEMA", "stream": "labels", "schema": {}, "key_properties": ["project", "name"]}
`

func record(stream, fields string) string {
	return fmt.Sprintf(`{"type": "RECORD", "stream": %q, "record": {%s}}`+"\n", stream, fields)
}

func open(t *testing.T, p *tap, cfg Config) *Source {
	t.Helper()
	if cfg.CacheDir == "" {
		cfg.CacheDir = t.TempDir()
	}
	if cfg.Command == "" {
		cfg.Command = "/opt/bin/tap-example"
	}
	if cfg.Config == "" {
		cfg.Config = `{"token": "t"}`
	}
	cfg.Run, cfg.InFolder = p.run, inFolder(t)
	src, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

func TestRecords(t *testing.T) {
	t.Parallel()
	p := &tap{catalog: streams, output: schemas +
		record("issues", `"id": 7, "title": "Pump leaks", "body": "# Steps\nOpen it.", "html_url": "https://x/7", "updated_at": "2026-05-01T10:00:00Z", "labels": [{"name": "bug"}, {"name": "pump"}], "user": {"login": "ada"}`) +
		record("issues", `"id": 8, "title": "Gone", "deleted": true`) +
		record("labels", `"project": 1, "name": "bug", "color": "red"`) +
		`{"type": "ACTIVATE_VERSION", "stream": "nothing", "version": 1}` + "\n" + `{"type": "BATCH"}` + "\n"}
	src := open(t, p, Config{Streams: []string{"issues", "labels"}})
	var k sourcetest.Kept
	k.Sync(t, src)
	if k.Err != nil || len(k.Keys()) != 2 || k.Keys()[0] != "issues/7" {
		t.Fatalf("items %q, error %v", k.Keys(), k.Err)
	}
	want := "---\ntitle: \"Pump leaks\"\ndate: 2026-05-01\ntags:\n  - \"bug\"\n  - \"pump\"\n---\n\n# Pump leaks\n\nBy ada, 2026-05-01\n\n## Steps\nOpen it.\n\n"
	if k.Bodies["issues/7"] != want || k.Items["issues/7"].Address != "https://x/7" {
		t.Errorf("got %q", k.Bodies["issues/7"])
	}
	if label := k.Bodies[k.Keys()[1]]; !strings.Contains(label, "| color | red |") || !strings.Contains(label, "# bug") {
		t.Errorf("a record without text: %q", label)
	}
	if p.files["--config"] != `{"token": "t"}` || p.files["--state"] != "" {
		t.Errorf("the tap got %q", p.files)
	}
	for _, part := range []string{`"selected":true`, `"selected":false`} {
		if !strings.Contains(p.files["--catalog"], part) {
			t.Errorf("%s is missing in the catalog %s", part, p.files["--catalog"])
		}
	}
	k.Sync(t, src)
	sourcetest.Equal(t, "changed", k.Changed, nil)
	// A record that is missing in a full run is gone.
	p.output = schemas + record("issues", `"id": 7, "title": "Pump leaks", "body": "Close it."`)
	k.Sync(t, src)
	sourcetest.Equal(t, "items", k.Keys(), []string{"issues/7"})
	sourcetest.Equal(t, "changed", k.Changed, []string{"issues/7"})
	// A run that fails changes nothing.
	p.output, p.err = schemas, fault.New(fault.Unavailable, "tap_failed", "%s ended", "tap")
	if k.Sync(t, src); k.Err == nil || len(k.Keys()) != 1 {
		t.Errorf("items %q, error %v", k.Keys(), k.Err)
	}
}

// TestGroups: comments become sections of their issue.
func TestGroups(t *testing.T) {
	t.Parallel()
	p := &tap{catalog: `{"streams": [{"stream": "issues"}, {"stream": "issue_comments"}]}`, output: record("issue_comments",
		`"id": 2, "issue_url": "https://api/i/7", "html_url": "https://x/7#2", "body": "Fixed.", "user": {"login": "bob"}, "created_at": "2026-05-03"`) +
		record("issue_comments", `"id": 1, "issue_url": "https://api/i/7", "body": "Really?", "created_at": "2026-05-02"`) +
		record("issues", `"id": 7, "url": "https://api/i/7", "html_url": "https://x/7", "title": "Pump", "body": "It leaks."`)}
	var k sourcetest.Kept
	k.Sync(t, open(t, p, Config{Command: "/opt/bin/meltanolabs-tap-github"}))
	sourcetest.Equal(t, "items", k.Keys(), []string{"group/https://api/i/7"})
	want := "---\ntitle: \"Pump\"\ndate: 2026-05-03\n---\n\n# Pump\n\nIt leaks.\n\n## 2026-05-02\n\nReally?\n\n## bob, 2026-05-03\n\nFixed.\n\n"
	if got := k.Bodies["group/https://api/i/7"]; got != want || k.Items["group/https://api/i/7"].Address != "https://x/7" {
		t.Errorf("got %q", got)
	}
}

// TestIncremental: a tap gets its state, and writes only changes.
func TestIncremental(t *testing.T) {
	t.Parallel()
	p := &tap{catalog: streams, output: schemas +
		record("issues", `"id": 1, "title": "One"`) + record("issues", `"id": 2, "title": "Two"`) + record("issues", `"id": 3, "title": "Three"`) +
		record("labels", `"project": 1, "name": "bug"`) + `{"type": "STATE", "value": {"since": "monday"}}` + "\n"}
	cfg := Config{Incremental: true, CacheDir: t.TempDir()}
	var k sourcetest.Kept
	k.Sync(t, open(t, p, cfg))
	if len(k.Keys()) != 4 || p.files["--state"] != "" {
		t.Fatalf("items %q, error %v", k.Keys(), k.Err)
	}
	stored, err := filepath.Glob(filepath.Join(cfg.CacheDir, "*", "*"))
	if err != nil || len(stored) != 1 {
		t.Fatalf("files %q", stored)
	}
	if data, err := os.ReadFile(stored[0]); err != nil || strings.Contains(string(data), "monday") {
		t.Errorf("the state is not encrypted: %s", data)
	}
	p.output = schemas + record("issues", `"id": 2, "title": "Two, changed"`) + record("issues", `"id": 3, "_sdc_deleted_at": "2026-05-01"`) +
		record("labels", `"project": 1, "name": "idea"`) + `{"type": "STATE", "value": {"since": "tuesday"}}` + "\n"
	src := open(t, p, cfg)
	k.Sync(t, src)
	if p.files["--state"] != `{"since": "monday"}` {
		t.Errorf("the tap got %q", p.files)
	}
	if got := k.Keys(); len(got) != 3 || got[0] != "issues/1" || got[1] != "issues/2" || len(k.Changed) != 2 {
		t.Errorf("items %q, changed %q, error %v", got, k.Changed, k.Err)
	}
	// Records of earlier versions are gone.
	p.output = `{"type": "RECORD", "stream": "issues", "version": 5, "record": {"title": "No key"}}` + "\n" +
		`{"type": "ACTIVATE_VERSION", "stream": "issues", "version": 5}` + "\n"
	k.Sync(t, src)
	if len(k.Keys()) != 1 || p.files["--state"] != `{"since": "tuesday"}` {
		t.Errorf("items %q, the tap got %q", k.Keys(), p.files["--state"])
	}
	// Without the key of its state, a run reads everything again.
	cfg.Config = `{"token": "new"}`
	k.Sync(t, open(t, p, cfg))
	if p.files["--state"] != "" {
		t.Errorf("the tap got %q", p.files)
	}
}

func TestHostileTaps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ catalog, output, want string }{
		"no tap":       {"usage: cat [FILE]", "", "tap_catalog_invalid"},
		"no streams":   {`{"streams": []}`, "", "tap_catalog_invalid"},
		"other stream": {`{"streams": [{"stream": "x"}]}`, "", "tap_stream_unknown"},
		"text":         {"", "hello\n", "tap_output_invalid"},
		"no record":    {"", `{"type": "RECORD", "stream": "issues"}` + "\n", "tap_output_invalid"},
		"null":         {"", `{"type": "RECORD", "stream": "issues", "record": null}` + "\n", "tap_output_invalid"},
		"deep":         {"", record("issues", `"a": `+strings.Repeat("[", 1_000_000)), "tap_output_invalid"},
		"many records": {"", record("issues", `"a": 1`) + record("issues", `"a": 2`) + record("issues", `"a": 3`) + record("issues", `"a": 4`), "tap_too_many_records"},
		"many streams": {"", func() string {
			var b strings.Builder
			for i := range maxStreams + 1 {
				fmt.Fprintf(&b, `{"type": "SCHEMA", "stream": "%d"}`+"\n", i)
			}
			return b.String()
		}(), "tap_too_many_streams"},
	} {
		var k sourcetest.Kept
		k.Sync(t, open(t, &tap{catalog: c.catalog, output: c.output}, Config{Streams: []string{"issues"}, MaxRecords: 3}))
		if fault.TextOf(k.Err).ID != c.want {
			t.Errorf("%s: %v", name, k.Err)
		}
	}
	var k sourcetest.Kept
	p := &tap{output: record("issues", `"id": "`+strings.Repeat("x", maxLine)+`"`) + record("issues", `"title": "a"`)}
	if k.Sync(t, open(t, p, Config{})); k.Err != nil || len(k.Keys()) != 1 || fault.TextOf(k.Failed["large/1"]).ID != "tap_record_large" {
		t.Errorf("a large record: %v, %v", k.Failed, k.Err)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for field, cfg := range map[string]Config{
		"tap":         {Command: "tap-x", Config: "{}"},
		"config":      {Command: "/tap-x"},
		"files":       {Command: "/tap-x", Config: "{}", Files: []string{"a"}},
		"max_records": {Command: "/tap-x", Config: "{}", MaxRecords: -1},
		"title":       {Command: "/tap-x", Config: "{}", Title: "{name"},
	} {
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	var fields map[string]any
	err := decode([]byte(`{"id": 12345678901234567, "a": {"b": ["x", null, {"c": "y"}]}, "list": [{"n": 1}, {"n": 2}], "empty": "", "t": true,
"doc": {"type": "doc", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "One "}, {"type": "text", "text": "two."}]}, {"type": "paragraph", "content": [{"text": "Three."}]}]},
"notion": [{"plain_text": "Hello"}]}`), &fields)
	if err != nil {
		t.Fatal(err)
	}
	for template, want := range map[string]string{
		"{id}": "12345678901234567", "{a.b.c} {list.n}": "y 1, 2", "{empty|nothing|t}!": "true!", "{doc}": "One two.\n\nThree.",
		"{notion}": "Hello", "plain": "plain", "{a.b.c.d}": "", " ": "", "{id": "12345678901234567",
	} {
		if got := fill(template, fields); got != want {
			t.Errorf("%s: %q, want %q", template, got, want)
		}
	}
	for text, want := range map[string]string{
		"1767225600": "2026-01-01", "1767225600000": "2026-01-01", "1767225600.5": "2026-01-01", "2026-01-01T00:30:00+02:00": "2025-12-31",
		"2026-01-01 10:00:00": "2026-01-01", "12": "0001-01-01", "soon": "0001-01-01",
	} {
		if got := when(text).Format("2006-01-02"); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestReaders checks that a source has only the documents that its group may read at the service, and loses a
// document whose right is taken away. Others get nothing.
func TestReaders(t *testing.T) {
	t.Parallel()
	issue := func(id, readers string) string {
		return record("issues", `"id": `+id+`, "title": "T", "body": "Text `+id+`", "url": "https://x/`+id+`", "acl": {"groups": `+readers+`}`)
	}
	records := schemas + issue("1", `["Engineering", "Sales"]`) + issue("2", `["Sales"]`) + issue("3", `[]`) + issue("4", `"Engineering, secret"`) +
		record("comments", `"id": 5, "body": "Comment on 1", "issue_url": "https://x/1"`)
	keys := func(output, reader string) string {
		src := open(t, &tap{catalog: streams, output: output}, Config{
			Command: "/opt/bin/tap-example", Group: "{issue_url|url}", Readers: "{acl.groups}", Reader: reader,
		})
		var k sourcetest.Kept
		k.Sync(t, src)
		if k.Err != nil {
			t.Fatal(k.Err)
		}
		return strings.Join(k.Keys(), " ")
	}
	for reader, want := range map[string]string{
		"Engineering": "group/https://x/1", "Sales": "group/https://x/1 group/https://x/2",
		"stranger": "", "secret": "", "Engineering, secret": "group/https://x/4",
	} {
		if got := keys(records, reader); got != want {
			t.Errorf("%s may read %q, want %q", reader, got, want)
		}
	}
	// A comment that only others may read closes the document.
	if got := keys(records+record("comments", `"id": 6, "body": "x", "issue_url": "https://x/1", "acl": {"groups": ["Board"]}`), "Engineering"); got != "" {
		t.Errorf("a document with a comment for others is read: %q", got)
	}
	p := &tap{catalog: streams, output: records}
	src := open(t, p, Config{Readers: "{acl.groups}", Reader: "Sales"})
	var k sourcetest.Kept
	k.Sync(t, src)
	p.output = schemas + issue("1", `["Engineering"]`) + issue("2", `["Sales"]`)
	k.Sync(t, src)
	if got := strings.Join(k.Keys(), " "); got != "issues/2" {
		t.Errorf("after the right was taken away: %q", got)
	}
	for _, cfg := range []Config{{Readers: "{a}"}, {Reader: "x"}, {Readers: "{a} {b}", Reader: "x"}, {Readers: "a", Reader: "x"}} {
		cfg.Command, cfg.Config = "/opt/bin/tap-example", "{}"
		if _, err := New(cfg); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}

func FuzzTap(f *testing.F) {
	f.Add([]byte(streams), []byte(schemas+record("issues", `"id": 1, "title": "a", "body": {"content": [{"text": "x"}]}`)), "{a.b|c} {d")
	f.Add([]byte(""), []byte(`{"type": "STATE", "value": null}`), "{")
	f.Fuzz(func(t *testing.T, catalog, output []byte, template string) {
		cfg := Config{Command: "/tap-x", Config: "{}", CacheDir: t.TempDir(), Group: template, MaxRecords: 100, Incremental: true}
		cfg.Run, cfg.InFolder = (&tap{catalog: string(catalog), output: string(output)}).run, inFolder(t)
		src, err := New(cfg)
		if err != nil {
			return
		}
		defer src.Close()
		for item, err := range src.List(t.Context(), func(string) ([]byte, bool) { return nil, false }) {
			if err != nil {
				return
			}
			if item.Err == nil {
				if _, err := sourcetest.Read(t.Context(), src, item); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
