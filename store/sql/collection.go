package sql

import (
	"context"
	"encoding/json"
	"fmt"

	"docent/rag/corpus"
	"docent/store"
)

var _ corpus.Collections = Store{}

// Collections lists the collections; see corpus.Library.
func (s documents) Collections(ctx context.Context) ([]corpus.CollectionInfo, error) {
	out, err := list(ctx, s.db, scanCollection, `SELECT k.name, k.title, k.description, k.color, k.owner, k.questions,
			coalesce(d.ready, 0), coalesce(d.failed, 0), coalesce(d.chunks, 0), d.changed
		FROM collection k LEFT JOIN (
			SELECT collection_id, count(*) FILTER (WHERE status = 'ready') AS ready,
				count(*) FILTER (WHERE status = 'failed' AND NOT skipped) AS failed, sum(chunks) AS chunks,
				max(updated_at) FILTER (WHERE NOT skipped) AS changed
			FROM document GROUP BY collection_id
		) d ON d.collection_id = k.id ORDER BY k.name COLLATE "C"`)
	return out, s.db.Fail("list collections", err)
}

func scanCollection(row Row) (c corpus.CollectionInfo, err error) {
	var questions string
	err = row.Scan(&c.Name, &c.About.Title, &c.About.Description, &c.About.Color, &c.About.Owner, &questions,
		&c.Documents, &c.Failed, &c.Chunks, Time(&c.ChangedAt))
	if err == nil && questions != noQuestions {
		err = json.Unmarshal([]byte(questions), &c.About.Questions)
	}
	return c, err
}

// noQuestions is the stored form of no suggested questions.
const noQuestions = `[]`

// AddCollection adds a collection; see corpus.Collections. Concurrent calls may add a few collections too many.
func (s documents) AddCollection(ctx context.Context, name string, about corpus.About) error {
	return s.db.Fail("add a collection", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		var n int
		if err := row(ctx, tx, `SELECT count(*) FROM collection`).Scan(&n); err != nil {
			return err
		}
		if n >= corpus.MaxCollections {
			return store.TooManyCollections()
		}
		if err := change(ctx, tx, store.CollectionTaken(name),
			`INSERT INTO collection (name, created_at) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, store.Text(name), s.db.Now()); err != nil {
			return err
		}
		return setAbout(ctx, tx, name, about)
	}))
}

// SetCollection replaces the description of a collection; see corpus.Collections.
func (s documents) SetCollection(ctx context.Context, name string, about corpus.About) error {
	return s.db.Fail("change a collection", s.db.Write(ctx, func(ctx context.Context, tx Tx) error { return setAbout(ctx, tx, name, about) }))
}

func setAbout(ctx context.Context, tx Tx, name string, about corpus.About) error {
	questions, err := json.Marshal(store.Texts(about.Questions)) // never null
	if err != nil {
		return fmt.Errorf("encode questions: %w", err)
	}
	return change(ctx, tx, store.NoCollection(name),
		`UPDATE collection SET title = $2, description = $3, color = $4, owner = $5, questions = $6 WHERE name = $1`, store.Text(name),
		store.Text(about.Title), store.Text(about.Description), about.Color, store.Text(about.Owner), string(questions))
}

// RemoveCollection removes a collection; see corpus.Collections.
func (s documents) RemoveCollection(ctx context.Context, name string) error {
	return s.db.Fail("remove a collection", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		var id int64
		// The lock keeps new documents out.
		if err := row(ctx, tx, `SELECT id FROM collection WHERE name = $1 FOR UPDATE`, store.Text(name)).Scan(&id); err != nil {
			return missing(err, store.NoCollection(name))
		}
		var filled bool
		var source string
		err := row(ctx, tx, `SELECT EXISTS (SELECT 1 FROM document WHERE collection_id = $1),
			coalesce((SELECT name FROM source WHERE collection = $2 ORDER BY name LIMIT 1), '')`, id, store.Text(name)).Scan(&filled, &source)
		if err != nil {
			return err
		}
		if err := store.CheckRemoval(name, filled, source); err != nil {
			return err
		}
		return change(ctx, tx, store.NoCollection(name), `DELETE FROM collection WHERE id = $1`, id)
	}))
}
