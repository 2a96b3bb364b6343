package mail_test

import (
	"strings"
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/mail"
)

const letter = "From: =?utf-8?q?J=C3=BCrgen?= <j@example.org>\r\nTo: team@example.org\r\nSubject: Plan\r\nMIME-Version: 1.0\r\n" +
	"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" +
	"Gr=FC=DFe\r\n--x\r\nContent-Type: text/csv; name=a.csv\r\nContent-Disposition: attachment\r\n\r\na,b\r\n--x--\r\n"

func TestRead(t *testing.T) {
	t.Parallel()
	extracttest.Check(t, mail.Read, []byte(letter), "Plan",
		"p From: Jürgen <j@example.org>\\nTo: team@example.org\\nAttachments: a.csv\np Grüße\n")
	extracttest.Check(t, mail.Read,
		[]byte("From: a\nSubject: s\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=x\n\n--x\n\nHello there\n--x\nContent-Type: text/html\n\n<p>Hello <b>there</b>\n--x--\n"),
		"s", "p From: a\np Hello there\n")
}

// TestVersions: a version of a body can be an alternative, or have several parts.
func TestVersions(t *testing.T) {
	t.Parallel()
	const head, page = "From: a\nSubject: s\nMIME-Version: 1.0\nContent-Type: ", "--b\nContent-Type: text/html\n\n<p>Check the <b>pump</b>.<table><tr><th>Day<th>Who<tr><td>1 May<td>Ada</table>\n"
	const table = "p From: a\np Check the pump.\nth Day | Who\ntr 1 May | Ada\n"
	for name, c := range map[string]struct{ body, want string }{
		"alternative in an alternative": {
			"multipart/alternative; boundary=a\n\n--a\n\nCheck the pump. Day: 1 May, who: Ada\n--a\nContent-Type: multipart/alternative; boundary=b\n\n" + page + "--b--\n--a--\n", table,
		},
		"related in an alternative": {
			"multipart/alternative; boundary=a\n\n--a\n\nCheck the pump. Day: 1 May, who: Ada\n--a\nContent-Type: multipart/related; boundary=b\n\n" + page +
				"--b\nContent-Type: image/png\nContent-ID: <x>\n\nx\n--b--\n--a--\n", table,
		},
		"mixed in an alternative": {
			"multipart/alternative; boundary=a\n\n--a\n\nBefore. After.\n--a\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n<p>Before.\n" +
				"--b\nContent-Type: application/pdf; name=a.pdf\n\nx\n--b\nContent-Type: text/html\n\n<p>After.\n--b--\n--a--\n",
			"p From: a\\nAttachments: a.pdf\np Before. After.\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			extracttest.Check(t, mail.Read, []byte(head+c.body), "s", c.want)
		})
	}
}

func TestAttachments(t *testing.T) {
	t.Parallel()
	var got []string
	for p, err := range mail.Attachments(t.Context(), []byte(letter), func(string) string { return "" }) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p.Name+"="+string(p.Data))
	}
	if strings.Join(got, " ") != "a.csv=a,b" {
		t.Errorf("attachments %q", got)
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	const first = "From a@example.org Mon Jan  5 10:00:00 2026\nFrom: a\nMessage-ID: <1@x>\n\nOne\n>From here\n\n"
	const second = "From b@example.org Tue Jan  6 10:00:00 2026\nFrom: b\nMessage-ID: <2@x>\n\nTwo\n"
	if !mail.IsMbox([]byte(first)) || mail.IsMbox([]byte("From here on\n")) {
		t.Error("mailboxes are not recognized")
	}
	names := map[string]bool{}
	for _, box := range []string{first + second, second} {
		for p, err := range mail.Messages(t.Context(), []byte(box)) {
			if err != nil {
				t.Fatal(err)
			}
			names[p.Name] = true
			if text := string(p.Data); strings.Contains(text, "One") && !strings.Contains(text, "\nFrom here") {
				t.Errorf("message %q", text)
			}
		}
	}
	if len(names) != 2 {
		t.Errorf("the names change with the other messages: %v", names)
	}
}

func TestIsMessage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		letter: true,
		"From: the board\nSubject: dogs\n\nNo dogs in the hall.": false,
		"just text": false,
	} {
		if got := mail.IsMessage("notice.txt", []byte(text)); got != want {
			t.Errorf("%.30q is a message: %v", text, got)
		}
	}
	if !mail.IsMessage("letter.eml", []byte("From: a\nSubject: s\n\ntext")) {
		t.Error("a file with the ending .eml is no message")
	}
}

func TestReadPage(t *testing.T) {
	t.Parallel()
	const page = "From: <Saved by Blink>\nSubject: A page\nMIME-Version: 1.0\nContent-Type: multipart/related; type=\"text/html\"; boundary=\"b\"\n\n--b\nContent-Type: text/html\n\n<h1>Pump</h1><p>text\n--b\nContent-Type: image/png\n\nx\n--b--\n"
	extracttest.Check(t, mail.ReadPage, []byte(page), "A page", "h1 Pump\np text\n")
}

func TestEncrypted(t *testing.T) {
	t.Parallel()
	_, err := mail.Read(t.Context(), "a.eml", []byte("From: a\nSubject: s\nMIME-Version: 1.0\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nAAAA\n"))
	extracttest.Refused(t, err, "encrypted:")
}
