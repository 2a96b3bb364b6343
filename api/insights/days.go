package insights

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
)

// QuestionDay has the totals of a day.
type QuestionDay struct {
	// Day is the day in UTC.
	Day string `json:"day" doc:"The day in UTC, as YYYY-MM-DD."`
	// Questions is the number of answers.
	Questions int64 `json:"questions"`
	// Answered is the number of answers with this outcome.
	Answered int64 `json:"answered"`
	// Unsure is the number of answers with this outcome.
	Unsure int64 `json:"unsure"`
	// NotFound is the number of answers with this outcome.
	NotFound int64 `json:"not_found"`
	// RatedDown is the number of answers with a negative rating.
	RatedDown int64 `json:"rated_down" doc:"The number of answers whose last rating is negative."`
}

type daysInput struct {
	Days       int    `query:"days" minimum:"1" maximum:"366" default:"30" doc:"The number of days, up to today."`
	Collection string `query:"collection" maxLength:"200" doc:"Counts only questions in this collection."`
}

type daysOutput struct{ Body []QuestionDay }

func (s server) addDays(r *route.Router) {
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/insight/days", OperationID: "list-question-days", Tags: tags, Errors: missing,
		Summary: "Count questions by day, oldest first",
		Description: "Needs the scope admin, or the right manage in a collection. Managers see the questions of their collections; " +
			"a question in several of them counts in each.",
	}, s.days)
}

func (s server) days(ctx context.Context, in *daysInput) (*daysOutput, error) {
	if err := route.CheckText("collection", in.Collection); err != nil {
		return nil, err
	}
	collections, err := s.scope(ctx, in.Collection)
	if err != nil {
		return nil, err
	}
	days, err := s.countDays(ctx, in.Days, collections)
	return &daysOutput{days}, err
}

// countDays returns the totals of the last days, also of those without questions.
func (s server) countDays(ctx context.Context, n int, collections []string) ([]QuestionDay, error) {
	first := time.Now().UTC().AddDate(0, 0, 1-n)
	totals, err := s.Store.AnswerTotals(ctx, first.Format(time.DateOnly), collections)
	if err != nil {
		return nil, err
	}
	out, at := make([]QuestionDay, n), map[string]int{}
	for i := range out {
		day := first.AddDate(0, 0, i).Format(time.DateOnly)
		out[i].Day, at[day] = day, i
	}
	for _, t := range totals {
		if i, ok := at[t.Day]; ok {
			out[i] = QuestionDay(t)
		}
	}
	return out, nil
}
