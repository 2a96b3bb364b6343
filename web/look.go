package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// Look is how an installation wants its page to look. Its zero value leaves the page as it is.
type Look struct {
	// Name replaces docent in the title and at the top of the page.
	Name string
	// Color is the color of links and buttons in the form #rrggbb.
	Color string
	// Logo is a picture of the media type LogoType.
	Logo     []byte
	LogoType string
}

// The addresses of the files that depend on the look.
const (
	logoFile     = "logo"
	defaultLogo  = "favicon.svg"
	colorFile    = "colors.css"
	manifestFile = "manifest.webmanifest"
)

// logo returns the file of the logo, or nil for that of docent.
func (l Look) logo() *file {
	if len(l.Logo) == 0 {
		return nil
	}
	f := newFile(logoFile, l.Logo)
	f.mediaType = l.LogoType
	return f
}

// start returns the page with the name and a link to the colors.
func (l Look) start(f *file) *file {
	page := f.unpacked()
	if l.Name != "" {
		name := html.EscapeString(l.Name)
		page = bytes.Replace(page, []byte("<title>docent</title>"),
			[]byte("<title>"+name+`</title><meta name="application-name" content="`+name+`">`), 1)
	}
	if len(l.Logo) > 0 && l.LogoType != "image/svg+xml" { // which iOS does not take
		const icon = `rel="apple-touch-icon" href="./`
		page = bytes.Replace(page, []byte(icon+`icon-192.png"`), []byte(icon+logoFile+`"`), 1)
	}
	if l.Color != "" { // after the style sheet of the page
		page = bytes.Replace(page, []byte("</head>"), []byte(`<link rel="stylesheet" href="./`+colorFile+`"></head>`), 1)
	}
	return newFile(f.name, page)
}

// manifest returns the description of the page as an installed app.
func (l Look) manifest(f *file) *file {
	var m map[string]any
	if err := json.Unmarshal(f.unpacked(), &m); err != nil {
		return f
	}
	if l.Name != "" {
		m["name"] = l.Name
	}
	if l.Color != "" {
		m["theme_color"] = l.Color
	}
	if len(l.Logo) > 0 {
		m["icons"] = []map[string]string{{"src": "./" + logoFile, "sizes": "any", "type": l.LogoType}}
	}
	data, err := json.Marshal(m)
	if err != nil {
		return f
	}
	return newFile(f.name, data)
}

// readable is the contrast that text needs: level AA of WCAG 2.2, success criterion 1.4.3, with a little to spare.
const readable = 4.6

// The grounds of the light and the dark page with the least contrast, and the ink on the color.
var (
	white, black        = rgb{255, 255, 255}, rgb{}
	lightGround, onDark = rgb{235, 232, 226}, rgb{6, 35, 28}
	darkGround, dark    = rgb{42, 40, 37}, rgb{23, 22, 20}
)

// colors returns the style sheet with the colors that are made of Color, so that text in them and on them is readable.
func (l Look) colors() *file {
	c, err := parseColor(l.Color)
	if err != nil {
		return nil
	}
	day := c.toward(black, lightGround, white)
	night := c.toward(white, darkGround, onDark)
	ink := onDark
	if night.contrast(white) > night.contrast(onDark) {
		ink = white
	}
	var b strings.Builder
	pair := func(name string, light, dark rgb) { fmt.Fprintf(&b, "--%s:light-dark(%s,%s);", name, light, dark) }
	b.WriteString(":root{")
	pair("accent", day, night)
	pair("on-accent", white, ink)
	pair("accent-soft", white.mix(day, .08), dark.mix(night, .12))
	pair("mark", white.mix(day, .08), dark.mix(night, .12))
	pair("mark-strong", white.mix(day, .25), dark.mix(night, .30))
	b.WriteString("}\n")
	return newFile(colorFile, []byte(b.String()))
}

// rgb is a color in sRGB, from 0 to 255.
type rgb [3]float64

func parseColor(s string) (rgb, error) {
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 16, 24)
	if err != nil || len(s) != 7 {
		return rgb{}, fmt.Errorf("%q is not a color", s)
	}
	return rgb{float64(n >> 16), float64(n >> 8 & 0xff), float64(n & 0xff)}, nil
}

func (c rgb) String() string {
	return fmt.Sprintf("#%02x%02x%02x", int(math.Round(c[0])), int(math.Round(c[1])), int(math.Round(c[2])))
}

// mix returns the color with a share of another.
func (c rgb) mix(other rgb, share float64) rgb {
	for i := range c {
		c[i] += (other[i] - c[i]) * share
	}
	return c
}

// toward mixes the color with another one until it is readable on each ground.
func (c rgb) toward(other rgb, grounds ...rgb) rgb {
	for share := 0.; share < 1; share += .02 {
		mixed, fits := c.mix(other, share), true
		for _, g := range grounds {
			fits = fits && mixed.contrast(g) >= readable
		}
		if fits {
			return mixed
		}
	}
	return other
}

// contrast returns the contrast ratio of WCAG 2.2.
func (c rgb) contrast(other rgb) float64 {
	a, b := c.luminance(), other.luminance()
	return (max(a, b) + .05) / (min(a, b) + .05)
}

// luminance returns the relative luminance of WCAG 2.2.
func (c rgb) luminance() float64 {
	for i, v := range c {
		if v /= 255; v <= .04045 {
			c[i] = v / 12.92
		} else {
			c[i] = math.Pow((v+.055)/1.055, 2.4)
		}
	}
	return .2126*c[0] + .7152*c[1] + .0722*c[2]
}
