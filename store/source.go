package store

import (
	"encoding/json"
	"fmt"

	"docent/ingest/source"
	"docent/internal/fault"
)

// MaxAddress bounds the location of a source and the address of an item, in bytes.
const MaxAddress = 8192

// CheckSource fails with fault.Invalid if a source cannot be stored.
func CheckSource(r source.Record) error {
	for _, f := range []struct {
		what, value string
		most        int
	}{
		{"name", r.Name, MaxName},
		{"kind", r.Kind, MaxName},
		{"location", r.Location, MaxAddress},
		{"collection", r.Collection, MaxName},
		{"schedule", r.Schedule, MaxName},
	} {
		if f.value == "" || len(f.value) > f.most {
			return fault.New(fault.Invalid,
				"source_field_length", "the %s of a source must have 1 to %d bytes; this one has %d", f.what, f.most, len(f.value))
		}
	}
	return nil
}

// CheckItems fails with fault.Invalid if an item cannot be stored.
func CheckItems(items []source.ItemRecord) error {
	for _, it := range items {
		if it.Key == "" || len(it.Key) > MaxKey || len(it.Document) > MaxKey || len(it.Address) > MaxAddress {
			return fault.New(fault.Invalid, "source_item_length", "the key, document or address of a source's item is empty or too long")
		}
	}
	return nil
}

// SourceOptions returns the options of a source as JSON.
func SourceOptions(options map[string]string) (string, error) {
	if options == nil {
		options = map[string]string{}
	}
	text, err := json.Marshal(options)
	if err != nil {
		return "", fmt.Errorf("options: %w", err)
	}
	return string(text), nil
}

// ReadSource decodes the JSON columns of a source.
func ReadSource(r *source.Record, options string, last *string) error {
	if err := json.Unmarshal([]byte(options), &r.Options); err != nil {
		return fmt.Errorf("options of source %d: %w", r.ID, err)
	}
	if last == nil {
		return nil
	}
	r.Last = &source.Summary{}
	if err := json.Unmarshal([]byte(*last), r.Last); err != nil {
		return fmt.Errorf("last sync of source %d: %w", r.ID, err)
	}
	return nil
}

// SourceEnd returns the summary of a sync as JSON.
func SourceEnd(end *source.End) (string, error) {
	last := end.Last
	last.Error = Text(last.Error)
	text, err := json.Marshal(last)
	if err != nil {
		return "", fmt.Errorf("summary: %w", err)
	}
	return string(text), nil
}

// NoSource is the error for a source that does not exist.
func NoSource(id int64) error {
	return fault.New(fault.NotFound, "no_source", "there is no source %d", id)
}

// SourceTaken is the error for a source's name that is in use.
func SourceTaken(name string) error {
	return fault.New(fault.Conflict, "source_name_taken", "there is already a source %q; choose another name", name)
}
