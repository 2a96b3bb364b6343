package imap

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"
	"go.uber.org/goleak"

	"docent/ingest/source"
	"docent/ingest/source/sourcetest"
	"docent/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, s sourcetest.Mail, cfg Config) *Source {
	t.Helper()
	cfg.AllowPrivate, cfg.Certificate, cfg.User = true, s.Certificate, "reader"
	if cfg.URL == "" {
		cfg.URL = s.TLS
	}
	if cfg.Password == "" {
		cfg.Password = "secret"
	}
	src, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

// writer changes mailboxes in a separate session.
type writer struct {
	*connection
	t *testing.T
}

func (w writer) add(mailbox, text string) {
	w.t.Helper()
	cmd := w.client.Append(mailbox, int64(len(text)), nil)
	_, err := io.WriteString(cmd, text)
	if err == nil {
		err = cmd.Close()
	}
	if err == nil {
		_, err = cmd.Wait()
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w writer) remove(mailbox string, seq uint32, expunge bool) {
	w.t.Helper()
	_, err := w.client.Select(mailbox, nil).Wait()
	if err == nil {
		err = w.client.Store(imap.SeqSetNum(seq), &imap.StoreFlags{Op: imap.StoreFlagsAdd, Flags: []imap.Flag{imap.FlagDeleted}}, nil).Close()
	}
	if err == nil && expunge {
		err = w.client.Expunge().Close()
	}
	if err == nil {
		err = w.client.Unselect().Wait()
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func mail(subject string) string {
	return "From: a@example.com\r\nSubject: " + subject + "\r\n\r\nBody of " + subject + "\r\n"
}

func TestDovecot(t *testing.T) {
	t.Parallel()
	s := sourcetest.Dovecot(t)
	c, err := open(t, s, Config{}).connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	w := writer{c, t}
	for i := range 4 {
		w.add("INBOX", mail(fmt.Sprint("m", i+1)))
	}
	for _, name := range []string{"Archive/2025", "Ärger & Co", "Trash"} {
		if err := c.client.Create(name, nil).Wait(); err != nil {
			t.Fatal(err)
		}
		w.add(name, mail(name))
	}
	cfg := Config{Mailboxes: []string{"INBOX", "Archive*", "Ä*"}, MaxBytes: 1000}
	src := open(t, s, cfg)
	var k sourcetest.Kept
	k.Sync(t, src)
	if k.Err != nil || len(k.Failed) > 0 {
		t.Fatalf("error %v, failed %v", k.Err, k.Failed)
	}
	sourcetest.Equal(t, "items", k.Keys(), []string{"Archive/2025/1", "INBOX/1", "INBOX/2", "INBOX/3", "INBOX/4", "Ärger & Co/1"})
	if k.Bodies["INBOX/2"] != mail("m2") || k.Items["INBOX/2"].Name != "2.eml" || k.Items["INBOX/2"].Modified.IsZero() {
		t.Errorf("body %q, item %+v", k.Bodies["INBOX/2"], k.Items["INBOX/2"])
	}
	if got, want := k.Items["Ärger & Co/1"].Address, "imap://reader@"+src.url.Host+"/%C3%84rger%20&%20Co;UID=1"; got != want {
		t.Errorf("address %s, want %s", got, want)
	}
	k.Sync(t, src)
	sourcetest.Equal(t, "changed", k.Changed, nil)

	// One message is expunged, one is marked as deleted, one is new, and one is too
	// large.
	w.remove("INBOX", 1, true)
	w.remove("INBOX", 1, false)
	w.add("INBOX", mail("m5"))
	w.add("INBOX", mail(strings.Repeat("long ", 300)))
	k.Sync(t, open(t, s, Config{URL: s.Plain, Mailboxes: cfg.Mailboxes, MaxBytes: 1000}))
	sourcetest.Equal(t, "changed", k.Changed, []string{"INBOX/5"})
	sourcetest.Equal(t, "items", k.Keys(), []string{"Archive/2025/1", "INBOX/3", "INBOX/4", "INBOX/5", "Ärger & Co/1"})
	if len(k.Failed) != 1 || k.Failed["INBOX/6"] == nil {
		t.Errorf("failed %v", k.Failed)
	}

	// A new mailbox of the same name has other messages under the same UIDs.
	if err := c.client.Delete("Archive/2025").Wait(); err != nil {
		t.Fatal(err)
	}
	if err := c.client.Create("Archive/2025", nil).Wait(); err != nil {
		t.Fatal(err)
	}
	w.add("Archive/2025", mail("new"))
	k.Sync(t, src)
	sourcetest.Equal(t, "changed", k.Changed, []string{"Archive/2025/1"})
	if k.Bodies["Archive/2025/1"] != mail("new") {
		t.Errorf("body %q", k.Bodies["Archive/2025/1"])
	}
	wrong(t, s, src)
}

// wrong are configurations that the server or its certificate refuses.
func wrong(t *testing.T, s sourcetest.Mail, src *Source) {
	t.Helper()
	item := source.Item{Key: "INBOX/99"}
	if _, err := src.Open(t.Context(), item); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a missing message: %v", err)
	}
	for name, c := range map[string]struct {
		cfg  Config
		kind fault.Kind
	}{
		"password": {Config{Password: "wrong"}, fault.Unauthorized},
		"mailbox":  {Config{Mailboxes: []string{"None"}}, fault.NotFound},
		"limit":    {Config{MaxMessages: 2}, fault.Invalid},
	} {
		var k sourcetest.Kept
		if k.Sync(t, open(t, s, c.cfg)); fault.KindOf(k.Err) != c.kind {
			t.Errorf("%s: kind %s of %v", name, fault.KindOf(k.Err), k.Err)
		}
	}
	other, _ := sourcetest.Certificate(t)
	for _, address := range []string{s.TLS, s.Plain} {
		var k sourcetest.Kept
		if k.Sync(t, open(t, sourcetest.Mail{Certificate: other}, Config{URL: address})); fault.KindOf(k.Err) != fault.Unavailable {
			t.Errorf("an unknown certificate at %s: %v", address, k.Err)
		}
	}
}

func TestHostileServer(t *testing.T) {
	t.Parallel()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "* PREAUTH welcome\r\n")
			for err == nil {
				_, err = io.WriteString(conn, strings.Repeat("* OK x\r\n", 1000))
			}
			conn.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	cert, _ := sourcetest.Certificate(t)
	var k sourcetest.Kept
	k.Sync(t, open(t, sourcetest.Mail{Certificate: cert}, Config{URL: "imap://" + l.Addr().String()}))
	if k.Err == nil {
		t.Error("an endless greeting ends without an error")
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for field, cfg := range map[string]Config{
		"url":         {URL: "https://mail.example.com"},
		"private":     {URL: "imaps://127.0.0.1", User: "x", Password: "y"},
		"user":        {URL: "imaps://mail.example.com", Password: "x"},
		"password":    {URL: "imaps://mail.example.com", User: "x", Password: "a\r\nb"},
		"mailboxes":   {URL: "imaps://mail.example.com", User: "x", Password: "y", Mailboxes: []string{""}},
		"certificate": {URL: "imaps://mail.example.com", User: "x", Password: "y", Certificate: "z"},
	} {
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	var _ source.Source = &Source{}
}

func FuzzState(f *testing.F) {
	f.Add([]byte(`{"v":1}`), "INBOX/1")
	f.Fuzz(func(t *testing.T, data []byte, key string) {
		decodeState(data)
		if mailbox, uid, err := splitKey(key); err == nil && (mailbox == "" || uid == 0) {
			t.Errorf("splitKey(%q) = %q, %d", key, mailbox, uid)
		}
	})
}
