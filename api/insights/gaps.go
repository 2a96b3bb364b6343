package insights

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/insight"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
)

// Gap is a group of questions with similar meaning that the documents do not answer.
type Gap struct {
	// ID identifies it.
	ID int64 `json:"id"`
	// Wording is the typical question.
	Wording string `json:"wording" doc:"The question that is most typical. Empty if all questions were deleted."`
	// Question is the id of the typical question.
	Question int64 `json:"question,omitempty" doc:"The id of the typical question."`
	// Title is the name that a person gave.
	Title string `json:"title"`
	// Questions is the number of questions.
	Questions int64 `json:"questions" doc:"How often it was asked, including deleted questions."`
	// People is the number of people.
	People int64 `json:"people" doc:"How many people asked."`
	// First is the time of the first question.
	First time.Time `json:"first"`
	// Last is the time of the last question.
	Last time.Time `json:"last"`
	// Owner is the person who cares for it.
	Owner string `json:"owner"`
	// State is the state.
	State string `json:"state" enum:"open,proposed,solved,stays_open" doc:"proposed means that the documents have changed and answer the question now."`
	// Note is a text.
	Note string `json:"note" doc:"Why the gap stays open, or a remark."`
	// Collections are the collections of the questions.
	Collections []string `json:"collections"`
}

// GapDetail is a gap with its answers.
type GapDetail struct {
	Gap

	// Old is the answer to the typical question, with the closest passages.
	Old *payload.RAGMessage `json:"old,omitempty" doc:"The answer to the typical question, with the closest passages."`
	// New is the answer from the changed documents.
	New *payload.RAGMessage `json:"new,omitempty" doc:"The answer from the changed documents, if the gap is proposed."`
	// Withheld says why an answer is absent.
	Withheld string `json:"withheld,omitempty" enum:"file,rights" doc:"Why an answer is withheld: it used a private file, or documents that you may not read."`
}

type gapsInput struct {
	State      string `query:"state" enum:",open,proposed,solved,stays_open"`
	Collection string `query:"collection" maxLength:"200"`
	Cursor     string `query:"cursor" maxLength:"100" doc:"The value next_cursor of the previous page."`
	Limit      int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

type gapsOutput struct {
	Body struct {
		Gaps       []Gap  `json:"gaps"`
		NextCursor string `json:"next_cursor,omitempty" doc:"The cursor of the next page. Absent on the last page."`
	} `nameHint:"GapPage"`
}

type gapInput struct {
	ID int64 `path:"id" minimum:"1"`
}

type gapOutput struct{ Body GapDetail }

type gapChangeInput struct {
	route.JSONBody
	ID   int64 `path:"id" minimum:"1"`
	Body struct {
		Title *string `json:"title,omitempty" maxLength:"200"`
		Owner *string `json:"owner,omitempty" maxLength:"200"`
		Note  *string `json:"note,omitempty" maxLength:"4000"`
		State *string `json:"state,omitempty" enum:"open,solved,stays_open"`
	} `nameHint:"GapChange"`
}

func (s server) addGaps(r *route.Router) {
	const list, one = "/api/insight/gaps", "/api/insight/gaps/{id}"
	const note = "Needs the scope admin, or the right manage in a collection of the questions."
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: list, OperationID: "list-gaps", Tags: tags, Errors: missing,
		Summary: "List groups of questions without an answer, the most frequent first",
		Description: "Questions belong to a gap if they were not found, answered unsurely, or rated down. " +
			"When documents change, docent asks gaps again. " + note,
	}, s.gaps)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: one, OperationID: "read-gap", Tags: tags, Errors: missing,
		Summary: "Read a gap with the old and the new answer", Description: note,
	}, s.gap)
	route.Add(r, huma.Operation{
		Method: http.MethodPatch, Path: one, OperationID: "change-gap", Tags: tags, Errors: missing,
		Summary: "Change a gap", DefaultStatus: http.StatusNoContent, MaxBodyBytes: 16 << 10, Description: note,
	}, s.changeGap)
}

func (s server) gaps(ctx context.Context, in *gapsInput) (*gapsOutput, error) {
	if err := route.CheckText("collection", in.Collection, "cursor", in.Cursor); err != nil {
		return nil, err
	}
	collections, err := s.scope(ctx, in.Collection)
	if err != nil {
		return nil, err
	}
	f := insight.GapFilter{State: insight.GapState(in.State), Collections: collections, Limit: in.Limit + 1}
	if in.Cursor != "" {
		f.Before = &insight.Gap{}
		if _, err := fmt.Sscanf(in.Cursor, "%d.%d", &f.Before.Count, &f.Before.ID); err != nil {
			return nil, fault.New(fault.Invalid, "cursor_invalid", "the cursor does not belong to this list in this order")
		}
	}
	found, err := s.Gaps.Gaps(ctx, f)
	if err != nil {
		return nil, err
	}
	out := &gapsOutput{}
	out.Body.Gaps = []Gap{}
	if len(found) > in.Limit {
		found = found[:in.Limit]
		last := found[in.Limit-1]
		out.Body.NextCursor = fmt.Sprintf("%d.%d", last.Count, last.ID)
	}
	for _, g := range found {
		out.Body.Gaps = append(out.Body.Gaps, gapFor(g, collections))
	}
	return out, nil
}

// gapFor returns the form of a gap for somebody who sees some collections; nil means all.
func gapFor(g insight.Gap, visible []string) Gap {
	out := Gap{
		ID: g.ID, Wording: g.Wording, Question: g.Typical, Title: g.Title, Questions: g.Count, People: g.People,
		First: g.First, Last: g.Last, Owner: g.Owner, State: string(g.State), Note: g.Note, Collections: []string{},
	}
	for _, c := range g.Collections {
		if visible == nil || slices.Contains(visible, c) {
			out.Collections = append(out.Collections, c)
		}
	}
	return out
}

// findGap returns a gap that the principal may see, and the collections that the principal sees.
func (s server) findGap(ctx context.Context, id int64) (insight.Gap, []string, error) {
	visible, err := s.scope(ctx, "")
	if err != nil {
		return insight.Gap{}, nil, err
	}
	g, err := s.Gaps.Gap(ctx, id)
	if err != nil {
		return g, nil, err
	}
	mine := func(c string) bool { return slices.Contains(visible, c) }
	if visible != nil && !slices.ContainsFunc(g.Collections, mine) {
		return g, nil, insight.NoGap()
	}
	return g, visible, nil
}

func (s server) gap(ctx context.Context, in *gapInput) (*gapOutput, error) {
	g, visible, err := s.findGap(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	out := &gapOutput{Body: GapDetail{Gap: gapFor(g, visible)}}
	if g.Typical != 0 {
		a, err := s.Store.Answer(ctx, g.Typical)
		if err != nil {
			return nil, err
		}
		if out.Body.Old, out.Body.Withheld, err = s.message(ctx, a); err != nil {
			return nil, err
		}
	}
	if g.State != insight.GapProposed || len(g.Proposal) == 0 {
		return out, nil
	}
	proposal, withheld, err := s.readable(ctx, g.Proposal)
	if withheld != "" {
		out.Body.Withheld = withheld
	}
	out.Body.New = proposal
	return out, err
}

func (s server) changeGap(ctx context.Context, in *gapChangeInput) (*struct{}, error) {
	g, _, err := s.findGap(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	change := insight.GapChange{Title: in.Body.Title, Owner: in.Body.Owner, Note: in.Body.Note}
	if in.Body.State != nil {
		state := insight.GapState(*in.Body.State)
		change.State = &state
		if state != insight.GapStaysOpen {
			if err := s.dropFallback(ctx, g); err != nil {
				return nil, err
			}
		}
		if g.State == insight.GapProposed && state == insight.GapSolved {
			document := insight.FirstCited(g.Proposal)
			change.Solution = &document
		}
	}
	return nil, s.Gaps.ChangeGap(ctx, g.ID, change) //nolint:nilnil // there is no content
}

// dropFallback removes the text of a gap that stays open, because people decide about the gap again.
func (s server) dropFallback(ctx context.Context, g insight.Gap) error {
	if g.State != insight.GapStaysOpen || g.Solution == 0 {
		return nil
	}
	a, err := s.Approved.ApprovedAnswer(ctx, g.Solution)
	switch {
	case fault.KindOf(err) == fault.NotFound: // somebody deleted its document
		return nil
	case err != nil:
		return err
	case !strings.HasPrefix(a.Source, rag.FallbackPrefix):
		return nil
	}
	_, err = s.Remover.RemoveDocuments(ctx, []int64{a.Document})
	return err
}
