package config

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// Limits of the settings of the page.
const (
	// MaxPageName bounds the name of the page, in characters.
	MaxPageName = 60
	// MaxLogo bounds the file of the logo, in bytes.
	MaxLogo = 32 << 10
)

// Page configures the name, color, and logo of the page.
type Page struct {
	// Name replaces docent in the title and at the top of the page; default none.
	Name string
	// Color is the color of links and buttons, such as #7a3cff; default none: docent's green.
	Color string
	// Logo is the picture at the top of the page and in the browser's tab; default none: docent's.
	Logo Picture
}

// Picture is a small image.
type Picture struct {
	// Type is the media type: image/png, image/jpeg, image/webp, or image/svg+xml.
	Type string
	// Data is the file.
	Data []byte
}

// String returns the picture as a URL with the scheme data, or "".
func (p Picture) String() string {
	if p.Type == "" {
		return ""
	}
	return "data:" + p.Type + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}

// smallPicture is the value of an empty SVG file.
const smallPicture = "data:image/svg+xml;base64,PHN2Zy8+"

// parsePicture reads a URL with the scheme data.
func parsePicture(s string) (Picture, error) {
	head, encoded, _ := strings.Cut(s, ",")
	kind, ok := strings.CutPrefix(strings.TrimSuffix(head, ";base64"), "data:")
	kind, _, _ = strings.Cut(kind, ";") // parameters, such as the charset of an SVG file
	if s == "" {
		return Picture{}, nil
	}
	if !ok || !strings.HasSuffix(head, ";base64") {
		return Picture{}, errors.New("it is not a picture in the form data:image/png;base64,…")
	}
	if base64.StdEncoding.DecodedLen(len(encoded)) > MaxLogo+2 { // the padding counts as up to two bytes, so the size is checked again below
		return Picture{}, fmt.Errorf("the picture is larger than %d KiB; make it smaller", MaxLogo>>10)
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return Picture{}, errors.New("the picture is not valid base64")
	}
	if len(data) > MaxLogo {
		return Picture{}, fmt.Errorf("the picture is larger than %d KiB; make it smaller", MaxLogo>>10)
	}
	switch found := http.DetectContentType(data); {
	case found == "image/png", found == "image/jpeg", found == "image/webp":
		return Picture{found, data}, nil
	case kind == "image/svg+xml" && strings.Contains(string(data), "<svg"):
		return Picture{kind, data}, nil
	}
	return Picture{}, errors.New("the picture is neither PNG, JPEG, WebP, nor SVG")
}

// hexColor is a color in the form #7a3cff.
var hexColor = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// pageSettings are the settings of the page.
func pageSettings() []Setting {
	return []Setting{
		with(Setting{
			Storage: Live,
			Key:     "page.name", Flag: "page-name", Env: []string{"DOCENT_PAGE_NAME"}, Scope: Serving,
			Help: "name at the top of the page and in the browser's tab; default: the name of the agent",
		})(line(MaxPageName, func(c *Config) *string { return &c.Page.Name })),
		with(Setting{
			Storage: Live,
			Key:     "page.color", Flag: "page-color", Env: []string{"DOCENT_PAGE_COLOR"}, Scope: Serving,
			Help: "color of links and buttons on the page, such as #7a3cff; the page makes it darker or lighter where text needs it",
		})(func(c *Config, s string) error {
			if s != "" && !hexColor.MatchString(s) {
				return fmt.Errorf("%q is not a color such as #7a3cff", s)
			}
			c.Page.Color = s
			return nil
		}, func(c Config) string { return c.Page.Color }),
		with(Setting{
			Storage: Live,
			Key:     "page.logo", Flag: "page-logo", Env: []string{"DOCENT_PAGE_LOGO"}, Scope: Serving,
			Help: fmt.Sprintf("logo of the page: a PNG, JPEG, WebP, or SVG file of at most %d KiB as data:image/png;base64,…", MaxLogo>>10),
		})(func(c *Config, s string) error {
			p, err := parsePicture(s)
			if err == nil {
				c.Page.Logo = p
			}
			return err
		}, func(c Config) string { return c.Page.Logo.String() }),
	}
}
