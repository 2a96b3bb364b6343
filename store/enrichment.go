package store

import (
	"docent/ingest/intake"
	"docent/internal/fault"
)

// MaxEnrichment bounds the text of an enrichment in bytes.
const MaxEnrichment = 8 << 10

// CheckEnrichments fails with fault.Invalid if an enrichment cannot be stored.
func CheckEnrichments(all []intake.Enrichment) error {
	for _, e := range all {
		switch {
		case e.Key == "" || len(e.Key) > MaxName:
			return fault.New(fault.Invalid, "enrichment_key_length",
				"the key of an enrichment must have 1 to %d bytes, this has %d", MaxName, len(e.Key))
		case len(e.Text) > MaxEnrichment:
			return fault.New(fault.Invalid, "enrichment_length", "an enrichment may have %d bytes, this has %d", MaxEnrichment, len(e.Text))
		}
	}
	return nil
}

// EnrichmentTexts returns the texts of enrichments by key.
func EnrichmentTexts(all []intake.Enrichment) map[string]string {
	out := make(map[string]string, len(all))
	for _, e := range all {
		out[e.Key] = e.Text
	}
	return out
}
