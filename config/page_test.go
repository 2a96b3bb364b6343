package config

import (
	"encoding/base64"
	"strings"
	"testing"
)

// png is the beginning of a PNG file, which is all that docent looks at.
const png = "\x89PNG\x0D\x0A\x1A\x0A"

func picture(kind, data string) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString([]byte(data))
}

func TestPageSettings(t *testing.T) {
	t.Parallel()
	svg := picture("image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"/>`)
	base, err := Load(Sources{Env: env()})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ key, value, wrong string }{
		{"page.name", "Acme Help", ""},
		{"page.name", strings.Repeat("ä", MaxPageName), ""},
		{"page.name", strings.Repeat("ä", MaxPageName+1), "at most 60 characters"},
		{"page.name", "two\nlines", "one line"},
		{"page.color", "#7a3CFF", ""},
		{"page.color", "red", `"red" is not a color`},
		{"page.color", "#fff;}", "is not a color"},
		{"page.logo", picture("image/png", png), ""},
		{"page.logo", svg, ""},
		{"page.logo", picture("image/png", "<html>"), "neither PNG"},
		{"page.logo", picture("image/svg+xml", "<html>"), "neither PNG"},
		{"page.logo", "logo.png", "data:image/png"},
		{"page.logo", "data:image/png;base64,?", "not valid base64"},
		{"page.logo", picture("image/png", png+strings.Repeat("x", MaxLogo)), "larger than 32 KiB"},
		{"page.logo", picture("image/png", png+strings.Repeat("x", MaxLogo-len(png))), ""},
		{"page.logo", picture("image/png", png+strings.Repeat("x", MaxLogo-len(png)+1)), "larger than 32 KiB"},
		{"page.logo", picture("image/svg+xml;charset=utf-8", "<html>"), "neither PNG"},
	} {
		cfg, ignored := base.With(Stored{Values: map[string]string{tt.key: tt.value}})
		switch {
		case tt.wrong == "" && len(ignored) > 0:
			t.Errorf("%s = %.40q: %v", tt.key, tt.value, ignored[0].Err)
		case tt.wrong != "" && (len(ignored) == 0 || !strings.Contains(ignored[0].Err.Error(), tt.wrong)):
			t.Errorf("%s = %.40q: %v, want an error with %q", tt.key, tt.value, ignored, tt.wrong)
		case tt.wrong == "":
			for _, s := range Settings() {
				if s.Key == tt.key && cfg.Value(s) != tt.value {
					t.Errorf("%s = %.40q, want %.40q", tt.key, cfg.Value(s), tt.value)
				}
			}
		}
	}
}

// TestPictureCharset: a data URL may name the charset of an SVG file.
func TestPictureCharset(t *testing.T) {
	t.Parallel()
	if p, err := parsePicture(picture("image/svg+xml;charset=utf-8", "<svg/>")); err != nil || p.Type != "image/svg+xml" {
		t.Errorf("the picture has the type %q, %v", p.Type, err)
	}
}
