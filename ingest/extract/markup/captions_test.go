package markup

import (
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/format"
)

const (
	substation = "[Script Info]\nTitle: Pump training\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n\n[Events]\n" +
		"Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n" +
		"Dialogue: 0,0:00:01.00,0:00:04.00,Default,Ada,0,0,0,,{\\i1}Welcome{\\i0} to the pump\\Ntraining, friends.\n" +
		"Comment: 0,0:00:04.00,0:00:05.00,Default,,0,0,0,,a comment\n" +
		"Dialogue: 0,0:01:05.00,0:01:08.00,Default,Grace,0,0,0,,{\\pos(320,50)}Open the valve, then wait.\n" +
		"Dialogue: 0,0:01:09.00,0:01:12.00,Default,,0,0,0,,{\\p1}m 0 0 l 100 0{\\p0}\n"
	transcript = "0:00:01.000,0:00:04.000\nWelcome to the pump\ntraining, friends.\n\n0:01:05.000,0:01:08.000\n>> GRACE: Open the valve, then wait.\n"
	timedXML   = `<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata"><head><metadata><ttm:title>Pump training</ttm:title></metadata></head>
<body><div><p begin="00:00:01.000">Welcome to the pump<br/>training, friends.</p><p begin="65s"><span>Open the valve,</span> then wait.</p></div></body></tt>`
	youtube  = `<?xml version="1.0" encoding="utf-8" ?><transcript><text start="1.5" dur="2">Welcome &amp;#39;friends&amp;#39;</text><text start="65" dur="2">Open it</text></transcript>`
	microdvd = "{1}{1}30\n{30}{75}Welcome to the pump|training, friends.\n{1950}{2000}{y:i}Open the valve, then wait.\n"
	lyrics   = "[ar:Ada]\n[ti:Pump song]\n[00:12.00]Turn the valve\n[00:17.20][01:02.00]<00:17.20>Hear <00:18.00>it flow\n"
)

func TestCaptions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, title, want string }{
		{"a.ass", substation, "Pump training", "h1 00:00:01\np Ada: Welcome to the pump training, friends.\nh1 00:01:05\np Grace: Open the valve, then wait.\n"},
		{"a.sbv", transcript, "", "h1 00:00:01\np Welcome to the pump training, friends.\nh1 00:01:05\np GRACE: Open the valve, then wait.\n"},
		{"a.ttml", timedXML, "Pump training", "h1 00:00:01\np Welcome to the pump training, friends.\nh1 00:01:05\np Open the valve, then wait.\n"},
		{"a.xml", youtube, "", "h1 00:00:01\np Welcome 'friends'\nh1 00:01:05\np Open it\n"},
		{"a.sub", microdvd, "", "h1 00:00:01\np Welcome to the pump training, friends.\nh1 00:01:05\np Open the valve, then wait.\n"},
		{"a.lrc", lyrics, "Pump song", "p Ada\np Turn the valve\np Hear it flow\n"},
	} {
		f := &format.File{Name: c.name, Data: []byte(c.text)}
		if CaptionsFormat.Match(t.Context(), f).Score != format.Sure {
			t.Errorf("%s is not recognized", c.name)
		}
		doc, err := Captions(t.Context(), c.name, []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := extracttest.Show(doc); got != c.want || doc.Title != c.title {
			t.Errorf("%s: title %q\n%s", c.name, doc.Title, got)
		}
	}
	for _, text := range []string{"{1} is a number", "<tt>teletype</tt>", "<text>a</text>"} {
		if CaptionsFormat.Match(t.Context(), &format.File{Name: "a.txt", Data: []byte(text)}).Score > 0 {
			t.Errorf("%q counts as subtitles", text)
		}
	}
}

func FuzzCaptions(f *testing.F) {
	for _, s := range []string{substation, transcript, timedXML, youtube, microdvd, lyrics} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { extracttest.FuzzRead(t, Captions, data) })
}
