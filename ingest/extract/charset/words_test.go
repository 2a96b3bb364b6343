package charset_test

import (
	"strings"
	"testing"

	. "docent/ingest/extract/charset"
)

// TestSigns reads English text whose foreign characters form no words.
func TestSigns(t *testing.T) {
	t.Parallel()
	const prose = "The north pump is checked every week by the crew. The oil is changed after four hundred hours. "
	for _, text := range []string{
		prose + "The seal costs £45 and may heat to 250° C.",
		prose + "The fee is €12.50 or ¥900, and §5 and § 14 apply.",
		prose + "Use 1½ cups, ¼ inch × ¾ inch, 5 µm, 12 m², and 3 m³.",
		"/* Copyright © 1999 Acme® Ltd */\nint main(void) { return 90; } // 90°\n",
		"• first item\n• second item, for Brand™ pumps\n",
		"bolt 1,£1.50,9° C\nbolt 2,£3.00,18° C\nbolt 3,£4.50,27° C\n",
		"A naïve café in Besançon, run by Mr. José Müller, £5.",
		prose + "“Quoted” text – and it’s done.",
	} {
		data, err := lookup(t, "windows-1252").NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, name, err := Decode([]byte(data), ""); err != nil || got != text {
			t.Errorf("got %q (%s, %v), want %q", got, name, err, text)
		}
	}
}

// TestDeclared reads texts that declare their character set, rightly or wrongly.
func TestDeclared(t *testing.T) {
	t.Parallel()
	russian := strings.Repeat("Насос проверяют каждую неделю. ", 5)
	for _, tt := range []struct{ declared, set, text string }{
		{`<meta charset="windows-1252">`, "windows-1252", "a £ and a ³"},
		{`<meta charset="iso-8859-1">`, "windows-1251", russian},
		{`<meta charset="utf-8">`, "windows-1252", "Seals for £45 at 250°"},
		{`<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">`, "iso-8859-2", "Tytuł"},
		{"# -*- coding: koi8-r -*-\n", "koi8-r", "насос"},
		{"\\usepackage[latin2]{inputenc}\n", "iso-8859-2", "Tytuł"},
	} {
		data, err := lookup(t, tt.set).NewEncoder().String(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		got, name, err := DecodePage([]byte(tt.declared + data))
		if err != nil || got != tt.declared+tt.text {
			t.Errorf("%s: got %q (%s, %v), want %q", tt.declared, got, name, err, tt.text)
		}
	}
}
