package wiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"docent/embed/multilingual"
	"docent/ingest/worker"
	"docent/internal/disk"
	"docent/internal/fault"
	"docent/rag/retrieve"
)

const (
	// checkTimeout bounds each check of a Doctor.
	checkTimeout = 20 * time.Second
	// servedTimeout bounds each check in a running server, where a person waits for all of them.
	servedTimeout = 5 * time.Second
	// modelTimeout bounds the check of the chat models, which their server may load first.
	modelTimeout = 2 * time.Minute
)

// Check is a check of a Doctor.
type Check struct {
	// Name is one word.
	Name string
	// Run returns the result, or an error.
	Run func(context.Context) (string, error)
	// Remedy is the fix for the error.
	Remedy string
	// Timeout replaces the timeout of the Doctor.
	Timeout time.Duration
	// Spare reports that docent works without the part.
	Spare bool

	// each returns the checks that take the place of this one. It is called after the checks before.
	each func() []Check
	once bool // a server does not repeat it after a success: it opens a large file
}

// Finding is the result of a check.
type Finding struct {
	Check

	// Found describes what works.
	Found string
	// Err says why the check failed; nil otherwise.
	Err error
}

// Doctor checks the parts of docent. Some checks open the part that they check. Its methods must not
// run concurrently.
type Doctor struct {
	Base
	store     *Store            // nil until it is open
	embedders *Embedders        // nil until they are open
	server    *Server           // nil in commands
	passed    map[string]string // the results of checks with once, by name
}

// NewDoctor returns a Doctor that opens the parts itself. The caller closes it.
func NewDoctor(b Base) *Doctor { return &Doctor{Base: b, passed: map[string]string{}} }

// newServerDoctor returns a Doctor that uses the parts of a server.
func newServerDoctor(s *Server) *Doctor {
	d := NewDoctor(s.Base)
	d.store, d.embedders, d.server = s.Store, s.Embedders, s
	return d
}

// Close closes the opened parts.
func (d *Doctor) Close(ctx context.Context) {
	if d.store != nil && d.server == nil {
		d.store.Close(ctx)
	}
}

// Examine runs the checks, and then those of more. It calls report after each check.
func (d *Doctor) Examine(ctx context.Context, report func(Finding), more ...Check) {
	timeout := checkTimeout
	if d.server != nil {
		timeout = servedTimeout
	}
	for _, c := range append(d.checks(), more...) {
		all := []Check{c}
		if c.each != nil {
			all = c.each()
		}
		for _, c := range all {
			found, passed := d.passed[c.Name]
			var err error
			if !passed {
				ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Timeout, timeout))
				found, err = c.Run(ctx)
				cancel()
			}
			if err == nil && c.once && d.server != nil {
				d.passed[c.Name] = found
			}
			report(Finding{c, found, err})
		}
	}
}

// counted returns a count with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// checks returns the checks in the order of the report.
func (d *Doctor) checks() []Check {
	return []Check{
		{each: d.exposedChecks},
		{Name: "data", Run: d.checkData, Remedy: "choose a folder you may write to: --data DIR or DOCENT_DATA"},
		{Name: "database", Run: d.checkDatabase, Remedy: d.databaseRemedy()},
		{Name: "secrets", Run: d.checkSecrets, Remedy: "restore secret.key or DOCENT_SECRET_KEY; or enter the keys of models again in the view Models, " +
			"and remove the sources and webhooks and add them again"},
		{Name: "embedder", Run: d.checkEmbedder, Remedy: "check DOCENT_EMBEDDER_URL, DOCENT_EMBEDDER_MODEL and the key; unset them to use the built-in model"},
		{Name: "index", Run: d.checkIndex, Remedy: "check --index, and --weaviate or the extension pgvector of the database"},
		{
			Name: "languages", Run: d.checkLanguages, once: true,
			Remedy: "remove the model and install it again: docent model rm " + multilingual.Model,
		},
		{Name: "reranker", Run: d.checkReranker, once: d.Config.Rerank.Installed(), Remedy: "check DOCENT_RERANK_URL, DOCENT_RERANK_MODEL and DOCENT_RERANK_KEY, or docent model ls; " +
			"unset them to use the built-in encoder"},
		{Name: "support", Run: d.checkEntailment, once: true, Remedy: "check DOCENT_ENTAILMENT_MODEL and docent model ls; unset it to let the words decide"},
		{each: d.modelChecks},
		{Name: "speech", Run: d.checkSpeech, Remedy: "check DOCENT_SPEECH_URL and DOCENT_SPEECH_KEY; " +
			"unset DOCENT_TRANSCRIPTION_MODEL and DOCENT_SPEECH_MODEL to turn speech off"},
		{Name: "pictures", Run: d.checkPictures},
		{Name: "office", Run: d.checkOffice},
		{Name: "access", Run: d.checkAccess, Remedy: "add a user or a token: docent user create NAME --scopes ask,ingest, or docent token create --name NAME; " +
			"if DOCENT_OIDC_ISSUER is set, check it"},
	}
}

// databaseRemedy returns the fix for a database that cannot be opened.
func (d *Doctor) databaseRemedy() string {
	if d.Config.DatabaseURL != "" {
		return "check DATABASE_URL and that Postgres runs; unset it to use the built-in SQLite"
	}
	return "check " + d.Config.SQLitePath() + ": you must own it, and it must not come from a newer docent; " +
		"choose another folder with --data DIR"
}

// checkPictures reports the program that reads scans and pictures. It never fails,
// because docent works without one.
func (d *Doctor) checkPictures(context.Context) (string, error) {
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
func (d *Doctor) checkOffice(context.Context) (string, error) {
	if soffice := worker.FindTools().Soffice; soffice != "" {
		return soffice + " reads DOC, XLS, and PPT, and shows slides and sheets as pages", nil
	}
	return "docent does not read DOC, XLS, and PPT, and does not show slides and sheets as pages; " +
		"install LibreOffice (Debian: apt install libreoffice-writer libreoffice-calc libreoffice-impress)", nil
}

// exposedChecks returns a check that fails if other users can read secrets in the configuration file.
func (d *Doctor) exposedChecks() []Check {
	file := d.Config.ExposedFile
	if file == "" {
		return nil
	}
	return []Check{{
		Name: "settings", Remedy: "or move keys and passwords to environment variables",
		Run: func(context.Context) (string, error) {
			return "", fault.New(fault.Invalid, "cli_file_exposed",
				"other users can read %s, which contains a key or a password; run: chmod 600 %s", file, file)
		},
	}}
}

func (d *Doctor) checkData(context.Context) (string, error) {
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
	if err := disk.Check(d.Config.Data, disk.Least); err != nil {
		return "", err
	}
	return d.Config.Data + " can be written", nil
}

func (d *Doctor) checkDatabase(ctx context.Context) (string, error) {
	if d.store == nil {
		var err error
		if d.store, err = OpenStore(ctx, d.Base); err != nil {
			return "", err
		}
		d.Config = d.store.Config // with the stored settings
	}
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
	found := fmt.Sprintf("%s, schema %d, %s", db.Kind, current, counted(docs, "document"))
	if failed > 0 {
		found += fmt.Sprintf(", %d failed (see docent docs ls)", failed)
	}
	if docs == 0 {
		found += "; add some: docent ingest FOLDER"
	}
	return found, nil
}

// checkSecrets checks that the key decrypts the stored secrets.
func (d *Doctor) checkSecrets(ctx context.Context) (string, error) {
	if d.store == nil {
		return "", errors.New("the secrets cannot be checked without the database")
	}
	all, err := d.store.DB.Secrets.Secrets(ctx)
	if err != nil {
		return "", err
	}
	lost, err := d.store.vault.Lost(ctx, d.store.DB.Secrets)
	if err == nil && len(lost) > 0 {
		err = fault.New(fault.Conflict, "secrets_lost",
			"the key for secrets has changed, so docent cannot use the keys of: %s", strings.Join(lost, ", "))
	}
	return counted(len(all), "stored secret"), err
}

func (d *Doctor) checkEmbedder(ctx context.Context) (string, error) {
	if d.embedders == nil {
		var err error
		if d.embedders, err = OpenEmbedders(ctx, d.Base); err != nil {
			return "", err
		}
	}
	e := d.embedders.Embedder
	start := time.Now()
	v, err := e.EmbedQuery(ctx, "is this on?")
	if err != nil {
		return "", err
	}
	took := ""
	if d.Config.Embedder.Remote() {
		took = answered(start)
	}
	found := fmt.Sprintf("%s, %d dimensions%s; %s", e.Name(), len(v), took, DescribeEncoder(d.Config))
	if d.store == nil {
		return found, nil
	}
	progress, err := d.encoded(ctx)
	if err != nil {
		return "", err
	}
	for _, e := range progress {
		found += fmt.Sprintf(", %d of %s encoded with %s", e.Done, counted(e.Total, "passage"), e.Model)
		if e.Done < e.Total {
			found += " (docent serve does the rest)"
		}
	}
	return found, nil
}

// answered describes the time that a server took for a request.
func answered(start time.Time) string {
	return fmt.Sprintf(", answers after %v", time.Since(start).Round(10*time.Millisecond))
}

// encoded returns the progress of the encoders. A server knows it without counting.
func (d *Doctor) encoded(ctx context.Context) ([]retrieve.EncoderProgress, error) {
	if d.server != nil {
		return d.server.Retriever.Encoders(), nil
	}
	return d.embedders.Encoded(ctx, d.store)
}

func (d *Doctor) checkIndex(ctx context.Context) (string, error) {
	if d.store == nil || d.embedders == nil {
		return "", errors.New("the index cannot be checked without the database and the embedder")
	}
	return CheckIndex(ctx, d.store, d.embedders)
}

func (d *Doctor) checkLanguages(context.Context) (string, error) {
	return CheckLanguages(d.Config)
}

func (d *Doctor) checkReranker(ctx context.Context) (string, error) {
	return CheckReranker(ctx, d.Config)
}

func (d *Doctor) checkEntailment(ctx context.Context) (string, error) {
	return CheckEntailment(ctx, d.Config)
}

// checkSpeech checks only the settings, because a call of the server can cost money.
func (d *Doctor) checkSpeech(context.Context) (string, error) {
	if _, err := OpenSpeech(d.Base); err != nil {
		return "", err
	}
	var found []string
	if Listens(d.Config) {
		found = append(found, "listens with "+d.Config.Speech.Transcription)
	}
	if Speaks(d.Config) {
		found = append(found, "speaks with "+d.Config.Speech.Model)
	}
	if len(found) == 0 {
		return "none: docent declines recordings and sends replies as text", nil
	}
	return strings.Join(found, " and ") + " (docent did not call the server)", nil
}

// checkAccess describes the access settings, and fails if nobody can sign in. A
// running server can have other settings.
func (d *Doctor) checkAccess(ctx context.Context) (string, error) {
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
	found := fmt.Sprintf("authentication is on: %s, %s", counted(len(users), "user"), counted(len(tokens), "token"))
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
