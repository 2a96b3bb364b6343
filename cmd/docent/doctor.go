package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"docent/config"
	"docent/ingest/worker"
	"docent/internal/fault"
)

// checkTimeout bounds each check of the doctor.
const checkTimeout = 20 * time.Second

func newDoctor(std stdio) *cobra.Command {
	var server string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the installation and its settings",
		Long: `Check the data folder, database, embedder, models, programs, access settings, and
port, and suggest a fix for each failed check. Use the same flags and environment
variables as for docent serve.

With --server, docent only asks a running server whether it is ready. Use this for
the health check of a container.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if server != "" {
				return askReady(cmd.Context(), std.out, server)
			}
			cfg, err := load(cmd)
			if err != nil {
				return err
			}
			return examine(cmd.Context(), std, cfg)
		},
	}
	cmd.Flags().StringVar(&server, "server", "", "only check that the server at this URL is ready")
	scoped(cmd, config.Serving, config.Answering, config.Embedding)
	return cmd
}

// check is one line of the doctor's report.
type check struct {
	name string
	// run returns the result of the check, or an error. remedy is the fix for it.
	run    func(context.Context) (string, error)
	remedy string
}

// examine runs the checks and prints a line each.
func examine(ctx context.Context, std stdio, cfg config.Config) error {
	a := &app{cfg: cfg, log: logger(std, cfg, false)}
	defer a.close()
	failed := 0
	for _, c := range a.checks() {
		ctx, cancel := context.WithTimeout(ctx, checkTimeout)
		found, err := c.run(ctx)
		cancel()
		if err == nil {
			fmt.Fprintf(std.out, "ok    %-9s %s\n", c.name, found)
			continue
		}
		failed++
		fmt.Fprintf(std.out, "FAIL  %-9s %v\n                %s\n", c.name, err, c.remedy)
	}
	if failed > 0 {
		fmt.Fprintf(std.out, "%s failed\n", plural(failed, "check"))
		return errFailed
	}
	return nil
}

func (a *app) checks() []check {
	return []check{
		{"data", a.checkData, "choose a folder you may write to: --data DIR or DOCENT_DATA"},
		{"database", a.checkDatabase, a.databaseRemedy()},
		{"embedder", a.checkEmbedder, "check DOCENT_EMBEDDER_URL, DOCENT_EMBEDDER_MODEL and the key; unset them to use the built-in model"},
		{"model", a.checkModel, "check DOCENT_MODEL, DOCENT_LLM_URL and the key; unset DOCENT_MODEL to answer with quotes"},
		{"speech", a.checkSpeech, "check DOCENT_SPEECH_URL and DOCENT_SPEECH_KEY; unset DOCENT_TRANSCRIPTION_MODEL and DOCENT_SPEECH_MODEL to do without"},
		{"pictures", a.checkPictures, ""},
		{"office", a.checkOffice, ""},
		{"access", a.checkAccess, "add somebody: docent user create NAME --scopes ask,ingest, or docent token create --name NAME; check DOCENT_OIDC_ISSUER if there is one"},
		{"port", a.checkPort, "stop what listens there, or choose another address: --addr HOST:PORT"},
	}
}

// databaseRemedy returns the fix for a database that cannot be opened.
func (a *app) databaseRemedy() string {
	if a.cfg.DatabaseURL != "" {
		return "check DATABASE_URL and that Postgres runs; unset it to use the built-in SQLite"
	}
	return "check " + a.cfg.SQLitePath() + ": is it yours to write, and made by this docent or an older one? --data DIR chooses another folder"
}

// checkPictures reports the program that reads scans and pictures. It never fails,
// because docent works without one.
func (a *app) checkPictures(context.Context) (string, error) {
	tools := worker.FindTools()
	switch {
	case a.cfg.VisionModel != "":
		return "the model " + a.cfg.VisionModel + " reads scans and pictures", nil
	case tools.Tesseract != "":
		return tools.Tesseract + " reads scans and pictures", nil
	default:
		return "scans and pictures are not read; install tesseract (Debian: apt install tesseract-ocr) or set DOCENT_VISION_MODEL", nil
	}
}

// checkOffice reports the program that reads documents of Office 97–2003. It never
// fails, because docent works without one.
func (a *app) checkOffice(context.Context) (string, error) {
	if soffice := worker.FindTools().Soffice; soffice != "" {
		return soffice + " reads DOC, XLS and PPT, and draws slides and sheets", nil
	}
	return "DOC, XLS and PPT are not read, and slides and sheets not drawn; install LibreOffice (Debian: apt install libreoffice-writer libreoffice-calc libreoffice-impress)", nil
}

func (a *app) checkData(context.Context) (string, error) {
	if err := os.MkdirAll(a.cfg.CacheDir(), 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(a.cfg.Data, ".doctor-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	if err := f.Close(); err != nil {
		return "", err
	}
	return a.cfg.Data + " can be written", nil
}

func (a *app) checkDatabase(ctx context.Context) (string, error) {
	db, err := openDatabase(ctx, a.cfg, a.log)
	if err != nil {
		return "", err
	}
	a.db = db
	current, _, err := db.SchemaVersion(ctx)
	if err != nil {
		return "", err
	}
	cols, err := db.Collections(ctx)
	if err != nil {
		return "", err
	}
	docs, failed := 0, 0
	for _, c := range cols {
		docs += c.Documents
		failed += c.Failed
	}
	found := fmt.Sprintf("%s, schema %d, %s", a.databaseKind(), current, plural(docs, "document"))
	if failed > 0 {
		found += fmt.Sprintf(", %d that could not be read (docent docs ls says why)", failed)
	}
	if docs == 0 {
		found += "; add some: docent ingest FOLDER"
	}
	return found, nil
}

func (a *app) checkEmbedder(ctx context.Context) (string, error) {
	if err := a.addEmbedder(ctx); err != nil {
		return "", err
	}
	v, err := a.embedder.EmbedQuery(ctx, "is this on?")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s, %d dimensions", a.embedder.Name(), len(v)), nil
}

func (a *app) checkModel(ctx context.Context) (string, error) {
	if err := a.addModel(); err != nil {
		return "", err
	}
	if a.model == nil {
		return "none: " + modelHint().Message, nil
	}
	if err := a.model.Ping(ctx); err != nil {
		return "", err
	}
	return a.model.Name() + " answers", nil
}

// checkSpeech looks at the settings alone: the server may want money for each
// call.
func (a *app) checkSpeech(context.Context) (string, error) {
	if err := a.addSpeech(); err != nil {
		return "", err
	}
	var found []string
	if a.listens() {
		found = append(found, "listens with "+a.cfg.Speech.Transcription)
	}
	if a.speaks() {
		found = append(found, "speaks with "+a.cfg.Speech.Model)
	}
	if len(found) == 0 {
		return "none: recordings are declined and speech is written", nil
	}
	return strings.Join(found, " and ") + " (the server was not asked)", nil
}

// checkAccess describes the access settings, and fails if nobody can sign in. A
// running server can have other settings.
func (a *app) checkAccess(ctx context.Context) (string, error) {
	switch {
	case !a.cfg.Auth && a.cfg.Loopback():
		return "with these settings authentication is off: everybody on this machine may do everything", nil
	case !a.cfg.Auth:
		return "with these settings authentication is off (--insecure): whoever reaches " + a.cfg.Addr + " may do everything", nil
	case a.db == nil:
		return "", errors.New("who is let in cannot be told without the database")
	}
	users, err := a.db.Users(ctx)
	tokens, failed := a.db.Tokens(ctx)
	if err := errors.Join(err, failed); err != nil {
		return "", err
	}
	found := fmt.Sprintf("with these settings authentication is on: %s, %s", plural(len(users), "user"), plural(len(tokens), "token"))
	if issuer := a.cfg.OIDC.Issuer; issuer != "" {
		return found + ", and whom " + issuer + " knows", askIssuer(ctx, issuer)
	}
	if len(users)+len(tokens) == 0 {
		return "", errors.New("with these settings authentication is on and there is nobody to let in")
	}
	return found, nil
}

// askIssuer asks an OpenID Connect issuer for its configuration.
func askIssuer(ctx context.Context, issuer string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(issuer, "/")+"/.well-known/openid-configuration", http.NoBody)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", req.URL, resp.Status)
	}
	return nil
}

func (a *app) checkPort(ctx context.Context) (string, error) {
	l, err := listen(ctx, a.cfg.Addr)
	if err == nil {
		return a.cfg.Addr + " is free", l.Close()
	}
	if askReady(ctx, io.Discard, "http://"+a.cfg.Addr) == nil {
		return "docent is serving at http://" + a.cfg.Addr, nil
	}
	return "", err
}

// askReady asks a server whether it is ready.
func askReady(ctx context.Context, w io.Writer, server string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(server, "/")+"/api/ready", http.NoBody)
	if err != nil {
		return fault.New(fault.Invalid, "cli_server_address", "--server %s: %w", server, err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fault.New(fault.Unavailable, "other_error", "%w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return fault.New(fault.Unavailable, "named_error", "%s: %w", server, err)
	}
	if resp.StatusCode != http.StatusOK {
		return fault.New(fault.Unavailable, "cli_server_not_ready", "%s is not ready: %s", server, strings.TrimSpace(string(body)))
	}
	_, err = fmt.Fprintln(w, server, "is ready")
	return err
}

// modelHint explains how to get written answers.
func modelHint() fault.Text {
	return fault.NewText("model_hint",
		"Answers are quotes; for written ones set DOCENT_MODEL, with OPENAI_API_KEY or with DOCENT_LLM_URL for a server of your own.")
}

// databaseKind names the database in reports.
func (a *app) databaseKind() string {
	if a.cfg.DatabaseURL != "" {
		return "postgres"
	}
	return "sqlite"
}
