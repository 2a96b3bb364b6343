package singer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"docent/internal/fault"
)

// The limits of a catalog: its bytes, its streams, and the keys of a stream.
const (
	maxCatalog = 32 << 20
	maxStreams = 1000
	maxKeys    = 50
)

// errEmpty is the detail of an error about JSON that lacks what docent needs.
var errEmpty = errors.New("it is empty or too large")

// catalog is the list of streams that a tap offers, with those selected that docent
// reads.
type catalog struct {
	data []byte // nil if the tap has no catalog
	// full are the streams that the tap always writes in full.
	full map[string]bool
}

func (s *Source) wants(stream string) bool {
	return len(s.cfg.Streams) == 0 || slices.Contains(s.cfg.Streams, stream)
}

// discover asks the tap for its catalog, and selects streams with all their fields.
func (s *Source) discover(ctx context.Context, dir, config string) (catalog, error) {
	var out []byte
	command := []string{s.cfg.Command, "--config", config, "--discover"}
	err := s.cfg.Run(ctx, dir, s.cfg.Files, command, func(in io.Reader) (err error) {
		out, err = io.ReadAll(io.LimitReader(in, maxCatalog+1))
		if len(out) > maxCatalog {
			return fault.New(fault.Invalid, "tap_catalog_large", "the catalog of the tap has more than %d MiB", maxCatalog>>20)
		}
		return err
	})
	if err != nil {
		return catalog{}, err
	}
	return s.selected(out)
}

// selected selects streams in the catalog of a tap.
func (s *Source) selected(out []byte) (catalog, error) {
	if len(bytes.TrimSpace(out)) == 0 { // some taps have one stream and no catalog
		return catalog{}, nil
	}
	var all struct {
		Streams []map[string]any `json:"streams"`
	}
	if err := decode(out, &all); err != nil || len(all.Streams) == 0 || len(all.Streams) > maxStreams {
		return catalog{}, fault.Wrap(fault.Unavailable, cmp.Or(err, errEmpty), "tap_catalog_invalid",
			"the program answers --discover without a catalog of 1 to %d streams; is it a tap?", maxStreams)
	}
	var names []string
	full := map[string]bool{}
	for _, stream := range all.Streams {
		name, _ := stream["stream"].(string)
		if name == "" {
			name, _ = stream["tap_stream_id"].(string)
		}
		chosen := s.wants(name)
		if chosen {
			names = append(names, name)
		}
		if schema, ok := stream["schema"].(map[string]any); ok {
			schema["selected"] = chosen // older taps read it there
		}
		method, _ := stream["replication_method"].(string)
		entries, _ := stream["metadata"].([]any)
		root := false
		for _, e := range entries {
			entry, _ := e.(map[string]any)
			meta, ok := entry["metadata"].(map[string]any)
			if !ok {
				continue
			}
			meta["selected"] = chosen
			if crumbs, _ := entry["breadcrumb"].([]any); len(crumbs) == 0 {
				root = true
				for _, key := range []string{"replication-method", "forced-replication-method"} {
					if m, ok := meta[key].(string); ok && method == "" {
						method = m
					}
				}
			}
		}
		if !root {
			stream["metadata"] = append(entries, map[string]any{"breadcrumb": []any{}, "metadata": map[string]any{"selected": chosen}})
		}
		full[name] = method == "FULL_TABLE"
	}
	for _, want := range s.cfg.Streams {
		if !slices.Contains(names, want) {
			return catalog{}, fault.New(fault.Invalid, "tap_stream_unknown", "streams: the tap has no stream %.64q", want)
		}
	}
	data, err := json.Marshal(all)
	return catalog{data, full}, err
}

// decode reads JSON and keeps numbers as they are written.
func decode(data []byte, out any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(out)
}
