package sourcetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
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

	"github.com/emersion/go-imap/v2/imapclient"
)

// Mail is a Dovecot with the account "reader" and the password "secret".
type Mail struct {
	// Certificate is the authority of the server, in PEM format.
	Certificate string
	// TLS and Plain are the addresses for TLS and for STARTTLS.
	TLS, Plain string
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

// Dovecot starts an IMAP server.
func Dovecot(t *testing.T) Mail {
	t.Helper()
	program := Program(t, "dovecot")
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
	plain, secure := Port(t), Port(t)
	cert, key := Certificate(t)
	write(t, filepath.Join(dir, "cert.pem"), cert)
	write(t, filepath.Join(dir, "key.pem"), key)
	conf := filepath.Join(dir, "dovecot.conf")
	write(t, conf, fmt.Sprintf(dovecotConf, dir, internal, internalGroup, login, uid, gid, plain, secure))
	Start(t, exec.Command(program, "-F", "-c", conf), "127.0.0.1:"+secure)
	return Mail{cert, "imaps://127.0.0.1:" + secure, "imap://127.0.0.1:" + plain}
}

// Certificate returns a new certificate for 127.0.0.1, and its key, in PEM format.
func Certificate(t *testing.T) (cert, key string) {
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

// Deliver puts a message into the mailbox INBOX.
func (m Mail) Deliver(t *testing.T, text string) {
	t.Helper()
	secure := &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	secure.RootCAs.AppendCertsFromPEM([]byte(m.Certificate))
	c, err := imapclient.DialTLS(strings.TrimPrefix(m.TLS, "imaps://"), &imapclient.Options{TLSConfig: secure})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	err = c.Login("reader", "secret").Wait()
	cmd := c.Append("INBOX", int64(len(text)), nil)
	if err == nil {
		_, err = io.WriteString(cmd, text)
	}
	if err == nil {
		err = cmd.Close()
	}
	if err == nil {
		_, err = cmd.Wait()
	}
	if err != nil {
		t.Fatal(err)
	}
}
