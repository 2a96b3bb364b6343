package calendar

import (
	"bytes"
	"context"

	"docent/ingest/extract/charset"
	"docent/ingest/format"
	"docent/ingest/outline"
)

// Format is calendars.
var Format = format.Format{
	Info: format.Info{
		Name: "Calendar", Short: "ICS",
		Group:     format.Mail,
		Endings:   []string{".ics", ".ical", ".ifb"},
		Media:     "text/calendar",
		NeverMail: true,
		Version:   2,
		Reads:     "a section for each event, task, or note: time, place, people, recurrence, cancellation, description",
		Leaves:    "alarms, time zones, free and busy times",
	},
	Match: matching("BEGIN:VCALENDAR"),
	Read:  reading(Read),
}

// ContactFormat is address books.
var ContactFormat = format.Format{
	Info: format.Info{
		Name: "Address book", Short: "VCF",
		Group:     format.Mail,
		Endings:   []string{".vcf", ".vcard"},
		Media:     "text/vcard",
		NeverMail: true,
		Version:   2,
		Reads:     "a section for each person: organization, numbers, addresses, notes",
		Leaves:    "pictures, keys",
	},
	Match: matching("BEGIN:VCARD"),
	Read:  reading(ReadContacts),
}

// matching recognizes texts by their first line.
func matching(first string) func(context.Context, *format.File) format.Match {
	return func(_ context.Context, f *format.File) format.Match {
		head := f.Trimmed()
		is := f.IsText() && len(head) >= len(first) && bytes.EqualFold(head[:len(first)], []byte(first))
		return format.If(is, format.Sure)
	}
}

// reading decodes a text before it is read.
func reading(read func(ctx context.Context, name, text string) (*outline.Document, error)) format.Reader {
	return func(ctx context.Context, f *format.File) (*outline.Document, error) {
		text, set, err := charset.Decode(f.Data, "")
		if err != nil {
			return nil, err
		}
		doc, err := read(ctx, f.Name, text)
		if err != nil {
			return nil, err
		}
		doc.Charset = set
		return doc, nil
	}
}
