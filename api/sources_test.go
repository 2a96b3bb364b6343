package api

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"docent/ingest/source"
	"docent/internal/fault"
)

// sourceShelf keeps sources in memory.
type sourceShelf struct {
	records []source.Record
	calls   []string
	added   source.New
}

var sourcePast = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func (s *sourceShelf) List(context.Context) ([]source.Record, error) { return s.records, nil }

func (s *sourceShelf) Get(_ context.Context, id int64) (source.Record, error) {
	for _, r := range s.records {
		if r.ID == id {
			return r, nil
		}
	}
	return source.Record{}, fault.New(fault.NotFound, "no_source", "there is no source %d", id)
}

func (s *sourceShelf) Add(_ context.Context, n source.New) (source.Record, error) {
	s.added = n
	if n.Kind == "folder" && n.Remote {
		return source.Record{}, fault.New(fault.Forbidden, "test_sentence", "add it on the command line")
	}
	return source.Record{ID: 9, Name: n.Location, Kind: n.Kind, Location: n.Location, Options: n.Options, Collection: "default", Schedule: "24h", CreatedAt: sourcePast}, nil
}

func (s *sourceShelf) Change(ctx context.Context, id int64, p source.Patch) (source.Record, error) {
	s.calls = append(s.calls, fmt.Sprintf("change %d %v %v %v", id, *p.Name, *p.Schedule, *p.Paused))
	return s.Get(ctx, id)
}

func (s *sourceShelf) Remove(_ context.Context, id int64, keep bool) error {
	s.calls = append(s.calls, fmt.Sprintf("remove %d %v", id, keep))
	return nil
}

func (s *sourceShelf) Kinds() []source.Kind {
	return []source.Kind{{Name: "folder", Local: true}, {Name: "web", Options: []source.Option{{Name: "token", Title: fault.Plain("Token"), Secret: true, Required: true}}}}
}

func (s *sourceShelf) Request(ctx context.Context, id int64, retry bool) error {
	s.calls = append(s.calls, fmt.Sprintf("sync %d %v", id, retry))
	_, err := s.Get(ctx, id)
	return err
}

func (s *sourceShelf) Failures(_ context.Context, _ int64, after string, limit int) ([]source.ItemRecord, error) {
	all := []source.ItemRecord{{Key: "a", Address: "https://x/a", Reason: fault.NewText("host_slow", "timeout of %s", "x"), Tries: 2, At: sourcePast}, {Key: "b", Reason: fault.Plain("damaged"), Tries: 1, At: sourcePast}}
	if after == "a" {
		all = all[1:]
	}
	return all[:min(limit, len(all))], nil
}

func TestSources(t *testing.T) {
	t.Parallel()
	s := &sourceShelf{records: []source.Record{
		{
			ID: 1, Name: "A", Kind: "web", Location: "https://x", Secret: []byte("sealed"), Collection: "default", Schedule: "1h", CreatedAt: sourcePast, NextAt: sourcePast, Items: 7, Failed: 2,
			Last: &source.Summary{StartedAt: sourcePast, EndedAt: sourcePast, Added: 7, Error: "the server went away"},
		},
		{ID: 2, Name: "B", Kind: "web", Schedule: "manual", BusyUntil: time.Now().Add(time.Hour), Progress: source.Progress{Done: 1, Total: 3}, CreatedAt: sourcePast},
		{ID: 3, Name: "C", Kind: "web", Schedule: "1h", Paused: true, NextAt: sourcePast, CreatedAt: sourcePast},
	}}
	c := newWorld().serve(t, func(cfg *Config) { cfg.Sources = s })
	const at = `"2026-01-02T03:04:05Z"`
	first := `{"id":1,"name":"A","kind":"web","location":"https://x","options":{},"collection":"default","schedule":"1h","paused":false,"status":"failed","items":7,"failed":2,"created_at":` + at +
		`,"last_sync":{"started_at":` + at + `,"ended_at":` + at + `,"added":7,"changed":0,"unchanged":0,"removed":0,"failed":0,"error":"the server went away"},"progress":null,"next_sync_at":` + at + `}`
	c.want(200, `{"sources":[`+first+`,{"id":2,"name":"B","kind":"web","location":"","options":{},"collection":"","schedule":"manual","paused":false,"status":"syncing","items":0,"failed":0,"created_at":`+at+
		`,"last_sync":null,"progress":{"done":1,"total":3},"next_sync_at":null},{"id":3,"name":"C","kind":"web","location":"","options":{},"collection":"","schedule":"1h","paused":true,"status":"paused","items":0,"failed":0,"created_at":`+at+
		`,"last_sync":null,"progress":null,"next_sync_at":null}]}`, "GET", "/api/sources", "")
	c.want(200, first, "GET", "/api/sources/1", "")
	c.wantError(404, fault.NotFound, "no source 99", "GET", "/api/sources/99", "")
	c.want(200, first, "PATCH", "/api/sources/1", `{"name":"N","schedule":"2h","paused":true}`)
	c.want(202, "", "POST", "/api/sources/1/sync", "")
	c.want(202, "", "POST", "/api/sources/1/retry", "")
	c.wantError(404, fault.NotFound, "no source 99", "POST", "/api/sources/99/sync", "")
	c.want(204, "", "DELETE", "/api/sources/1?documents=keep", "")
	c.want(204, "", "DELETE", "/api/sources/1", "")
	c.wantError(400, fault.Invalid, "documents", "DELETE", "/api/sources/1?documents=burn", "")
	if got := strings.Join(s.calls, "; "); got != "change 1 N 2h true; sync 1 false; sync 1 true; sync 99 false; remove 1 true; remove 1 false" {
		t.Errorf("calls are %s", got)
	}
	c.want(200, `{"failures":[{"key":"a","address":"https://x/a","reason":"timeout of x","sentence":{"id":"host_slow","params":["x"]},"tries":2,"at":`+at+`}],"next":"a"}`, "GET", "/api/sources/1/failures?limit=1", "")
	c.want(200, `{"failures":[{"key":"b","address":"","reason":"damaged","tries":1,"at":`+at+`}]}`, "GET", "/api/sources/1/failures?after=a", "")
	c.want(200, `{"kinds":[{"kind":"folder","local":true,"options":[]},{"kind":"web","local":false,"options":[{"name":"token","title":"Token","type":"text","secret":true,"required":true,"default":""}]}]}`, "GET", "/api/source-kinds", "")
}

func TestAddSource(t *testing.T) {
	t.Parallel()
	s := &sourceShelf{}
	c := newWorld().serve(t, func(cfg *Config) { cfg.Sources = s })
	c.want(201, `{"id":9,"name":"https://x","kind":"web","location":"https://x","options":{"a":"2","b":"true","c":"x,y"},"collection":"default","schedule":"24h","paused":false,"status":"idle","items":0,"failed":0,`+
		`"created_at":"2026-01-02T03:04:05Z","last_sync":null,"progress":null,"next_sync_at":null}`, "POST", "/api/sources",
		`{"kind":"web","location":"https://x","options":{"a":2,"b":true,"c":["x","y"],"d":"","e":null},"secret":{"token":"very secret"}}`)
	if s.added.Secret["token"] != "very secret" || !s.added.Remote {
		t.Errorf("added is %+v", s.added)
	}
	c.wantError(403, fault.Forbidden, "command line", "POST", "/api/sources", `{"kind":"folder","location":"/etc"}`)
	c.wantError(400, fault.Invalid, "location", "POST", "/api/sources", `{"kind":"web"}`)
	c.wantError(400, fault.Invalid, "setting", "POST", "/api/sources", `{"kind":"web","location":"x","options":{"a":{"b":1}}}`)
	for _, request := range [][2]string{{"GET", "/api/sources"}, {"POST", "/api/sources/1/sync"}, {"DELETE", "/api/sources/1"}, {"GET", "/api/source-kinds"}} {
		c.wantError(403, fault.Forbidden, "scope admin", request[0], request[1], "", "As", "user:ada ask ingest")
	}
	newWorld().serve(t).wantError(404, fault.NotFound, "sources are not available", "GET", "/api/sources", "")
}
