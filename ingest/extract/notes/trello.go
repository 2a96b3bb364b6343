package notes

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
)

// board is an exported board of Trello.
type board struct {
	Name       string      `json:"name"`
	Text       string      `json:"desc"`
	Changed    time.Time   `json:"dateLastActivity"`
	Lists      []list      `json:"lists"`
	Cards      []card      `json:"cards"`
	Members    []member    `json:"members"`
	Checklists []checklist `json:"checklists"`
	Actions    []action    `json:"actions"`
}

type list struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Closed bool    `json:"closed"`
	Place  float64 `json:"pos"`
}

type member struct {
	ID   string `json:"id"`
	Name string `json:"fullName"`
}

type card struct {
	ID          string     `json:"id"`
	List        string     `json:"idList"`
	Name        string     `json:"name"`
	Text        string     `json:"desc"`
	Due         *time.Time `json:"due"`
	Done        bool       `json:"dueComplete"`
	Closed      bool       `json:"closed"`
	Members     []string   `json:"idMembers"`
	Place       float64    `json:"pos"`
	Labels      []name     `json:"labels"`
	Attachments []struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	} `json:"attachments"`
}

type checklist struct {
	Card  string  `json:"idCard"`
	Name  string  `json:"name"`
	Place float64 `json:"pos"`
	Items []check `json:"checkItems"`
}

type check struct {
	Name  string  `json:"name"`
	State string  `json:"state"`
	Place float64 `json:"pos"`
}

// action is a change of a board.
type action struct {
	Type string    `json:"type"`
	At   time.Time `json:"date"`
	By   member    `json:"memberCreator"`
	Data struct {
		Text string `json:"text"`
		Card struct {
			ID string `json:"id"`
		} `json:"card"`
	} `json:"data"`
}

// readTrello reads a board: a section for each list, and one in it for each card.
func readTrello(ctx context.Context, data []byte) (*page, bool) {
	var b board
	if !decode(data, &b) || len(b.Lists) == 0 {
		return nil, false
	}
	p := &page{title: oneLine(b.Name), changed: b.Changed}
	p.heading(1, b.Name)
	p.paragraph(b.Text)
	names := map[string]string{}
	for _, m := range b.Members {
		names[m.ID] = oneLine(m.Name)
	}
	cards := map[string][]card{}
	slices.SortStableFunc(b.Cards, func(x, y card) int { return cmp.Compare(x.Place, y.Place) })
	for _, c := range b.Cards {
		if !c.Closed {
			cards[c.List] = append(cards[c.List], c)
		}
	}
	checks := map[string][]checklist{}
	slices.SortStableFunc(b.Checklists, func(x, y checklist) int { return cmp.Compare(x.Place, y.Place) })
	for _, c := range b.Checklists {
		checks[c.Card] = append(checks[c.Card], c)
	}
	comments := map[string][]action{}
	slices.SortStableFunc(b.Actions, func(x, y action) int { return x.At.Compare(y.At) })
	for _, a := range b.Actions {
		if a.Type == "commentCard" {
			comments[a.Data.Card.ID] = append(comments[a.Data.Card.ID], a)
		}
	}
	slices.SortStableFunc(b.Lists, func(x, y list) int { return cmp.Compare(x.Place, y.Place) })
	for _, l := range b.Lists {
		if l.Closed || ctx.Err() != nil {
			continue
		}
		p.heading(2, l.Name)
		for _, c := range cards[l.ID] {
			p.card(l, c, names, checks[c.ID], comments[c.ID])
		}
	}
	return p, true
}

func (p *page) card(l list, c card, names map[string]string, checks []checklist, comments []action) {
	p.heading(3, c.Name)
	p.item("List: " + l.Name)
	if c.Due != nil {
		due := "Due: " + c.Due.UTC().Format(time.DateOnly)
		if c.Done {
			due += ", done"
		}
		p.item(due)
	}
	var labels, members []string
	for _, label := range c.Labels {
		if label.Name != "" {
			labels = append(labels, label.Name)
		}
	}
	for _, id := range c.Members {
		if names[id] != "" {
			members = append(members, names[id])
		}
	}
	if len(labels) > 0 {
		p.item("Labels: " + strings.Join(labels, ", "))
	}
	if len(members) > 0 {
		p.item("Members: " + strings.Join(members, ", "))
	}
	p.paragraph(c.Text)
	for _, steps := range checks {
		p.out.WriteString("\n" + oneLine(steps.Name) + ":\n\n")
		slices.SortStableFunc(steps.Items, func(x, y check) int { return cmp.Compare(x.Place, y.Place) })
		for _, item := range steps.Items {
			p.task(item.State == "complete", item.Name)
		}
	}
	if len(c.Attachments) > 0 {
		p.out.WriteString("\nAttachments:\n\n")
	}
	for _, a := range c.Attachments {
		p.item(a.Name + " <" + oneLine(a.URL) + ">")
	}
	for _, comment := range comments {
		p.paragraph("**" + oneLine(comment.By.Name) + ", " + comment.At.UTC().Format(time.DateOnly) + ":** " + comment.Data.Text)
	}
}
