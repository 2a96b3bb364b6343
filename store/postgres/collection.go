package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"docent/rag/corpus"
	"docent/store"
)

var _ corpus.Collections = (*Store)(nil)

// Collections lists the collections; see corpus.Library.
func (s *documents) Collections(ctx context.Context) ([]corpus.CollectionInfo, error) {
	out, err := query(ctx, s, func(row pgx.CollectableRow) (corpus.CollectionInfo, error) {
		var c corpus.CollectionInfo
		err := row.Scan(&c.Name, &c.About.Title, &c.About.Description, &c.About.Color, &c.About.Owner, &c.About.Questions,
			&c.Documents, &c.Failed, &c.Chunks)
		if len(c.About.Questions) == 0 {
			c.About.Questions = nil
		}
		return c, err
	}, `SELECT k.name, k.title, k.description, k.color, k.owner, k.questions, coalesce(d.ready, 0), coalesce(d.failed, 0), coalesce(d.chunks, 0)
		FROM collection k LEFT JOIN (
			SELECT collection_id, count(*) FILTER (WHERE status = 'ready') AS ready,
				count(*) FILTER (WHERE status = 'failed' AND NOT skipped) AS failed, sum(chunks) AS chunks
			FROM document GROUP BY collection_id
		) d ON d.collection_id = k.id ORDER BY k.name COLLATE "C"`)
	return out, fail("list collections", err)
}

// AddCollection adds a collection; see corpus.Collections.
func (s *documents) AddCollection(ctx context.Context, name string, about corpus.About) error {
	return fail("add a collection", s.write(ctx, func(tx pgx.Tx) error {
		var n int
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM collection`).Scan(&n); err != nil {
			return err
		}
		if n >= corpus.MaxCollections {
			return store.TooManyCollections()
		}
		if err := change(ctx, tx, store.CollectionTaken(name), `INSERT INTO collection (name, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
			store.Text(name), s.config.Now()); err != nil {
			return err
		}
		return describe(ctx, tx, name, about)
	}))
}

// SetCollection replaces the description of a collection; see corpus.Collections.
func (s *documents) SetCollection(ctx context.Context, name string, about corpus.About) error {
	return fail("change a collection", s.write(ctx, func(tx pgx.Tx) error { return describe(ctx, tx, name, about) }))
}

func describe(ctx context.Context, tx pgx.Tx, name string, about corpus.About) error {
	return change(ctx, tx, store.NoCollection(name),
		`UPDATE collection SET title = $2, description = $3, color = $4, owner = $5, questions = $6 WHERE name = $1`, store.Text(name),
		store.Text(about.Title), store.Text(about.Description), about.Color, store.Text(about.Owner), store.Texts(about.Questions))
}

// RemoveCollection removes a collection; see corpus.Collections.
func (s *documents) RemoveCollection(ctx context.Context, name string) error {
	return fail("remove a collection", s.write(ctx, func(tx pgx.Tx) error {
		var id int64
		var filled bool
		var source string
		// The lock keeps new documents out.
		err := tx.QueryRow(ctx, `SELECT id FROM collection WHERE name = $1 FOR UPDATE`, store.Text(name)).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return store.NoCollection(name)
		}
		if err != nil {
			return err
		}
		err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM document WHERE collection_id = $1),
			coalesce((SELECT name FROM source WHERE collection = $2 ORDER BY name LIMIT 1), '')`, id, store.Text(name)).Scan(&filled, &source)
		if err != nil {
			return err
		}
		if err := store.CheckRemoval(name, filled, source); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM collection WHERE id = $1`, id)
		return err
	}))
}
