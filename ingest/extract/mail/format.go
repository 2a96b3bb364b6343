package mail

import (
	"context"

	"docent/ingest/format"
)

// MessageFormat is a message as mail servers store it.
var MessageFormat = format.Format{
	Info: format.Info{
		Name: "E-mail", Short: "EML",
		Group:   format.Mail,
		Endings: []string{".eml"},
		Media:   "message/rfc822",
		Version: 4,
		Reads:   "subject, sender, recipients, date, the best body, invitations; attachments as documents, also those in `winmail.dat`",
		Leaves:  "other headers, signatures",
		Limits:  "encrypted messages are not read",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		return format.If(!f.NeverMail && IsMessage(f.Name, f.Head()) && !IsPage(f.Name, f.Head()), format.Sure)
	},
	Read: format.Bytes(Read),
}

// OutlookFormat is a message of Outlook.
var OutlookFormat = format.Format{
	Info: format.Info{
		Name: "Outlook message", Short: "MSG",
		Group:   format.Mail,
		Endings: []string{".msg", ".oft"},
		Media:   "application/vnd.ms-outlook",
		Version: 2,
		Reads:   "as e-mail",
		Leaves:  "as e-mail",
		Limits:  "as e-mail",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		return format.If(IsOLE(f.Head()) && (f.HasEnding(".msg") || IsOutlook(f.Data)), format.Sure)
	},
	Read: format.Bytes(ReadOutlook),
}

// MailboxFormat describes mailboxes. Their messages are documents.
var MailboxFormat = format.Format{Info: format.Info{
	Name: "Mailbox", Short: "MBOX",
	Group:   format.Mail,
	Endings: []string{".mbox"},
	Media:   "application/mbox",
	Reads:   "one document for each message; attachments as documents",
	Limits:  "as archives",
}}

// PageFormat is a saved web page in the form of a message.
var PageFormat = format.Format{
	Info: format.Info{
		Name: "Web archive", Short: "MHT",
		Group:   format.Mail,
		Endings: []string{".mht", ".mhtml"},
		Media:   "multipart/related",
		Reads:   "its page, as HTML",
		Leaves:  "pictures",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		return format.If(!f.NeverMail && IsMessage(f.Name, f.Head()) && IsPage(f.Name, f.Head()), format.Sure)
	},
	Read: format.Bytes(ReadPage),
}
