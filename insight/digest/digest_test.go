package digest_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/config"
	"docent/insight"
	"docent/insight/digest"
	"docent/insight/digest/digesttest"
	"docent/insight/today"
	"docent/internal/fault"
)

// berlin has summer time.
func berlin(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestPlan(t *testing.T) {
	t.Parallel()
	zone := berlin(t)
	at := func(text string) time.Time {
		when, err := time.ParseInLocation("2006-01-02 15:04", text, zone)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	plan := digest.Plan{Day: time.Monday, On: true}
	for _, c := range []struct{ now, latest, next string }{
		{"2026-05-04 06:59", "2026-04-27 07:00", "2026-05-04 07:00"}, // a Monday
		{"2026-05-04 07:00", "2026-05-04 07:00", "2026-05-11 07:00"},
		{"2026-05-10 23:00", "2026-05-04 07:00", "2026-05-11 07:00"},
		{"2026-03-29 12:00", "2026-03-23 07:00", "2026-03-30 07:00"}, // summer time began
	} {
		if latest, next := plan.Latest(at(c.now)), plan.Next(at(c.now)); !latest.Equal(at(c.latest)) || !next.Equal(at(c.next)) {
			t.Errorf("at %s: %v and %v", c.now, latest, next)
		}
	}
	if next := (digest.Plan{}).Next(at("2026-05-04 07:00")); !next.IsZero() {
		t.Errorf("without a plan: %v", next)
	}
}

// things are one thing of each kind.
func things(now time.Time) []today.Thing {
	return []today.Thing{
		{Kind: today.Model, Level: today.Urgent, Name: "large", Quotes: true, Since: now.Add(-time.Hour), Reason: fault.Plain("no key\nis set")},
		{Kind: today.Disk, Level: today.Soon, Percent: 91},
		{Kind: today.SourceStopped, Level: today.Soon, Name: "archive"},
		{Kind: today.SourceFailed, Level: today.Soon, Name: "blog", Count: 3},
		{Kind: today.SourceLate, Level: today.Soon, Name: "wiki", Since: now.Add(-48 * time.Hour)},
		{Kind: today.Documents, Level: today.Soon, Name: "default", Count: 4},
		{Kind: today.Backup, Level: today.Soon, Since: now.AddDate(0, 0, -9)},
		{Kind: today.Mail, Level: today.Soon, Name: "ann@example.com", Count: 2, Reason: fault.Plain("550 no such user")},
		{Kind: today.Proposed, Level: today.Note, Count: 1},
		{Kind: today.Open, Level: today.Note, Count: 5, Questions: 12, New: 3},
		{Kind: today.Review, Level: today.Note, Count: 2},
	}
}

const wantEnglish = `docent on May 4, 2026

TO DO

Now:
- The model large has not answered since 2026-05-04 06:00: no key is set. docent answers with quotes instead.

Soon:
- The disk of the data folder is 91 % full.
- docent has paused the source archive, because docent ended twice while it read the source.
- The last 3 syncs of the source blog failed.
- The source wiki is late: docent should have read it on 2026-05-02 07:00.
- 4 documents could not be read in the collection default.
- The last backup is 9 days old.
- The weekly digest was not sent to ann@example.com and 1 more: 550 no such user.

When there is time:
- 1 gap may be solved. Compare the new answers with the old ones.
- 12 questions without an answer: 5 topics, 3 new this week.
- 2 approved answers to check.

QUESTIONS

- Questions: 212 in 30 days, 40 in the last 7
- Answered: 180 in 30 days, 30 in the last 7
- Not found or unsure: 32 in 30 days, 10 in the last 7
- Rated down: 5 in 30 days, 1 in the last 7

docent sends this once a week. Open the view Today of the console for the details.
`

const wantGerman = `docent am 4.5.2026, in Ihren Sammlungen: a, b

ZU TUN

- Nichts zu tun. Alles funktioniert.

FRAGEN

- Fragen: 0 in 30 Tagen, 0 in den letzten 7
- Beantwortet: 0 in 30 Tagen, 0 in den letzten 7
- Nicht gefunden oder unsicher: 0 in 30 Tagen, 0 in den letzten 7
- Schlecht bewertet: 0 in 30 Tagen, 0 in den letzten 7

docent sendet dies einmal in der Woche. Einzelheiten stehen in der Konsole, in der Ansicht „Heute“.
`

func TestText(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 7, 0, 0, 0, berlin(t))
	d := digest.Digest{
		Things: things(now), At: now, Month: insight.Totals{Questions: 212, Answered: 180, Unsure: 20, NotFound: 12, RatedDown: 5},
		Week: insight.Totals{Questions: 40, Answered: 30, Unsure: 4, NotFound: 6, RatedDown: 1},
	}
	if got := d.Text("en"); got != wantEnglish || d.Subject("en") != "docent: 11 things to do" {
		t.Errorf("%s\n%s", d.Subject("en"), got)
	}
	for language, lines := range map[string][]string{
		"de": {"Jetzt:\n- Das Modell large antwortet", "\n- 12 Fragen ohne Antwort: 5 Themen, 3 neu in dieser Woche.\n"},
		"fr": {"Maintenant\u00a0:\n- Le modèle large ne répond pas", "\n- 12 questions sans réponse\u00a0: 5 sujets, dont 3 nouveaux cette semaine.\n", "plein à 91\u00a0%."},
		"es": {"Ahora:\n- El modelo large no responde", "\n- 12 preguntas sin respuesta: 5 temas, 3 nuevos esta semana.\n"},
	} {
		text := d.Text(language)
		for _, line := range lines {
			if !strings.Contains(text, line) {
				t.Errorf("%q is missing in\n%s", line, text)
			}
		}
		for _, thing := range things(now) {
			if strings.Contains(text, "- "+string(thing.Kind)+"\n") {
				t.Errorf("%s has no text in %s", thing.Kind, language)
			}
		}
		if strings.Count(text, "\n") != strings.Count(wantEnglish, "\n") {
			t.Errorf("the text in %s has other lines:\n%s", language, text)
		}
	}
	if got := (digest.Digest{At: now}).Subject("fr"); got != "docent\u00a0: rien à faire" {
		t.Errorf("the subject is %q", got)
	}
	quiet := digest.Digest{At: now, Collections: []string{"a", "b"}}
	if got := quiet.Text("de"); got != wantGerman || quiet.Subject("de") != "docent: nichts zu tun" {
		t.Errorf("%s\n%s", quiet.Subject("de"), got)
	}
}

// memory keeps attempts and one lease.
type memory struct {
	mu   sync.Mutex
	sent map[string]digest.Sent
	held string
}

func (m *memory) Digests(context.Context) (out []digest.Sent, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range m.sent {
		out = append(out, d)
	}
	return out, nil
}

func (m *memory) KeepDigest(_ context.Context, d digest.Sent, _ time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent[d.Recipient] = d
	return nil
}

func (m *memory) TakeJob(_ context.Context, _, owner string, _ time.Time) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.held != "" && m.held != owner {
		return false, nil
	}
	m.held = owner
	return true, nil
}

func (m *memory) EndJob(context.Context, string, string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held = ""
	return nil
}

func (m *memory) JobRuns(context.Context, string) (bool, error) { return m.held != "", nil }

// lists gives managers one thing, and everybody else two.
type lists struct{}

func (lists) Things(_ context.Context, collections, _ []string) ([]today.Thing, error) {
	all := []today.Thing{{Kind: today.Review, Count: 1}}
	if collections == nil {
		all = append(all, today.Thing{Kind: today.Disk, Percent: 91})
	}
	return all, nil
}

func (lists) AnswerTotals(context.Context, string, []string) ([]insight.Totals, error) {
	return []insight.Totals{{Day: "2026-04-06", Questions: 2}, {Day: "2026-05-04", Questions: 1}}, nil
}

// world is a sender with a mail server and a clock.
type world struct {
	*digest.Sender
	mail     *digesttest.Server
	store    *memory
	now      time.Time
	plan     digest.Plan
	told     []string // by webhooks
	recorded []string
}

func newWorld(t *testing.T, change func(*digest.Config)) *world {
	t.Helper()
	w := &world{
		mail: digesttest.Start(t), store: &memory{sent: map[string]digest.Sent{}}, now: time.Date(2026, 5, 4, 7, 0, 0, 0, berlin(t)),
		plan: digest.Plan{Day: time.Monday, On: true, Language: "en", Recipients: []config.Recipient{
			{Address: "ops@example.com"}, {Address: "ann@example.com", User: "ann"},
		}},
	}
	w.Sender = w.sender(t, change)
	return w
}

// sender returns another process.
func (w *world) sender(t *testing.T, change func(*digest.Config)) *digest.Sender {
	t.Helper()
	cfg := digest.Config{
		Store: w.store, Leases: w.store, Today: lists{}, Totals: lists{},
		Server: config.Mail{URL: w.mail.URL, Password: w.mail.Password, From: "docent@example.com"},
		Plan:   func() digest.Plan { return w.plan },
		Now:    func() time.Time { return w.now },
		Record: func(_ context.Context, recipient string) { w.recorded = append(w.recorded, recipient) },
		Managed: func(_ context.Context, user string) (managed, readable []string, err error) {
			return []string{"of " + user}, nil, nil
		},
		Notify: func(_ context.Context, subject, _ string, things int) (bool, error) {
			w.told = append(w.told, fmt.Sprint(subject, things))
			return true, nil
		},
	}
	if change != nil {
		change(&cfg)
	}
	s, err := digest.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// step sends what is due, and returns the recipients.
func (w *world) step(t *testing.T, after time.Duration) (to []string) {
	t.Helper()
	w.now = w.now.Add(after)
	if err := w.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, l := range w.mail.Take() {
		to = append(to, l.To)
	}
	return to
}

func want(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// TestWeek sends each digest once, with things that its recipient may see.
func TestWeek(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	want(t, "before the time", w.step(t, -time.Minute))
	w.now = w.now.Add(time.Minute)
	for range 2 { // two processes
		if err := w.sender(t, nil).Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	got := w.mail.Take()
	if len(got) != 2 || got[0].To != "ann@example.com" || got[1].To != "ops@example.com" || got[0].From != "docent@example.com" {
		t.Fatalf("the letters are %+v", got)
	}
	if !strings.Contains(got[0].Text, "in your collections: of ann") || strings.Contains(got[0].Text, "disk") || got[0].Subject != "docent: 1 thing to do" {
		t.Errorf("the manager gets %+v", got[0])
	}
	if !strings.Contains(got[1].Text, "The disk of the data folder is 91 % full") ||
		!strings.Contains(got[1].Text, "Questions: 3 in 30 days, 1 in the last 7") {
		t.Errorf("the administrator gets %+v", got[1])
	}
	want(t, "webhooks", w.told, "docent: 2 things to do2")
	want(t, "later", w.step(t, 6*24*time.Hour))
	want(t, "in the next week", w.step(t, 24*time.Hour), "ann@example.com", "ops@example.com")
	want(t, "two days late", w.step(t, 9*24*time.Hour))
	w.plan.On = false
	want(t, "if it is off", w.step(t, 5*24*time.Hour))
}

// TestRefused tries again if the server is busy, and only then. The problem is recorded until a digest arrives.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.mail.Refuse("ops@example.com", 451)
	w.mail.Refuse("ann@example.com", 550)
	want(t, "refused", w.step(t, 0))
	want(t, "recorded", w.recorded, "ops@example.com", "ann@example.com")
	failed := digest.Failed(w.plan, slices.Collect(func(yield func(digest.Sent) bool) {
		for _, s := range w.store.sent {
			yield(s)
		}
	}))
	if len(failed) != 2 || !strings.Contains(failed[1].Problem.Message, "no mail for ann@example.com") || failed[1].Problem.ID != "digest_refused" {
		t.Errorf("failed: %+v", failed)
	}
	w.mail.Refuse("ann@example.com", 0)
	w.mail.Refuse("ops@example.com", 0)
	want(t, "too soon", w.step(t, 14*time.Minute))
	want(t, "again", w.step(t, time.Minute), "ops@example.com")
	if err := w.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := w.mail.Take(); len(got) != 2 {
		t.Errorf("sent now: %+v", got)
	}
	state, err := w.State(t.Context())
	if err != nil || len(state.Sent) != 3 || len(digest.Failed(w.plan, state.Sent)) != 0 || state.Subject == "" || !state.Mail {
		t.Errorf("the state is %+v, %v", state, err)
	}
	want(t, "after that", w.step(t, time.Hour))
}

// TestUnreachable ends after a few attempts, and says why.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(cfg *digest.Config) { cfg.Server.Password = "wrong" })
	for range 10 {
		want(t, "with a wrong password", w.step(t, 15*time.Minute))
	}
	if got := w.store.sent["ops@example.com"]; got.Attempts != 6 || got.Problem.ID != "digest_unreachable" ||
		!strings.Contains(got.Problem.Message, "Authentication failed") {
		t.Errorf("the last attempt is %+v", got)
	}
	w = newWorld(t, func(cfg *digest.Config) {
		cfg.Server = config.Mail{}
		cfg.Notify = func(context.Context, string, string, int) (bool, error) { return false, nil }
	})
	want(t, "without a server", w.step(t, 0))
	if got := w.store.sent["ops@example.com"]; got.Problem.ID != "digest_no_server" {
		t.Errorf("without a server: %+v", got)
	}
	w.plan.Recipients = nil
	if err := w.Send(t.Context()); fault.KindOf(err) != fault.Conflict || fault.TextOf(err).ID != "digest_nobody" {
		t.Errorf("without recipients: %v", err)
	}
	w.store.held = "another"
	if err := w.Send(t.Context()); fault.TextOf(err).ID != "digest_running" {
		t.Errorf("while another process sends: %v", err)
	}
}
