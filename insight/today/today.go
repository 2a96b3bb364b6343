// Package today finds things to do: models that fail, documents that cannot be read, sources that
// are late, questions without an answer, old backups, and full disks.
package today

import (
	"cmp"
	"context"
	"slices"
	"time"

	"docent/insight"
	"docent/internal/fault"
)

// Kind is a kind of thing to do.
type Kind string

// The kinds, in the order of things with the same level.
const (
	// Model: a chat model does not answer. Name is the model, Since the first failure, and Reason the
	// last one. Quotes reports that no other model answers, so docent quotes.
	Model Kind = "model"
	// Disk: the disk of the data folder is nearly full. Percent is the used part.
	Disk Kind = "disk"
	// SourceStopped: docent has paused a source, because reading it ended docent twice.
	SourceStopped Kind = "source_stopped"
	// SourceFailed: the last Count syncs of a source failed. Since is the end of the last one.
	SourceFailed Kind = "source_failed"
	// SourceLate: a source should have been read at Since.
	SourceLate Kind = "source_late"
	// Documents: Count documents could not be read. Name is their collection, or "" for several.
	Documents Kind = "documents"
	// Backup: the last backup is from Since. It is the zero time without one.
	Backup Kind = "backup"
	// Mail: Count recipients did not get the last digest. Name is the first, Since the time, and Reason
	// the problem.
	Mail Kind = "mail"
	// Proposed: Count gaps may be solved.
	Proposed Kind = "gaps_proposed"
	// Open: Questions questions in Count gaps have no answer. New gaps are from the last week.
	Open Kind = "gaps_open"
	// Review: Count approved answers are to check.
	Review Kind = "answers_due"
)

// kinds are the kinds in order.
var kinds = []Kind{Model, Disk, SourceStopped, SourceFailed, SourceLate, Documents, Backup, Mail, Proposed, Open, Review}

// Level says how soon somebody should act.
type Level string

// The levels, worst first.
const (
	// Urgent: people notice it now.
	Urgent Level = "urgent"
	// Soon: it gets worse.
	Soon Level = "soon"
	// Note: it can wait.
	Note Level = "note"
)

var levels = []Level{Urgent, Soon, Note}

// Thing is a thing to do. Its kind says which fields it has.
type Thing struct {
	Kind                  Kind
	Level                 Level
	Name                  string
	Count, Questions, New int64
	Percent               int
	Quotes                bool
	Since                 time.Time
	Reason                fault.Text
}

// ModelState is a chat model that answers or fails.
type ModelState struct {
	Name string
	// Answers reports that it answers questions that name no model, alone or as a fallback.
	Answers bool
	// Failed is the error of the last call, or nil. Since is the time of the first failure.
	Failed error
	Since  time.Time
}

// Source is a place with documents.
type Source struct {
	// Name names the source, and Collection has its documents.
	Name, Collection string
	// Stopped reports that docent paused it. Paused reports that a person did.
	Stopped, Paused bool
	// Busy reports that a sync runs.
	Busy bool
	// Errors is the number of failed syncs since the last good one.
	Errors int
	// Last is the end of the last sync. Next is the time of the next one, or zero.
	Last, Next time.Time
}

// Collection has the number of its documents that could not be read.
type Collection struct {
	Name   string
	Failed int
}

// Refused is a digest that was not sent.
type Refused struct {
	// Recipient should have got it.
	Recipient string
	// At is the time, and Problem the reason.
	At      time.Time
	Problem fault.Text
}

// Config connects the list with the parts of docent. All fields except Now are required.
type Config struct {
	// Gaps and Approved count the work on questions.
	Gaps     insight.Gaps
	Approved insight.Approvals
	// Collections lists all collections.
	Collections func(ctx context.Context) ([]Collection, error)
	// Sources lists all sources.
	Sources func(ctx context.Context) ([]Source, error)
	// Models returns the chat models of this process.
	Models func() []ModelState
	// Backup returns the time of the last backup, or zero.
	Backup func(ctx context.Context) (time.Time, error)
	// Refused returns the digests that were not sent.
	Refused func(ctx context.Context) ([]Refused, error)
	// Disk returns the free and the total bytes of the disk of the data folder. known is false if the
	// system does not tell.
	Disk func() (free, total uint64, known bool)
	// Now returns the time. Default: time.Now.
	Now func() time.Time
}

// List finds things to do. It is safe for concurrent use.
type List struct{ cfg Config }

// New returns a List.
func New(cfg Config) *List {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &List{cfg}
}

const (
	day = 24 * time.Hour
	// oldBackup is the age of an old backup.
	oldBackup = 7 * day
	// recent is the age of a new gap.
	recent = 7 * day
	// late is the time after which a source is late. Servers that were off catch up before.
	late = time.Hour
	// fullDisk and veryFullDisk are the used parts of a full disk, in percent.
	fullDisk, veryFullDisk = 90, 97
)

// Things returns things to do, worst first. collections are those of a manager, who sees nothing else.
// readable are the collections whose documents may make an answer one to check. nil means all.
func (l *List) Things(ctx context.Context, collections, readable []string) ([]Thing, error) {
	var out []Thing
	questions := func(ctx context.Context, collections []string) ([]Thing, error) {
		return l.questions(ctx, collections, readable)
	}
	steps := []func(context.Context, []string) ([]Thing, error){l.sources, l.documents, questions}
	if collections == nil {
		steps = append(steps, l.backup, l.mail)
		out = append(l.models(), l.disk()...)
	}
	for _, step := range steps {
		more, err := step(ctx, collections)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	slices.SortStableFunc(out, func(a, b Thing) int {
		return cmp.Or(slices.Index(levels, a.Level)-slices.Index(levels, b.Level), slices.Index(kinds, a.Kind)-slices.Index(kinds, b.Kind))
	})
	return out, nil
}

func (l *List) models() (out []Thing) {
	states := l.cfg.Models()
	works := slices.ContainsFunc(states, func(m ModelState) bool { return m.Answers && m.Failed == nil })
	for _, m := range states {
		if m.Failed == nil {
			continue
		}
		t := Thing{Kind: Model, Level: Soon, Name: m.Name, Since: m.Since, Reason: fault.TextOf(m.Failed)}
		if m.Answers && !works {
			t.Level, t.Quotes = Urgent, true
		}
		out = append(out, t)
	}
	return out
}

func (l *List) disk() []Thing {
	free, total, known := l.cfg.Disk()
	if !known || total == 0 {
		return nil
	}
	used := 100 - int(100*float64(free)/float64(total))
	switch {
	case used >= veryFullDisk:
		return []Thing{{Kind: Disk, Level: Urgent, Percent: used}}
	case used >= fullDisk:
		return []Thing{{Kind: Disk, Level: Soon, Percent: used}}
	}
	return nil
}

func (l *List) backup(ctx context.Context, _ []string) ([]Thing, error) {
	at, err := l.cfg.Backup(ctx)
	switch {
	case err != nil:
		return nil, err
	case at.IsZero():
		return []Thing{{Kind: Backup, Level: Note}}, nil
	case l.cfg.Now().Sub(at) > oldBackup:
		return []Thing{{Kind: Backup, Level: Soon, Since: at}}, nil
	}
	return nil, nil
}

func (l *List) mail(ctx context.Context, _ []string) ([]Thing, error) {
	all, err := l.cfg.Refused(ctx)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	first := all[0]
	return []Thing{{Kind: Mail, Level: Soon, Name: first.Recipient, Count: int64(len(all)), Since: first.At, Reason: first.Problem}}, nil
}

// sees reports whether somebody sees a collection.
func sees(collections []string, name string) bool {
	return collections == nil || slices.Contains(collections, name)
}

func (l *List) sources(ctx context.Context, collections []string) (out []Thing, err error) {
	all, err := l.cfg.Sources(ctx)
	if err != nil {
		return nil, err
	}
	now := l.cfg.Now()
	for _, s := range all {
		if !sees(collections, s.Collection) {
			continue
		}
		t := Thing{Level: Soon, Name: s.Name}
		switch {
		case s.Stopped:
			t.Kind, t.Since = SourceStopped, s.Last
		case s.Paused, s.Busy:
			continue
		case s.Errors > 0:
			t.Kind, t.Count, t.Since = SourceFailed, int64(s.Errors), s.Last
		case !s.Next.IsZero() && now.Sub(s.Next) > late:
			t.Kind, t.Since = SourceLate, s.Next
		default:
			continue
		}
		out = append(out, t)
	}
	return out, nil
}

func (l *List) documents(ctx context.Context, collections []string) ([]Thing, error) {
	all, err := l.cfg.Collections(ctx)
	if err != nil {
		return nil, err
	}
	t := Thing{Kind: Documents, Level: Soon}
	places := 0
	for _, c := range all {
		if c.Failed > 0 && sees(collections, c.Name) {
			t.Count += int64(c.Failed)
			t.Name = c.Name
			places++
		}
	}
	switch {
	case places == 0:
		return nil, nil
	case places > 1:
		t.Name = ""
	}
	return []Thing{t}, nil
}

func (l *List) questions(ctx context.Context, collections, readable []string) (out []Thing, err error) {
	now := l.cfg.Now()
	gaps, err := l.cfg.Gaps.CountGaps(ctx, collections, now.Add(-recent))
	if err != nil {
		return nil, err //nolint:wrapcheck // the store names the operation
	}
	due, err := l.cfg.Approved.CountDue(ctx, insight.ApprovedFilter{
		Collections: collections, Due: now.UTC().Format(time.DateOnly), Readable: readable,
	})
	if err != nil {
		return nil, err //nolint:wrapcheck // the store names the operation
	}
	for _, t := range []Thing{
		{Kind: Proposed, Count: gaps.Proposed},
		{Kind: Open, Count: gaps.Open, Questions: gaps.Questions, New: gaps.New},
		{Kind: Review, Count: due},
	} {
		if t.Count > 0 {
			t.Level = Note
			out = append(out, t)
		}
	}
	return out, nil
}
