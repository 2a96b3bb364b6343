package markup

import (
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/format"
)

const (
	gettext = "# German\nmsgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n#. a valve\n#: a.c:1\nmsgid \"Cannot open valve %d\"\nmsgstr \"Ventil %d klemmt\"\n" +
		"#, c-format\nmsgid \"%d pump\"\nmsgid_plural \"%d pumps\"\nmsgstr[0] \"%d Pumpe\"\nmsgstr[1] \"%d Pumpen\"\n\n#, fuzzy\nmsgid \"Press\"\nmsgstr \"Falsch\"\n\n" +
		"msgctxt \"menu\"\nmsgid \"Open\"\nmsgstr \"Öffnen\"\n\nmsgid \"\"\n\"A long \"\n\"one.\"\nmsgstr \"\"\n\"Eine \\\"lange\\\" \"\n\"Meldung.\"\n\n#~ msgid \"Old\"\n#~ msgstr \"Alt\"\n"
	xliff = `<?xml version="1.0"?><xliff version="1.2"><file source-language="en" target-language="de"><body><trans-unit id="a"><source>Open the <g id="1">valve</g></source><target>Ventil öffnen</target><note>n</note></trans-unit>` +
		`<trans-unit id="b"><source>Stop</source><target state="needs-translation">Stop</target></trans-unit></body></file></xliff>`
	opml = `<?xml version="1.0"?><opml version="2.0"><head><title>Move</title></head><body><outline text="Before"><outline text="Cancel the gas" _note="Number 4711."/><outline text="Boxes" _status="checked"/></outline>` +
		`<outline text="News" type="rss" xmlUrl="https://a.example/rss" htmlUrl="https://a.example/"/></body></opml>`
)

func TestTranslation(t *testing.T) {
	t.Parallel()
	extracttest.Check(t, Translation, []byte(gettext), "", "th Text | Translation (de)\ntr Cannot open valve %d | Ventil %d klemmt\ntr %d pump / %d pumps | %d Pumpe / %d Pumpen\n"+
		"tr Press\ntr Open (menu) | Öffnen\ntr A long one. | Eine \"lange\" Meldung.\n")
	extracttest.Check(t, Translation, []byte("msgid \"\"\nmsgstr \"charset=UTF-8\"\n\nmsgid \"Hello\"\nmsgstr \"\"\nmsgid \"Bye\"\nmsgstr \"\"\n"), "", "th Text\ntr Hello\ntr Bye\n")
	extracttest.Check(t, Translation, []byte("msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=ISO-8859-2\\n\"\n\nmsgid \"Hello\"\nmsgstr \"Ahoj, k\xf2\xf2\"\n"), "",
		"th Text | Translation\ntr Hello | Ahoj, kňň\n")
	extracttest.Check(t, Translation, []byte("msgid \"Hello\"\nmsgstr \"Hallo\nWelt\"\n\nmsgid \"Stop\"\nmsgstr \"Halt\"\n"), "", "th Text | Translation\ntr Hello | Hallo Welt\ntr Stop | Halt\n")
	extracttest.Check(t, Translation, []byte(xliff), "", "th Text | Translation (de)\ntr Open the valve | Ventil öffnen\ntr Stop\n")
	for name, text := range map[string]string{"de.po": gettext, "app.xlf": xliff} {
		if TranslationFormat.Match(t.Context(), &format.File{Name: name, Data: []byte(text)}).Score != format.Sure {
			t.Errorf("%s is not recognized", name)
		}
	}
}

func TestOutline(t *testing.T) {
	t.Parallel()
	extracttest.Check(t, Outline, []byte(opml), "Move", "li - Before\nli - Cancel the gas\nli Number 4711.\nli - ☑ Boxes\nli - News <https://a.example/> <https://a.example/rss>\n")
	if OutlineFormat.Match(t.Context(), &format.File{Name: "a.xml", Data: []byte(opml)}).Score != format.Sure {
		t.Error("an outline is not recognized")
	}
}

func FuzzTranslation(f *testing.F) {
	for _, s := range []string{gettext, xliff, opml} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		extracttest.FuzzRead(t, Translation, data)
		extracttest.FuzzRead(t, Outline, data)
	})
}
