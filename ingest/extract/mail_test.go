package extract_test

import "testing"

// mails are messages with their title and blocks.
var mails = []struct{ name, file, title, data, want string }{
	{
		"mixed", "a.eml", "Plan", letter,
		"p \"From: Jürgen <j@example.org>\\nTo: team@example.org\\nDate: Mon, 5 Jan 2026 10:00:00 +0100\\nAttachments: a.csv, bä.zip\"\np \"Grüße\"\n",
	},
	{
		"words", "a.eml", "Grüße aus 日本 und =?x?",
		"From: a\nSubject: =?ISO-8859-1?Q?Gr=FC=DFe?=\n =?utf-8?b?IGF1cyDml6XmnA==?= =?UTF-8?B?rA==?= und =?x?\n\nx",
		"p \"From: a\"\np \"x\"\n",
	},
	{
		"alternative text", "a.eml", "s",
		"From: a\nSubject: s\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=\"x y\"\n\n--x y\n\nHello there\n--x y\nContent-Type: text/html\n\n<p>Hello <b>there</b>\n--x y--\n",
		"p \"From: a\"\np \"Hello there\"\n",
	},
	{
		"alternative table", "a.eml", "s",
		"From: a\nSubject: s\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=x\n\n--x\n\nName Use a 1\n--x\nContent-Type: text/html\n\n<table><tr><th>Name<th>Use<tr><td>a<td>1</table>\n--x--\n",
		"p \"From: a\"\nth \"Name | Use\"\ntr \"a | 1\"\n",
	},
	{
		"flowed", "a.eml", "s",
		"From: a\nSubject: s\nContent-Type: text/plain; format=flowed\n\nA long \nline.\n> quoted \n> text\n-- \nme",
		"p \"From: a\"\np \"A long line.\\n> quoted text\\n-- \\nme\"\n",
	},
	{
		"forwarded", "a.eml", "Fwd: x",
		"From: a\nSubject: Fwd: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nSee below.\n--x\nContent-Type: message/rfc822\n\nFrom: b\nSubject: x\n\nHello\n--x--\n",
		"p \"From: a\"\np \"See below.\"\nh1 \"x\"\np \"From: b\"\np \"Hello\"\n",
	},
	{
		"wrong boundary", "a.eml", "s",
		"From: a\nSubject: s\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=wrong\n\n--right\nContent-Type: text/plain\n\nHello\n--right--\n",
		"p \"From: a\"\np \"Hello\"\n",
	},
	{
		"bad field", "a.eml", "s",
		"From: a\nSubject: s\nX-Odd field !#: one\n two\nnonsense\nContent-Transfer-Encoding: base64\n\nSGVsbG8=\n",
		"p \"From: a\"\np \"Hello\"\n",
	},
	{
		"apple mail", "1.emlx", "s",
		"26        \nFrom: a\nSubject: s\n\nHello\n\n<?xml version=\"1.0\"?><plist/>",
		"p \"From: a\"\np \"Hello\"\n",
	},
	{
		"prose as base64", "a.eml", "s",
		"From: a\nSubject: s\nContent-Transfer-Encoding: base64\n\nHello out there,\nno Base64 here.\n",
		"p \"From: a\"\np \"Hello out there,\\nno Base64 here.\"\n",
	},
	{
		"japanese", "a.eml", "日本",
		"From: a\nSubject: =?iso-2022-jp?B?GyRCRnxLXBsoQg==?=\nContent-Type: text/plain; charset=iso-2022-jp\n\n\x1b$BF|K\\\x1b(B\n",
		"p \"From: a\"\np \"日本\"\n",
	},
	{
		"footer after base64", "a.eml", "s",
		"From: a\nSubject: s\nContent-Transfer-Encoding: BASE64\n\nSGVsbG8gdGhlcmU=\n-- \nList footer, with words.\n",
		"p \"From: a\"\np \"Hello there\"\n",
	},
	{
		"saved page", "a.mht", "A page",
		"From: <Saved by Blink>\nSnapshot-Content-Location: http://x\nSubject: A page\nMIME-Version: 1.0\nContent-Type: multipart/related; type=\"text/html\"; boundary=\"b\"\n\n\n--b\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<h1>Gr=C3=BC=C3=9Fe</h1><p>one t=\nwo\n--b\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBO\n--b--\n",
		"h1 \"Grüße\"\np \"one two\"\n",
	},
}

func TestMail(t *testing.T) {
	t.Parallel()
	for _, tt := range mails {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc, media := extractFile(t, tt.file, []byte(tt.data))
			if got := show(doc); got != tt.want || doc.Title != tt.title {
				t.Errorf("%s, title %q, blocks:\n%s\nwant:\n%s", media, doc.Title, got, tt.want)
			}
		})
	}
}
