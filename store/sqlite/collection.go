package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"docent/rag/corpus"
	"docent/store"
)

var _ corpus.Collections = (*Store)(nil)

// Collections lists the collections; see corpus.Library.
func (s *documents) Collections(ctx context.Context) ([]corpus.CollectionInfo, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT k.name, k.title, k.description, k.color, k.owner, k.questions,
			count(d.id) FILTER (WHERE d.status = 'ready'), count(d.id) FILTER (WHERE d.status = 'failed' AND NOT d.skipped), coalesce(sum(d.chunks), 0)
		FROM collection k LEFT JOIN document d ON d.collection_id = k.id GROUP BY k.id ORDER BY k.name`)
	if err != nil {
		return nil, fail("list collections", err)
	}
	out, err := collect(rows, func(rows *sql.Rows) (corpus.CollectionInfo, error) {
		var c corpus.CollectionInfo
		var questions []byte
		err := rows.Scan(&c.Name, &c.About.Title, &c.About.Description, &c.About.Color, &c.About.Owner, &questions,
			&c.Documents, &c.Failed, &c.Chunks)
		if err == nil && string(questions) != noQuestions {
			err = json.Unmarshal(questions, &c.About.Questions)
		}
		return c, err
	})
	return out, fail("list collections", err)
}

// noQuestions is the stored form of no suggested questions.
const noQuestions = `[]`

// AddCollection adds a collection; see corpus.Collections.
func (s *documents) AddCollection(ctx context.Context, name string, about corpus.About) error {
	return fail("add a collection", s.write(ctx, func(ctx context.Context, w *writer) error {
		var n int
		if err := w.row(ctx, `SELECT count(*) FROM collection`).Scan(&n); err != nil {
			return err
		}
		if n >= corpus.MaxCollections {
			return store.TooManyCollections()
		}
		if err := w.change(ctx, store.CollectionTaken(name), `INSERT INTO collection (name, created_at) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`,
			store.Text(name), s.now()); err != nil {
			return err
		}
		return w.describe(ctx, name, about)
	}))
}

// SetCollection replaces the description of a collection; see corpus.Collections.
func (s *documents) SetCollection(ctx context.Context, name string, about corpus.About) error {
	return fail("change a collection", s.write(ctx, func(ctx context.Context, w *writer) error { return w.describe(ctx, name, about) }))
}

func (w *writer) describe(ctx context.Context, name string, about corpus.About) error {
	questions, err := json.Marshal(append([]string{}, about.Questions...)) // never null
	if err != nil {
		return fmt.Errorf("encode questions: %w", err)
	}
	return w.change(ctx, store.NoCollection(name), `UPDATE collection SET title = ?, description = ?, color = ?, owner = ?, questions = ? WHERE name = ?`,
		store.Text(about.Title), store.Text(about.Description), about.Color, store.Text(about.Owner), store.Text(string(questions)), store.Text(name))
}

// RemoveCollection removes a collection; see corpus.Collections.
func (s *documents) RemoveCollection(ctx context.Context, name string) error {
	return fail("remove a collection", s.write(ctx, func(ctx context.Context, w *writer) error {
		var filled bool
		var source string
		err := w.row(ctx, `SELECT EXISTS (SELECT 1 FROM document d WHERE d.collection_id = k.id),
			coalesce((SELECT s.name FROM source s WHERE s.collection = k.name ORDER BY s.name LIMIT 1), '')
			FROM collection k WHERE k.name = ?`, store.Text(name)).Scan(&filled, &source)
		if err != nil {
			return missing(err, store.NoCollection(name))
		}
		if err := store.CheckRemoval(name, filled, source); err != nil {
			return err
		}
		_, err = w.exec(ctx, `DELETE FROM collection WHERE name = ?`, store.Text(name))
		return err
	}))
}
