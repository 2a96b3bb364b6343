package insights

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/insight/today"
	"docent/internal/fault"
)

// Thing is a thing to do.
type Thing struct {
	// Kind is its kind.
	Kind string `json:"kind" enum:"model,disk,source_stopped,source_failed,source_late,documents,backup,mail,gaps_proposed,gaps_open,answers_due" doc:"model: a chat model does not answer. disk: the disk of the data folder is nearly full. source_stopped: docent has paused a source, because reading it ended docent twice. source_failed: the last syncs of a source failed. source_late: a source should have been read. documents: documents could not be read. backup: the last backup is old, or there is none. mail: the last weekly digest was not sent. gaps_proposed: gaps may be solved. gaps_open: questions have no answer. answers_due: approved answers are to check."`
	// Level says how soon somebody should act.
	Level string `json:"level" enum:"urgent,soon,note" doc:"urgent: people notice it now. soon: it gets worse. note: it can wait."`
	// Name names the model, the source, the collection, or the recipient.
	Name string `json:"name,omitempty" doc:"The name of the model, of the source, of the only collection with failed documents, or of the first recipient without a digest."`
	// Count is the number of syncs, documents, recipients, gaps, or answers.
	Count int64 `json:"count,omitempty" doc:"The number of failed syncs, documents, recipients without a digest, gaps, or answers. Numbers of gaps end at 1,000."`
	// Questions is the number of questions in gaps_open.
	Questions int64 `json:"questions,omitempty" doc:"The number of questions in gaps_open."`
	// New is the number of new gaps.
	New int64 `json:"new,omitempty" doc:"The number of gaps in gaps_open whose first question is from the last seven days."`
	// Percent is the used part of the disk.
	Percent int `json:"percent,omitempty" doc:"The used part of the disk."`
	// Quotes reports that docent answers with quotes.
	Quotes bool `json:"quotes,omitempty" doc:"No chat model answers, so docent answers with quotes."`
	// Since is the beginning.
	Since *time.Time `json:"since,omitempty" doc:"The time of the first failure of a model, of the last sync of a source, of the planned one of a late source, of the last backup, or of the digest."`
	// Reason says why a model fails, or why a digest was not sent.
	Reason *fault.Text `json:"reason,omitempty" doc:"Why the model fails, or why the digest was not sent."`
}

type todayOutput struct {
	Body struct {
		Things []Thing       `json:"things" doc:"Things to do, worst first."`
		Days   []QuestionDay `json:"days" doc:"The totals of the last 30 days, oldest first."`
	} `nameHint:"Today"`
}

// todayDays is the number of days in /api/today.
const todayDays = 30

func (s server) addToday(r *route.Router) {
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/today", OperationID: "today", Tags: tags, Errors: missing,
		Summary: "List things to do, worst first, and count the questions of the last 30 days",
		Description: "Needs the scope admin, or the right manage in a collection. Managers see only their collections, and " +
			"neither models, backups, mail, nor disks.",
	}, s.today)
}

func (s server) today(ctx context.Context, _ *struct{}) (*todayOutput, error) {
	collections, err := s.scope(ctx, "")
	if err != nil {
		return nil, err
	}
	readable, err := readableCollections(ctx, s.Config)
	if err != nil {
		return nil, err
	}
	things, err := s.Today.Things(ctx, collections, readable)
	if err != nil {
		return nil, err
	}
	out := &todayOutput{}
	if out.Body.Days, err = s.countDays(ctx, todayDays, collections); err != nil {
		return nil, err
	}
	out.Body.Things = make([]Thing, len(things))
	for i, t := range things {
		out.Body.Things[i] = thing(t)
	}
	return out, nil
}

func thing(t today.Thing) Thing {
	out := Thing{
		Kind: string(t.Kind), Level: string(t.Level), Name: t.Name, Count: t.Count, Questions: t.Questions, New: t.New,
		Percent: t.Percent, Quotes: t.Quotes,
	}
	if !t.Since.IsZero() {
		out.Since = &t.Since
	}
	if t.Kind == today.Model || t.Kind == today.Mail {
		out.Reason = &t.Reason
	}
	return out
}
