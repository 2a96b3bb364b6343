package imap

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"go.uber.org/goleak"

	"docent/ingest/source"
	"docent/ingest/source/sourcetest"
	"docent/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is a Dovecot with the account "reader" and its own certificate.
type server struct {
	certificate string
	tls, plain  string // addresses for TLS and for STARTTLS
}

const dovecotConf = `
base_dir = %[1]s/run
state_dir = %[1]s/state
log_path = /dev/stderr
protocols = imap
listen = 127.0.0.1
ssl = required
ssl_cert = <%[1]s/cert.pem
ssl_key = <%[1]s/key.pem
disable_plaintext_auth = yes
auth_failure_delay = 0
mail_location = maildir:%[1]s/mail/%%u
first_valid_uid = 0
default_internal_user = %[2]s
default_internal_group = %[3]s
default_login_user = %[4]s
passdb {
  driver = static
  args = password=secret
}
userdb {
  driver = static
  args = uid=%[5]s gid=%[6]s home=%[1]s/mail/%%u
}
namespace inbox {
  inbox = yes
  separator = /
}
service imap-login {
  chroot =
  inet_listener imap {
    port = %[7]s
  }
  inet_listener imaps {
    port = %[8]s
    ssl = yes
  }
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
`

func write(t *testing.T, at, text string) {
	t.Helper()
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func dovecot(t *testing.T) server {
	t.Helper()
	program := sourcetest.Program(t, "dovecot")
	dir, err := os.MkdirTemp("", "docent-dovecot-") // a short path: it holds sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, sub := range []string{"run", "state", "mail"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil { //nolint:gosec // Dovecot has several users
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // Dovecot has several users
		t.Fatal(err)
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	group, err := user.LookupGroupId(me.Gid)
	if err != nil {
		t.Fatal(err)
	}
	internal, internalGroup, login, uid, gid := me.Username, group.Name, me.Username, me.Uid, me.Gid
	if me.Uid == "0" { // Dovecot gives up its rights
		internal, internalGroup, login = "dovecot", "dovecot", "dovenull"
		owner, err := user.Lookup("mail")
		if err != nil {
			t.Fatal(err)
		}
		uid, gid = owner.Uid, owner.Gid
		if out, err := exec.CommandContext(t.Context(), "chown", "-R", uid+":"+gid, filepath.Join(dir, "mail")).CombinedOutput(); err != nil {
			t.Fatalf("chown: %v\n%s", err, out)
		}
	}
	s := server{plain: sourcetest.Port(t), tls: sourcetest.Port(t)}
	cert, key := certificate(t)
	write(t, filepath.Join(dir, "cert.pem"), cert)
	write(t, filepath.Join(dir, "key.pem"), key)
	conf := filepath.Join(dir, "dovecot.conf")
	write(t, conf, fmt.Sprintf(dovecotConf, dir, internal, internalGroup, login, uid, gid, s.plain, s.tls))
	sourcetest.Start(t, exec.Command(program, "-F", "-c", conf), "127.0.0.1:"+s.tls)
	return server{cert, "imaps://127.0.0.1:" + s.tls, "imap://127.0.0.1:" + s.plain}
}

func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "docent test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(kind string, data []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}))
	}
	return encode("CERTIFICATE", der), encode("PRIVATE KEY", secret)
}

func open(t *testing.T, s server, cfg Config) *Source {
	t.Helper()
	cfg.AllowPrivate, cfg.Certificate, cfg.User = true, s.certificate, "reader"
	if cfg.URL == "" {
		cfg.URL = s.tls
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
	s := dovecot(t)
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
	k.Sync(t, open(t, s, Config{URL: s.plain, Mailboxes: cfg.Mailboxes, MaxBytes: 1000}))
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
func wrong(t *testing.T, s server, src *Source) {
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
	other, _ := certificate(t)
	for _, address := range []string{s.tls, s.plain} {
		var k sourcetest.Kept
		if k.Sync(t, open(t, server{certificate: other}, Config{URL: address})); fault.KindOf(k.Err) != fault.Unavailable {
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
	cert, _ := certificate(t)
	var k sourcetest.Kept
	k.Sync(t, open(t, server{certificate: cert}, Config{URL: "imap://" + l.Addr().String()}))
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
