package ws

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"docent/internal/fault"
)

// A recording must be base64 text. Other messages are refused as fault.Invalid.
func FuzzRecording(f *testing.F) {
	for _, message := range []string{`"UklGRiQAAABXQVZF"`, `"data:audio/webm;base64,AAAA"`, `"data:,"`, `""`, `null`, `5`, `{}`, `"?"`, `"AAA"`, ` "AAAA"`, ``} {
		f.Add([]byte(message))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		recording, err := decodeRecording(message)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid || recording != nil {
				t.Fatalf("%q: %v", message, err)
			}
			return
		}
		again, err := decodeRecording([]byte(`"` + base64.StdEncoding.EncodeToString(recording) + `"`))
		if !json.Valid(message) || len(recording) == 0 || err != nil || string(again) != string(recording) {
			t.Fatalf("%q is %q", message, recording)
		}
	})
}

func TestLanguageCode(t *testing.T) {
	t.Parallel()
	for language, want := range map[string]string{"de": "de", "DE": "de", "pt-BR": "pt", "en_US": "en", "english": "", "": "", "d": "", "日本": ""} {
		if got := languageCode(language); got != want {
			t.Errorf("%q: %q", language, got)
		}
	}
}
