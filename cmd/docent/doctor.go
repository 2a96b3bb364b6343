package main

import (
	"cmp"
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
	"docent/embed/multilingual"
	"docent/ingest/worker"
	"docent/internal/disk"
	"docent/internal/fault"
	"docent/internal/wiring"
)

const (
	// checkTimeout bounds each check of the doctor.
	checkTimeout = 20 * time.Second
	// modelTimeout bounds the check of the chat models, which their server may load first.
	modelTimeout = 2 * time.Minute
)

func newDoctor(std stdio) *cobra.Command {
	var server string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the installation and its settings",
		Long: `Check the data folder, database, embedder, index, models, programs, access settings,
and port, and suggest a fix for each failed check. Use the same flags and environment
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
	scoped(cmd, config.Serving, config.Answering, config.Chatting, config.Embedding)
	return cmd
}

// check is one line of the doctor's report.
type check struct {
	name string
	// run returns the result of the check, or an error. remedy is the fix for it.
	run    func(context.Context) (string, error)
	remedy string
	// timeout replaces checkTimeout.
	timeout time.Duration
}

// examine runs the checks and prints a line each.
func examine(ctx context.Context, std stdio, cfg config.Config) error {
	d := &doctor{Base: wiring.New(cfg, wiring.NewLog(cfg, std.err, false))}
	defer func() {
		if d.store != nil {
			d.store.Close(ctx)
		}
	}()
	failed := 0
	for _, c := range d.checks() {
		ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.timeout, checkTimeout))
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

// doctor checks the parts of docent. Some checks open the part that they check.
type doctor struct {
	wiring.Base
	store     *wiring.Store     // nil until it is open
	embedders *wiring.Embedders // nil until they are open
}

// checks returns the checks in the order of the report.
func (d *doctor) checks() []check {
	return []check{
		{name: "data", run: d.checkData, remedy: "choose a folder you may write to: --data DIR or DOCENT_DATA"},
		{name: "database", run: d.checkDatabase, remedy: d.databaseRemedy()},
		{name: "embedder", run: d.checkEmbedder, remedy: "check DOCENT_EMBEDDER_URL, DOCENT_EMBEDDER_MODEL and the key; unset them to use the built-in model"},
		{name: "index", run: d.checkIndex, remedy: "check --index, and --weaviate or the extension pgvector of the database"},
		{name: "languages", run: d.checkLanguages, remedy: "remove the model and install it again: docent model rm " + multilingual.Model},
		{name: "reranker", run: d.checkReranker, remedy: "check DOCENT_RERANK_URL, DOCENT_RERANK_MODEL and DOCENT_RERANK_KEY, or docent model ls; " +
			"unset them to use the built-in encoder"},
		{name: "support", run: d.checkEntailment, remedy: "check DOCENT_ENTAILMENT_MODEL and docent model ls; unset it to let the words decide"},
		{name: "model", run: d.checkModel, timeout: modelTimeout, remedy: "check DOCENT_MODEL, DOCENT_LLM_URL and the key; unset DOCENT_MODEL to answer with quotes"},
		{name: "speech", run: d.checkSpeech, remedy: "check DOCENT_SPEECH_URL and DOCENT_SPEECH_KEY; " +
			"unset DOCENT_TRANSCRIPTION_MODEL and DOCENT_SPEECH_MODEL to turn speech off"},
		{name: "pictures", run: d.checkPictures},
		{name: "office", run: d.checkOffice},
		{name: "access", run: d.checkAccess, remedy: "add a user or a token: docent user create NAME --scopes ask,ingest, or docent token create --name NAME; " +
			"if DOCENT_OIDC_ISSUER is set, check it"},
		{name: "port", run: d.checkPort, remedy: "stop the program that uses it, or choose another address: --addr HOST:PORT"},
	}
}

// databaseRemedy returns the fix for a database that cannot be opened.
func (d *doctor) databaseRemedy() string {
	if d.Config.DatabaseURL != "" {
		return "check DATABASE_URL and that Postgres runs; unset it to use the built-in SQLite"
	}
	return "check " + d.Config.SQLitePath() + ": you must own it, and it must not come from a newer docent; " +
		"choose another folder with --data DIR"
}

// checkPictures reports the program that reads scans and pictures. It never fails,
// because docent works without one.
func (d *doctor) checkPictures(context.Context) (string, error) {
	tools := worker.FindTools()
	switch {
	case d.Config.VisionModel != "":
		return "the model " + d.Config.VisionModel + " reads scans and pictures", nil
	case tools.Tesseract != "":
		return tools.Tesseract + " reads scans and pictures", nil
	default:
		return "docent does not read scans and pictures; install tesseract (Debian: apt install tesseract-ocr) or set DOCENT_VISION_MODEL", nil
	}
}

// checkOffice reports the program that reads documents of Office 97–2003. It never
// fails, because docent works without one.
func (d *doctor) checkOffice(context.Context) (string, error) {
	if soffice := worker.FindTools().Soffice; soffice != "" {
		return soffice + " reads DOC, XLS, and PPT, and shows slides and sheets as pages", nil
	}
	return "docent does not read DOC, XLS, and PPT, and does not show slides and sheets as pages; " +
		"install LibreOffice (Debian: apt install libreoffice-writer libreoffice-calc libreoffice-impress)", nil
}

func (d *doctor) checkData(context.Context) (string, error) {
	if err := os.MkdirAll(d.Config.CacheDir(), 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(d.Config.Data, ".doctor-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	if err := f.Close(); err != nil {
		return "", err
	}
	if file := d.Config.ExposedFile; file != "" {
		return "", fault.New(fault.Invalid, "cli_file_exposed",
			"other users can read %s, which contains a key or a password; run: chmod 600 %s", file, file)
	}
	if err := disk.Check(d.Config.Data, disk.Least); err != nil {
		return "", err
	}
	return d.Config.Data + " can be written", nil
}

func (d *doctor) checkDatabase(ctx context.Context) (string, error) {
	var err error
	if d.store, err = wiring.OpenStore(ctx, d.Base); err != nil {
		return "", err
	}
	d.Config = d.store.Config // with the stored settings
	db := d.store.DB
	current, _, err := db.SchemaVersion(ctx)
	if err != nil {
		return "", err
	}
	cols, err := db.Library.Collections(ctx)
	if err != nil {
		return "", err
	}
	docs, failed := 0, 0
	for _, c := range cols {
		docs += c.Documents
		failed += c.Failed
	}
	found := fmt.Sprintf("%s, schema %d, %s", db.Kind, current, plural(docs, "document"))
	if failed > 0 {
		found += fmt.Sprintf(", %d failed (see docent docs ls)", failed)
	}
	if docs == 0 {
		found += "; add some: docent ingest FOLDER"
	}
	return found, nil
}

func (d *doctor) checkEmbedder(ctx context.Context) (string, error) {
	var err error
	if d.embedders, err = wiring.OpenEmbedders(ctx, d.Base); err != nil {
		return "", err
	}
	e := d.embedders.Embedder
	v, err := e.EmbedQuery(ctx, "is this on?")
	if err != nil {
		return "", err
	}
	found := fmt.Sprintf("%s, %d dimensions; %s", e.Name(), len(v), wiring.DescribeEncoder(d.Config))
	if d.store == nil {
		return found, nil
	}
	progress, err := d.embedders.Encoded(ctx, d.store)
	if err != nil {
		return "", err
	}
	for _, e := range progress {
		found += fmt.Sprintf(", %d of %s encoded with %s", e.Done, plural(e.Total, "passage"), e.Model)
		if e.Done < e.Total {
			found += " (docent serve does the rest)"
		}
	}
	return found, nil
}

func (d *doctor) checkIndex(ctx context.Context) (string, error) {
	if d.store == nil || d.embedders == nil {
		return "", errors.New("the index cannot be checked without the database and the embedder")
	}
	return wiring.CheckIndex(ctx, d.store, d.embedders)
}

func (d *doctor) checkLanguages(context.Context) (string, error) {
	return wiring.CheckLanguages(d.Config)
}

func (d *doctor) checkReranker(ctx context.Context) (string, error) {
	return wiring.CheckReranker(ctx, d.Config)
}

func (d *doctor) checkEntailment(ctx context.Context) (string, error) {
	return wiring.CheckEntailment(ctx, d.Config)
}

func (d *doctor) checkModel(ctx context.Context) (string, error) {
	models, err := wiring.OpenModels(d.Base)
	if err != nil {
		return "", err
	}
	model := models.Chat
	switch {
	case model == nil && d.Config.UnusedModel != "":
		return "none: " + wiring.UnusedModel, nil
	case model == nil:
		return "none: " + wiring.ModelHint().Message, nil
	}
	var found []string
	for _, m := range models.Served {
		report, err := m.Probe(ctx)
		if err != nil {
			return strings.Join(found, "; "), err // with the words of the server
		}
		found = append(found, m.Name()+" answers: "+report.String())
	}
	return strings.Join(found, "; "), nil
}

// checkSpeech checks only the settings, because a call of the server can cost money.
func (d *doctor) checkSpeech(context.Context) (string, error) {
	if _, err := wiring.OpenSpeech(d.Base); err != nil {
		return "", err
	}
	var found []string
	if wiring.Listens(d.Config) {
		found = append(found, "listens with "+d.Config.Speech.Transcription)
	}
	if wiring.Speaks(d.Config) {
		found = append(found, "speaks with "+d.Config.Speech.Model)
	}
	if len(found) == 0 {
		return "none: docent declines recordings and sends replies as text", nil
	}
	return strings.Join(found, " and ") + " (docent did not call the server)", nil
}

// checkAccess describes the access settings, and fails if nobody can sign in. A
// running server can have other settings.
func (d *doctor) checkAccess(ctx context.Context) (string, error) {
	switch {
	case !d.Config.Auth && d.Config.Loopback():
		return "authentication is off: every user of this machine can do everything", nil
	case !d.Config.Auth:
		return "authentication is off (--insecure): every client that reaches " + d.Config.Addr + " can do everything", nil
	case d.store == nil:
		return "", errors.New("users and tokens cannot be counted without the database")
	}
	users, err := d.store.DB.Users.Users(ctx)
	if err != nil {
		return "", err
	}
	tokens, err := d.store.DB.Tokens.Tokens(ctx)
	if err != nil {
		return "", err
	}
	found := fmt.Sprintf("authentication is on: %s, %s", plural(len(users), "user"), plural(len(tokens), "token"))
	if issuer := d.Config.OIDC.Issuer; issuer != "" {
		return found + ", and the users of " + issuer, askIssuer(ctx, issuer)
	}
	if len(users)+len(tokens) == 0 {
		return "", errors.New("authentication is on, but there are no users and no tokens")
	}
	return found, nil
}

// askIssuer asks an OpenID Connect issuer for its configuration.
func askIssuer(ctx context.Context, issuer string) error {
	url := strings.TrimSuffix(issuer, "/") + "/.well-known/openid-configuration"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
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

func (d *doctor) checkPort(ctx context.Context) (string, error) {
	l, err := wiring.Listen(ctx, d.Config.Addr)
	if err == nil {
		return d.Config.Addr + " is free", l.Close()
	}
	if askReady(ctx, io.Discard, "http://"+d.Config.Addr) == nil {
		return "docent is serving at http://" + d.Config.Addr, nil
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
