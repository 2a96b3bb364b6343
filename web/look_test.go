package web

import (
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func TestLook(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"favicon.svg": {Data: []byte("<svg/>")}, "manifest.webmanifest": {Data: []byte(`{"id":"./","name":"docent","icons":[]}`)}}
	for name, f := range built {
		files[name] = f
	}
	s := newSite(files)
	if res := get(t, s, "GET", "/logo"); body(t, res) != "<svg/>" || res.Header.Get("Content-Type") != "image/svg+xml" {
		t.Error("without a logo, the page does not have that of docent")
	}
	if res := get(t, s, "GET", "/colors.css"); res.StatusCode != 404 {
		t.Errorf("without a color, the style sheet has status %d", res.StatusCode)
	}
	plain := get(t, s, "GET", "/").Header.Get("ETag")

	s.look = func() Look {
		return Look{Name: `Acme <Help> "&"`, Color: "#7a3cff", Logo: []byte("<svg>acme</svg>"), LogoType: "image/svg+xml"}
	}
	res := get(t, s, "GET", "/", "Accept-Encoding", "gzip", "If-None-Match", plain)
	page := body(t, res)
	for _, want := range []string{
		"<title>Acme &lt;Help&gt; &#34;&amp;&#34;</title>", `<meta name="application-name" content="Acme &lt;Help&gt; &#34;&amp;&#34;">`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s: %s", want, page)
		}
	}
	if res = get(t, s, "GET", "/logo"); body(t, res) != "<svg>acme</svg>" || !strings.Contains(res.Header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("the logo is not in a sandbox: %v", res.Header)
	}
	if got := body(t, get(t, s, "GET", "/manifest.webmanifest")); !strings.Contains(got, `"src":"./logo"`) || !strings.Contains(got, `"name":"Acme`) ||
		!strings.Contains(got, `"theme_color":"#7a3cff"`) {
		t.Errorf("the manifest is %s", got)
	}
	if got := body(t, get(t, s, "GET", "/colors.css")); !strings.Contains(got, "--accent:light-dark(#") {
		t.Errorf("the style sheet is %s", got)
	}
}

// TestColors: text in every color and on it is readable, in light and dark.
func TestColors(t *testing.T) {
	t.Parallel()
	ground := map[string][2]string{ // as in src/page.css
		"paper": {"#faf9f7", "#171614"}, "surface": {"#ffffff", "#201f1c"}, "sunken": {"#f2f0ec", "#121110"}, "hover": {"#ebe8e2", "#2a2825"},
	}
	ink := [2]string{"#1f1d1a", "#ebe7e0"}
	pair := regexp.MustCompile(`--([a-z-]+):light-dark\((#\w+),(#\w+)\)`)
	for _, color := range []string{"#000000", "#ffffff", "#ffff00", "#7a3cff", "#0000ff", "#ff0000", "#0b6b57", "#808080", "#00ffff", "#ff69b4"} {
		made := map[string][2]string{}
		for _, m := range pair.FindAllStringSubmatch(string(Look{Color: color}.colors().data), -1) {
			made[m[1]] = [2]string{m[2], m[3]}
		}
		check := func(what string, i int, text, on string) {
			a, err := parseColor(text)
			if err != nil {
				t.Fatal(err)
			}
			b, err := parseColor(on)
			if err != nil {
				t.Fatal(err)
			}
			if got := a.contrast(b); got < 4.5 {
				t.Errorf("%s: %s (%d) has a contrast of %.2f", color, what, i, got)
			}
		}
		for i := range 2 {
			for name, g := range ground {
				check("accent on "+name, i, made["accent"][i], g[i])
			}
			check("text on accent", i, made["on-accent"][i], made["accent"][i])
			check("accent on soft", i, made["accent"][i], made["accent-soft"][i])
			check("ink on mark", i, ink[i], made["mark"][i])
			check("ink on strong mark", i, ink[i], made["mark-strong"][i])
		}
	}
}
