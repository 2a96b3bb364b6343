// Package weaviatetest has a server for tests that behaves like a node of Weaviate. It
// keeps objects in memory, and knows the requests of index/weaviate only. Searches are
// exact.
package weaviatetest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Server is a cluster of one node.
type Server struct {
	// URL is the base URL.
	URL string
	// Down makes all requests fail.
	Down atomic.Bool

	mu      sync.Mutex // guards classes
	classes map[string]*class
}

type class struct {
	Description string `json:"description"`
	objects     map[string]object
}

type object struct {
	Class      string         `json:"class"`
	ID         string         `json:"id"`
	Properties map[string]any `json:"properties"`
	Vector     []float32      `json:"vector"`
}

// New starts a Server that stops when the test ends.
func New(t testing.TB) *Server {
	s := &Server{classes: map[string]*class{}}
	mux := http.NewServeMux()
	for pattern, handle := range map[string]func(r *http.Request, body []byte) (any, int){
		"GET /v1/.well-known/ready":       s.ready,
		"GET /v1/nodes":                   s.nodes,
		"POST /v1/schema":                 s.create,
		"GET /v1/schema/{class}":          s.describe,
		"DELETE /v1/schema/{class}":       s.drop,
		"POST /v1/batch/objects":          s.put,
		"DELETE /v1/batch/objects":        s.remove,
		"GET /v1/objects/{class}/{id}":    s.get,
		"DELETE /v1/objects/{class}/{id}": s.removeOne,
		"POST /v1/graphql":                s.query,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil || s.Down.Load() {
				http.Error(w, "the node is down", http.StatusServiceUnavailable)
				return
			}
			s.mu.Lock()
			out, status := handle(r, body)
			s.mu.Unlock()
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(out) // the client sees a failure
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Classes returns the number of objects of each class.
func (s *Server) Classes() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]int{}
	for name, c := range s.classes {
		out[name] = len(c.objects)
	}
	return out
}

func (*Server) ready(*http.Request, []byte) (any, int) { return nil, http.StatusOK }

func (*Server) nodes(*http.Request, []byte) (any, int) {
	return map[string]any{"nodes": []any{map[string]string{"name": "node1"}}}, http.StatusOK
}

func (s *Server) create(_ *http.Request, body []byte) (any, int) {
	var c struct{ Class, Description string }
	if err := json.Unmarshal(body, &c); err != nil || s.classes[c.Class] != nil {
		return "the class exists", http.StatusUnprocessableEntity
	}
	s.classes[c.Class] = &class{c.Description, map[string]object{}}
	return nil, http.StatusOK
}

func (s *Server) describe(r *http.Request, _ []byte) (any, int) {
	if c := s.classes[r.PathValue("class")]; c != nil {
		return c, http.StatusOK
	}
	return nil, http.StatusNotFound
}

func (s *Server) drop(r *http.Request, _ []byte) (any, int) {
	delete(s.classes, r.PathValue("class"))
	return nil, http.StatusOK
}

func (s *Server) put(_ *http.Request, body []byte) (any, int) {
	var in struct{ Objects []object }
	if err := json.Unmarshal(body, &in); err != nil {
		return err.Error(), http.StatusUnprocessableEntity
	}
	results := make([]any, len(in.Objects))
	for i, o := range in.Objects {
		c := s.classes[o.Class]
		if c == nil {
			return "there is no class " + o.Class, http.StatusUnprocessableEntity
		}
		c.objects[o.ID] = o
		results[i] = map[string]any{"result": map[string]any{"status": "SUCCESS"}}
	}
	return results, http.StatusOK
}

// condition is a filter of objects.
type condition struct {
	Operator      string
	Path          []string
	Operands      []condition
	ValueIntArray []float64
	ValueInt      float64
}

func (c condition) accepts(o object) bool {
	switch c.Operator {
	case "And":
		return !slices.ContainsFunc(c.Operands, func(c condition) bool { return !c.accepts(o) })
	case "ContainsAny":
		n, ok := o.Properties[c.Path[0]].(float64)
		return ok && slices.Contains(c.ValueIntArray, n)
	case "LessThan":
		n, ok := o.Properties[c.Path[0]].(float64)
		return ok && n < c.ValueInt
	}
	return false
}

func (s *Server) remove(_ *http.Request, body []byte) (any, int) {
	var in struct {
		Match struct {
			Class string
			Where condition
		}
	}
	if err := json.Unmarshal(body, &in); err != nil || s.classes[in.Match.Class] == nil {
		return "the filter is invalid", http.StatusUnprocessableEntity
	}
	matches := 0
	for id, o := range s.classes[in.Match.Class].objects {
		if in.Match.Where.accepts(o) {
			delete(s.classes[in.Match.Class].objects, id)
			matches++
		}
	}
	return map[string]any{"results": map[string]int{"matches": matches, "failed": 0}}, http.StatusOK
}

func (s *Server) get(r *http.Request, _ []byte) (any, int) {
	if c := s.classes[r.PathValue("class")]; c != nil {
		if o, ok := c.objects[r.PathValue("id")]; ok {
			return o, http.StatusOK
		}
	}
	return nil, http.StatusNotFound
}

func (s *Server) removeOne(r *http.Request, body []byte) (any, int) {
	out, status := s.get(r, body)
	if status == http.StatusOK {
		delete(s.classes[r.PathValue("class")].objects, r.PathValue("id"))
	}
	return out, status
}

var (
	isCount  = regexp.MustCompile(`^\{Aggregate \{(\w+) \{meta \{count\}\}\}\}$`)
	isSearch = regexp.MustCompile(`^\{Get \{(\w+)\(limit: (\d+), nearVector: \{vector: (\[[^\]]*\])\}` +
		`(?:, where: \{operator: And, operands: \[(?:\{path: \["document"\], operator: ContainsAny, valueInt: (\[[\d,]*\])\})?(?:, )?` +
		`(?:\{path: \["collection"\], operator: ContainsAny, valueText: (\[.*\])\})?\]\})?\) \{chunk source ordinal _additional \{distance\}\}\}\}$`)
)

func (s *Server) query(_ *http.Request, body []byte) (any, int) {
	var in struct{ Query string }
	if err := json.Unmarshal(body, &in); err != nil {
		return err.Error(), http.StatusUnprocessableEntity
	}
	if m := isCount.FindStringSubmatch(in.Query); m != nil && s.classes[m[1]] != nil {
		count := map[string]any{"meta": map[string]int{"count": len(s.classes[m[1]].objects)}}
		return map[string]any{"data": map[string]any{"Aggregate": map[string]any{m[1]: []any{count}}}}, http.StatusOK
	}
	if m := isSearch.FindStringSubmatch(in.Query); m != nil && s.classes[m[1]] != nil {
		found, err := s.classes[m[1]].search(m[2], m[3], m[5], m[4])
		if err == nil {
			return map[string]any{"data": map[string]any{"Get": map[string]any{m[1]: found}}}, http.StatusOK
		}
	}
	message := map[string]string{"message": "Cannot answer " + strings.ToValidUTF8(in.Query[:min(len(in.Query), 80)], "")}
	return map[string]any{"errors": []any{message}}, http.StatusOK
}

// search returns the nearest objects of the given collections and documents, or of all.
// The parameters are JSON.
func (c *class) search(limit, vector, collections, documents string) ([]map[string]any, error) {
	n, err := strconv.Atoi(limit)
	if err != nil {
		return nil, fmt.Errorf("limit: %w", err)
	}
	var query []float32
	if err := json.Unmarshal([]byte(vector), &query); err != nil {
		return nil, fmt.Errorf("vector: %w", err)
	}
	var in []string
	if collections != "" {
		if err := json.Unmarshal([]byte(collections), &in); err != nil {
			return nil, fmt.Errorf("collections: %w", err)
		}
	}
	var of []float64
	if documents != "" {
		if err := json.Unmarshal([]byte(documents), &of); err != nil {
			return nil, fmt.Errorf("documents: %w", err)
		}
	}
	distances := map[string]float64{}
	var ids []string
	for id, o := range c.objects {
		collection, _ := o.Properties["collection"].(string) // "" of another type is in no collection
		if len(o.Vector) != len(query) || collections != "" && !slices.Contains(in, collection) {
			continue
		}
		if document, _ := o.Properties["document"].(float64); documents != "" && !slices.Contains(of, document) {
			continue
		}
		for i, f := range o.Vector {
			distances[id] -= float64(f) * float64(query[i])
		}
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(cmp.Compare(distances[a], distances[b]), cmp.Compare(a, b)) })
	out := []map[string]any{}
	for _, id := range ids[:min(n, len(ids))] {
		p := c.objects[id].Properties
		out = append(out, map[string]any{
			"chunk": p["chunk"], "source": p["source"], "ordinal": p["ordinal"],
			"_additional": map[string]float64{"distance": float64(float32(distances[id]))},
		})
	}
	return out, nil
}
