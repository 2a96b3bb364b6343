package sql

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"docent/rag/corpus"
	"docent/store"
)

var _ corpus.Collections = Store{}

// Collections lists the collections; see corpus.Library.
func (s documents) Collections(ctx context.Context) ([]corpus.CollectionInfo, error) {
	all, err := counted(ctx, s, &s.counts.collections, nil, s.countCollections)
	if err != nil {
		return nil, s.db.Fail("list collections", err)
	}
	out, err := list(ctx, s.db, scanCollection,
		`SELECT name, title, description, color, owner, questions FROM collection ORDER BY name COLLATE "C"`)
	for i := range out {
		c, n := &out[i], all[out[i].Name]
		c.Documents, c.Failed, c.Chunks, c.ChangedAt = n.ready, n.failed, n.chunks, n.changed
	}
	return out, s.db.Fail("list collections", err)
}

// collectionCount counts the documents of a collection.
type collectionCount struct {
	name                  string
	ready, failed, chunks int
	changed               time.Time
}

// countCollections counts the documents of all collections.
func (s documents) countCollections(ctx context.Context, _ []string) (map[string]collectionCount, error) {
	all, err := list(ctx, s.db, func(row Row) (c collectionCount, err error) {
		err = row.Scan(&c.name, &c.ready, &c.failed, &c.chunks, Time(&c.changed))
		return c, err
	}, `SELECT k.name, d.ready, d.failed, d.chunks, d.changed FROM collection k JOIN (
			SELECT collection_id, count(*) FILTER (WHERE status = 'ready') AS ready,
				count(*) FILTER (WHERE status = 'failed' AND NOT skipped) AS failed, sum(chunks) AS chunks,
				max(updated_at) FILTER (WHERE NOT skipped) AS changed
			FROM document GROUP BY collection_id
		) d ON d.collection_id = k.id`)
	out := make(map[string]collectionCount, len(all))
	for _, c := range all {
		out[c.name] = c
	}
	return out, err
}

func scanCollection(row Row) (c corpus.CollectionInfo, err error) {
	var questions string
	err = row.Scan(&c.Name, &c.About.Title, &c.About.Description, &c.About.Color, &c.About.Owner, &questions)
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
