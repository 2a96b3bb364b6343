package markup

import "docent/ingest/extract/charset"

// textual decodes the source of a markup language.
func textual(data []byte) (string, error) {
	text, _, err := charset.Decode(data, "")
	return text, err
}
