package docent

import (
	"fmt"
	"io"
	"net"
	"strconv"

	"docent/config"
	"docent/internal/fault"
	"docent/internal/terminal"
)

// usage returns the error for wrong arguments of a program.
func usage(program string, err error) error {
	return fault.New(fault.Invalid, "cli_usage", "%w; see %s --help", err, program)
}

// announce prints the address of a server, and notes about access for its
// operator.
func announce(w io.Writer, cfg config.Config, at net.Addr, locked bool) {
	if locked {
		fmt.Fprint(w, firstUser(cfg))
	}
	warn(w, cfg, at)
	if cfg.NoUI {
		fmt.Fprintln(w, "The page is off (--no-ui). Programs can connect.")
	}
	fmt.Fprintf(w, "docent is at %s%s\n", urlOf(at), cfg.BasePath)
}

// firstUser explains how to add the first user. Its commands work on the database
// of the server in any shell.
func firstUser(cfg config.Config) string {
	data, same := " --data "+terminal.ShellWord(cfg.Data), ""
	if cfg.DatabaseURL != "" {
		same = ", with the same DATABASE_URL"
	}
	return fmt.Sprintf("Authentication is on, but nobody can sign in yet. Add a user for the page, or a token for programs%s:\n"+
		"  docent user create NAME --scopes ask,ingest%s\n  docent token create --name NAME%s\n", same, data, data)
}

// warn prints a warning if other machines can reach docent: that there is no TLS, or
// no authentication.
func warn(w io.Writer, cfg config.Config, at net.Addr) {
	switch {
	case cfg.Loopback():
	case cfg.Auth:
		fmt.Fprintf(w, "Others can reach docent at %s. docent does not use TLS. Without a TLS proxy in front of it, "+
			"passwords, cookies, and tokens travel in the clear.\n", at)
	default:
		fmt.Fprintf(w, "WARNING: authentication is off (--insecure): everybody who reaches %s may read, change, and delete everything.\n", at)
	}
}

// urlOf returns the URL of a listener for a browser on this machine.
func urlOf(at net.Addr) string {
	addr, ok := at.(*net.TCPAddr)
	if !ok || !addr.IP.IsUnspecified() {
		return "http://" + at.String()
	}
	host := "127.0.0.1"
	if addr.IP.To4() == nil {
		host = "localhost" // [::] may or may not accept IPv4
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(addr.Port))
}
