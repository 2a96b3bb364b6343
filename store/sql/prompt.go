package sql

import (
	"context"

	"docent/profile"
	"docent/store"
)

var _ profile.Prompts = Store{}

// prompts stores prompts of users.
type prompts struct{ db Database }

// Prompts lists prompts; see profile.Prompts.
func (s prompts) Prompts(ctx context.Context, owner string) ([]profile.Prompt, error) {
	all, err := list(ctx, s.db, func(row Row) (p profile.Prompt, err error) {
		err = row.Scan(&p.ID, &p.Owner, &p.Name, &p.Text, &p.Shared, Time(&p.UpdatedAt))
		return p, err
	}, `SELECT id, owner, name, text, shared, updated_at FROM prompt WHERE owner = $1 OR shared ORDER BY name COLLATE "C", id`, store.Text(owner))
	return all, s.db.Fail("list prompts", err)
}

// AddPrompt stores a prompt; see profile.Prompts. Concurrent calls may add a few too many.
func (s prompts) AddPrompt(ctx context.Context, p profile.Prompt) (id int64, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		var own int
		if err := row(ctx, tx, `SELECT count(*) FROM prompt WHERE owner = $1`, store.Text(p.Owner)).Scan(&own); err != nil {
			return err
		}
		if own >= profile.MaxPrompts {
			return profile.PromptsFull()
		}
		if err := checkShared(ctx, tx, p); err != nil {
			return err
		}
		return row(ctx, tx, `INSERT INTO prompt (owner, name, text, shared, updated_at) VALUES ($1, $2, $3, $4, $5) RETURNING id`,
			store.Text(p.Owner), store.Text(p.Name), store.Text(p.Text), p.Shared, p.UpdatedAt).Scan(&id)
	})
	return id, s.db.Fail("add a prompt", err)
}

// checkShared fails if p would be a shared prompt too many.
func checkShared(ctx context.Context, tx Tx, p profile.Prompt) error {
	if !p.Shared {
		return nil
	}
	var others int
	if err := row(ctx, tx, `SELECT count(*) FROM prompt WHERE shared AND id <> $1`, p.ID).Scan(&others); err != nil {
		return err
	}
	if others >= profile.MaxShared {
		return profile.SharedFull()
	}
	return nil
}

// removeProfile removes the preferences and the prompts of an owner. Shared prompts stay without an owner.
func removeProfile(ctx context.Context, tx Tx, owner string) error {
	if err := change(ctx, tx, nil, `DELETE FROM preference WHERE owner = $1`, owner); err != nil {
		return err
	}
	if err := change(ctx, tx, nil, `DELETE FROM prompt WHERE owner = $1 AND NOT shared`, owner); err != nil {
		return err
	}
	return change(ctx, tx, nil, `UPDATE prompt SET owner = '' WHERE owner = $1`, owner)
}

// mayChange selects the prompt $1 if the editor may change it. $2 is the editor. $3 says whether the
// editor is an administrator.
const mayChange = `id = $1 AND CASE WHEN shared THEN $3 ELSE owner = $2 END`

// ChangePrompt changes a prompt; see profile.Prompts.
func (s prompts) ChangePrompt(ctx context.Context, by profile.Editor, p profile.Prompt) error {
	return s.db.Fail("change a prompt", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		if err := checkShared(ctx, tx, p); err != nil {
			return err
		}
		return change(ctx, tx, profile.NoPrompt(), `UPDATE prompt SET name = $4, text = $5, shared = $6, updated_at = $7,
			owner = CASE WHEN owner = '' THEN $2 ELSE owner END WHERE `+mayChange,
			p.ID, store.Text(by.Principal), by.Admin, store.Text(p.Name), store.Text(p.Text), p.Shared, p.UpdatedAt)
	}))
}

// RemovePrompt removes a prompt; see profile.Prompts.
func (s prompts) RemovePrompt(ctx context.Context, by profile.Editor, id int64) error {
	return s.db.Fail("remove a prompt", change(ctx, s.db, profile.NoPrompt(),
		`DELETE FROM prompt WHERE `+mayChange, id, store.Text(by.Principal), by.Admin))
}
