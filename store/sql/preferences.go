package sql

import (
	"context"

	"docent/profile"
	"docent/store"
)

var _ profile.Choices = Store{}

// preferences stores the preferences of users.
type preferences struct{ db Database }

// Preferences returns preferences; see profile.Choices.
func (s preferences) Preferences(ctx context.Context, owner string) (profile.Preferences, error) {
	all, err := list(ctx, s.db, func(row Row) (p profile.Preferences, err error) {
		err = row.Scan(&p.Language, &p.Instructions)
		return p, err
	}, `SELECT language, instructions FROM preference WHERE owner = $1`, store.Text(owner))
	if err != nil || len(all) == 0 {
		return profile.Preferences{}, s.db.Fail("read preferences", err)
	}
	return all[0], nil
}

// SetPreferences replaces preferences; see profile.Choices. The zero ones have no row.
func (s preferences) SetPreferences(ctx context.Context, owner string, p profile.Preferences) error {
	if p == (profile.Preferences{}) {
		return s.db.Fail("remove preferences", change(ctx, s.db, nil, `DELETE FROM preference WHERE owner = $1`, store.Text(owner)))
	}
	return s.db.Fail("set preferences", change(ctx, s.db, nil, `INSERT INTO preference (owner, language, instructions) VALUES ($1, $2, $3)
		ON CONFLICT (owner) DO UPDATE SET language = excluded.language, instructions = excluded.instructions`,
		store.Text(owner), store.Text(p.Language), store.Text(p.Instructions)))
}
