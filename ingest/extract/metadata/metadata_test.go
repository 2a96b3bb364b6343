package metadata

import (
	"testing"
	"time"
)

func TestParseDate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-05-12":                          "2026-05-12 00:00:00",
		"2026-05-12T23:30:05-05:00":           "2026-05-12 23:30:05",
		"2026-05-12 08:30":                    "2026-05-12 08:30:00",
		"2026-05-12T08:30:00.123Z":            "2026-05-12 08:30:00",
		"2026/5/2":                            "2026-05-02 00:00:00",
		"20260512":                            "2026-05-12 00:00:00",
		"D:20260512083001+02'00'":             "2026-05-12 08:30:01",
		"D:20260512":                          "2026-05-12 00:00:00",
		"Tue, 12 May 2026 23:30:00 -0500":     "2026-05-12 23:30:00",
		"Tue, 12 May 2026 08:30:00 GMT (UTC)": "2026-05-12 08:30:00",
		"Tue May 12 08:30:00 2026":            "2026-05-12 08:30:00",
		"12 May 2026":                         "2026-05-12 00:00:00",
		"12. März 2026":                       "2026-03-12 00:00:00",
		"May 12th, 2026":                      "2026-05-12 00:00:00",
		"Tuesday, May 12, 2026":               "2026-05-12 00:00:00",
		"12.05.2026":                          "2026-05-12 00:00:00",
		"1851-10-18":                          "1851-10-18 00:00:00",
		"":                                    "", "yesterday": "", "2026": "", "2026-05": "", "2026-13-01": "", "2026-02-30": "", "2026-05/12": "",
		"0001-01-01T00:00:00Z": "", "1970-01-01T00:00:00Z": "", "1980-01-01 00:00:00": "", "9999-12-31": "", "2013-12-23T23:15:00Z": "",
		"05/12/2026": "", "202605121": "", "12 Foo 2026": "", "D:20269912": "",
	} {
		got := ""
		if d := ParseDate(text); !d.IsZero() {
			got = d.Format(time.DateTime)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if d := FirstDate("9999-12-31", "2026-05-12"); d.Format(time.DateOnly) != "2026-05-12" {
		t.Errorf("the first good date is %v", d)
	}
	if d := CheckDate(time.Now().Add(48 * time.Hour)); !d.IsZero() {
		t.Errorf("a date in the future is %v", d)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"PostgreSQL 16.2 Documentation": "16.2",
		"Pump manual, version 3":        "3",
		"Handbuch (Fassung 2.1)":        "2.1",
		"Router v2.0.1-rc1":             "2.0.1-rc1",
		"release-notes v4":              "4",
		"What's New In Python 3.12":     "3.12",
		"Section 2.2 Duties":            "",
		"2.2 Duties":                    "",
		"Report 12.05.2026":             "",
		"Minutes 2026-05-12":            "",
		"Offer for 4.50 EUR":            "",
		"Handbook":                      "",
		"Chapter 3.4: Pipes, v1.2":      "1.2",
		"Conversion of units":           "",
		"vacation":                      "",
		"Model V8 engine":               "",
		"Rope 4.5 mm":                   "", "Growth of 2.5%": "",
		"HTTP/1.1 explained":      "",
		"Abschnitt 4.1 Wartung":   "",
		"Release 2026":            "2026",
		"The revision of the law": "",
		"Windows 11":              "",
		"Rev. 7 wiring plan":      "7",
	} {
		if got := VersionIn(title); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
	for field, want := range map[string]string{"v1.2": "1.2", "3": "3", "2026.1-beta": "2026.1-beta", "current": "", "": "", "1.2 of 3": ""} {
		if got := CheckVersion(field); got != want {
			t.Errorf("field %q: %q, want %q", field, got, want)
		}
	}
}
