package calendar_test

import (
	"context"
	"testing"

	"docent/ingest/extract/calendar"
	"docent/ingest/extract/extracttest"
	"docent/ingest/outline"
)

const invitation = "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\nBEGIN:STANDARD\r\nDTSTART:19701025T030000\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n" +
	"BEGIN:VEVENT\r\nSUMMARY:Dock insp\r\n ection\\, part 2\r\nDTSTART;TZID=Europe/Berlin:20261117T081500\r\nDTEND;TZID=Europe/Berlin:20261117T093000\r\n" +
	"LOCATION:Dry dock 3\\, gate B\r\nORGANIZER;CN=\"Quist: Vera\":mailto:vera@example.org\r\nATTENDEE;CN=Bo Lund;PARTSTAT=DECLINED:MAILTO:bo@example.org\r\n" +
	"RRULE:FREQ=MONTHLY;INTERVAL=2;BYDAY=-1TU;UNTIL=20270501T000000Z\r\nEXDATE;TZID=Europe/Berlin:20270119T081500\r\nDESCRIPTION:Bring the wrench.\\n\\nAnd gloves.\r\n" +
	"BEGIN:VALARM\r\nDESCRIPTION:Reminder\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"

func TestRead(t *testing.T) {
	t.Parallel()
	read := func(ctx context.Context, name string, data []byte) (*outline.Document, error) {
		return calendar.Read(ctx, name, string(data))
	}
	extracttest.Check(t, read, []byte(invitation), "Dock inspection, part 2", `h1 Dock inspection, part 2
p When: Tuesday, 17 November 2026, 08:15 – 09:30 (Europe/Berlin)\nRepeats: every 2 months on the last Tuesday until 1 May 2027; not on Tuesday, 19 January 2027\nWhere: Dry dock 3, gate B\nOrganizer: Quist: Vera <vera@example.org>\nParticipants: Bo Lund <bo@example.org> (declined)
p Bring the wrench.
p And gloves.
`)
	for text, want := range map[string]string{
		"BEGIN:VEVENT\nSUMMARY:Fair\nDTSTART;VALUE=DATE:20261117\nDTEND;VALUE=DATE:20261120\nEND:VEVENT\n":                 "h1 Fair\np When: Tuesday, 17 November 2026 – Thursday, 19 November 2026\n",
		"BEGIN:VEVENT\nSUMMARY:Fair\nDTSTART;VALUE=DATE:20261117\nDTEND;VALUE=DATE:20261118\nSTATUS:CANCELLED\nEND:VEVENT": "h1 Fair (canceled)\np Status: canceled\\nWhen: Tuesday, 17 November 2026, all day\n",
		"BEGIN:VEVENT\nSUMMARY:Call\nDTSTART:20261117T230000Z\nDURATION:PT2H\nEND:VEVENT\n":                                "h1 Call\np When: Tuesday, 17 November 2026, 23:00 (UTC) – Wednesday, 18 November 2026, 01:00 (UTC)\n",
		"BEGIN:VEVENT\nUID:1\nSUMMARY:Check\nDTSTART:20260504T090000\nRRULE:FREQ=WEEKLY\nEND:VEVENT\n" +
			"BEGIN:VEVENT\nUID:1\nRECURRENCE-ID:20260518T090000\nSUMMARY:Check\nDTSTART:20260518T140000\nLOCATION:Cellar\nEND:VEVENT\n" +
			"BEGIN:VEVENT\nUID:1\nRECURRENCE-ID:20260608T090000\nDTSTART:20260608T090000\nSTATUS:CANCELLED\nEND:VEVENT\n": "h1 Check\np When: Monday, 4 May 2026, 09:00\\n" +
			"Repeats: every week; not on Monday, 8 June 2026\\nMoved: Monday, 18 May 2026, 14:00 instead of Monday, 18 May 2026, 09:00\n" +
			"h1 Check\np When: Monday, 18 May 2026, 14:00\\nInstead of: Monday, 18 May 2026, 09:00\\nWhere: Cellar\n",
		"METHOD:CANCEL\nBEGIN:VEVENT\nSUMMARY:Call\nDTSTART:20261117T080000\nEND:VEVENT\n":                                  "h1 Call (canceled)\np Status: canceled\\nWhen: Tuesday, 17 November 2026, 08:00\n",
		"BEGIN:VTODO\nSUMMARY:Oil\nDUE:20261117T080000\nSTATUS:COMPLETED\nRRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=5\nEND:VTODO": "h1 Oil\np Status: completed\\nDue: Tuesday, 17 November 2026, 08:00\\nRepeats: every week on Monday, Wednesday, 5 times\n",
	} {
		doc, err := calendar.Read(t.Context(), "", text)
		if err != nil {
			t.Fatal(err)
		}
		extracttest.Verify(t, doc)
		if got := extracttest.Show(doc); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

func TestReadContacts(t *testing.T) {
	t.Parallel()
	text := "BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=BCrgen\nTEL;WORK;VOICE:+49 351 117\n" +
		"ADR;TYPE=HOME:;;Kai 4\\, links;Lohe;;01067;DE\nNOTE;ENCODING=QUOTED-PRINTABLE:Calls=\n first\nEND:VCARD\n" +
		"BEGIN:VCARD\nVERSION:4.0\nFN:Vera Quist\nORG:Quay;Crew 2\nitem1.EMAIL;type=INTERNET;type=WORK:vera@example.org\nTEL;TYPE=cell:tel:+49-351-118\nPHOTO:data\nEND:VCARD\n" +
		"BEGIN:VCARD\nFN:Ada\nBDAY:1815-12-10T00:00:00Z\nANNIVERSARY:--0708\nBDAY;X-APPLE-OMIT-YEAR=1604:1604-06-23\nBDAY;VALUE=text:circa 1815\n" +
		"item2.X-ABDATE:19410501\nitem2.X-ABLabel:_$!<Anniversary>!$_\nitem3.X-ABRELATEDNAMES:Bob\nitem3.X-ABLabel:Friend\nEND:VCARD\n"
	doc, err := calendar.ReadContacts(t.Context(), "", text)
	if err != nil {
		t.Fatal(err)
	}
	extracttest.Verify(t, doc)
	want := `h1 Jürgen Müller
p Phone (work): +49 351 117\nPostal address (home): Kai 4, links, Lohe, 01067, DE
p Callsfirst
h1 Vera Quist
p Organization: Quay, Crew 2\nE-mail (work): vera@example.org\nPhone (mobile): +49-351-118
h1 Ada
p Birthday: 10 December 1815\nAnniversary: 8 July\nBirthday: 23 June\nBirthday: circa 1815\nAnniversary: 1 May 1941\nRelated (friend): Bob
`
	if got := extracttest.Show(doc); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(invitation)
	f.Add("BEGIN:VCARD\nN;ENCODING=QUOTED-PRINTABLE:=C3=\n=BC\nEND:VCARD")
	f.Fuzz(func(t *testing.T, text string) {
		text = outline.Clean(text)
		for _, read := range []func(context.Context, string, string) (*outline.Document, error){calendar.Read, calendar.ReadContacts} {
			doc, err := read(t.Context(), "", text)
			if err != nil {
				t.Fatal(err)
			}
			extracttest.Verify(t, doc)
		}
	})
}
