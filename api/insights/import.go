package insights

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/insight/approve"
	"docent/internal/fault"
)

// ImportedRow is the import of a row.
type ImportedRow struct {
	// Row is the number of the row.
	Row int `json:"row" doc:"The number of the row. The row with the names of the columns is 1."`
	// Status says what the import does.
	Status string `json:"status" enum:"added,changed,unchanged,refused" doc:"added: there was no answer to the question in the collection. changed: the answer changes. refused: the row is no answer."`
	// Question is the question.
	Question string `json:"question"`
	// Reason says why the row is refused.
	Reason *fault.Text `json:"reason,omitempty" doc:"Why the row is refused."`
}

type importInput struct {
	route.JSONBody
	Body struct {
		CSV        string `json:"csv" minLength:"1" maxLength:"2097152" doc:"The table as CSV. The first row has the names of the columns: question, answer, and, optionally, wordings (one in each line), signed, owner, review (YYYY-MM-DD), and collection."`
		Collection string `json:"collection" minLength:"1" maxLength:"200" doc:"The collection of rows without one."`
		Preview    bool   `json:"preview,omitempty" doc:"Stores nothing."`
	} `nameHint:"AnswerImport"`
}

type importOutput struct {
	Body struct {
		Rows []ImportedRow `json:"rows"`
	} `nameHint:"ImportedAnswers"`
}

// maxImportBytes bounds the body of an import: CSV in JSON.
const maxImportBytes = 5 << 20

func (s server) addImport(r *route.Router) {
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: "/api/insight/answers/import", OperationID: "import-approved-answers", Tags: tags, Errors: missing,
		Summary: "Import approved answers from CSV", MaxBodyBytes: maxImportBytes,
		Description: "A row changes the answer to its question in its collection, or adds one, so importing a table again changes nothing. " +
			"Needs the scope admin, or the right manage in a collection. docent refuses rows for other collections.",
	}, s.importAnswers)
}

func (s server) importAnswers(ctx context.Context, in *importInput) (*importOutput, error) {
	if err := route.CheckText("collection", in.Body.Collection); err != nil {
		return nil, err
	}
	managed, err := s.scope(ctx, "")
	if err != nil {
		return nil, err
	}
	rows, err := approve.ReadTable([]byte(in.Body.CSV))
	if err != nil {
		return nil, err
	}
	steps, err := s.writer.Plan(ctx, approve.Import{Rows: rows, Collection: in.Body.Collection, Signed: signer(ctx), Allowed: managed})
	if err == nil && !in.Body.Preview {
		steps, err = s.writer.Apply(ctx, steps)
	}
	if err != nil {
		return nil, err
	}
	out := &importOutput{}
	out.Body.Rows = make([]ImportedRow, len(steps))
	for i, v := range steps {
		out.Body.Rows[i] = ImportedRow{Row: v.Row, Status: string(v.Status), Question: v.Question}
		if !v.Reason.IsZero() {
			out.Body.Rows[i].Reason = &v.Reason
		}
	}
	return out, nil
}
