package definition

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gopkg.in/yaml.v3"

	"docent/agent"
	"docent/agent/chat"
	"docent/internal/fault"
	"docent/payload"
)

// replies reads the actions that send data, media, and user interfaces.
type replies struct{ *draft }

// sendable reports an error for a constant that no reply can contain.
func (d replies) sendable(n *yaml.Node, what string, message any) {
	content, err := payload.Marshal(message)
	if err == nil {
		err = chat.CheckJSON(content)
	}
	if err != nil {
		d.wrong(n, "%s cannot be sent: %s", what, fault.Message(err))
	}
}

// tableReply reads the action dataframe.
func (d replies) tableReply(n *yaml.Node) action {
	var columns []string
	var rows data
	keys := d.mapping(n, "dataframe",
		field{"columns", func(n *yaml.Node) { columns = d.texts(n, "columns") }},
		field{"rows", func(n *yaml.Node) { rows = d.data(n, "rows") }},
	)
	d.require(n, keys, "dataframe", "columns", "rows")
	switch {
	case keys["columns"] == nil || keys["rows"] == nil:
	case rows.fixed:
		table, err := tableOf(columns, rows.constant)
		if err != nil {
			d.wrong(n, "dataframe: %s", fault.Message(err))
		} else {
			d.sendable(n, "dataframe", table)
		}
	default:
		if _, err := payload.NewDataFrameRows(columns); err != nil {
			d.wrong(n, "dataframe: %s", fault.Message(err))
		}
	}
	return always(func(ctx context.Context, s *agent.Session) error {
		table, err := tableOf(columns, rows.source(s))
		if err != nil {
			return fmt.Errorf("%s:%d: %w", d.file, n.Line, err)
		}
		return s.ReplyDataFrame(ctx, table)
	})
}

// tableOf returns a table. Rows are lists of values in the order of the columns, or
// objects with the columns as keys.
func tableOf(columns []string, rows any) (payload.DataFrame, error) {
	all, ok := rows.([]any)
	if !ok {
		return payload.DataFrame{}, fault.New(fault.Invalid, "agent_rows_no_list", "the rows of a table must be a list")
	}
	lines := make([][]any, len(all))
	for i, row := range all {
		switch row := row.(type) {
		case []any:
			lines[i] = row
		case map[string]any:
			for _, name := range columns {
				lines[i] = append(lines[i], row[name])
			}
		default:
			return payload.DataFrame{}, fault.New(fault.Invalid, "agent_row_invalid", "row %d must be a list of values, or an object", i)
		}
	}
	return payload.NewDataFrameRows(columns, lines...)
}

// figureReply reads the action plotly.
func (d replies) figureReply(n *yaml.Node) action {
	figure := d.data(n, "plotly")
	if figure.fixed {
		d.sendable(n, "plotly", payload.Figure{Value: figure.constant})
	}
	return always(func(ctx context.Context, s *agent.Session) error { return s.ReplyPlotly(ctx, figure.source(s)) })
}

// uiReply reads the action ui.
func (d replies) uiReply(n *yaml.Node) action {
	ui := d.data(n, "ui")
	if ui.fixed {
		d.sendable(n, "ui", ui.constant)
	}
	return always(func(ctx context.Context, s *agent.Session) error { return s.ReplyUI(ctx, ui.source(s)) })
}

// guiReply reads the action gui.
func (d replies) guiReply(n *yaml.Node) action {
	id := ""
	var model data
	keys := d.mapping(n, "gui",
		field{"id", func(n *yaml.Node) { id = d.text(n, "id") }},
		field{"model", func(n *yaml.Node) { model = d.data(n, "model") }},
	)
	d.require(n, keys, "gui", "id", "model")
	if len(id) > payload.MaxIDBytes {
		d.wrong(keys["id"], "id may have at most %d bytes", payload.MaxIDBytes)
	}
	if model.fixed {
		d.sendable(n, "gui", model.constant)
	}
	return always(func(ctx context.Context, s *agent.Session) error { return s.ReplyGUI(ctx, id, model.source(s)) })
}

// errPlace: the place of the action location is not on Earth.
var errPlace = errors.New("location needs a latitude from -90 to 90 and a longitude from -180 to 180")

// placeReply reads the action location.
func (d replies) placeReply(n *yaml.Node) action {
	var latitude, longitude data
	keys := d.mapping(n, "location",
		field{"latitude", func(n *yaml.Node) { latitude = d.degrees(n, "latitude", 90) }},
		field{"longitude", func(n *yaml.Node) { longitude = d.degrees(n, "longitude", 180) }},
	)
	d.require(n, keys, "location", "latitude", "longitude")
	return always(func(ctx context.Context, s *agent.Session) error {
		north, east := asNumber(latitude.source(s)), asNumber(longitude.source(s))
		if !(math.Abs(north) <= 90 && math.Abs(east) <= 180) { // also for NaN
			return fmt.Errorf("%s:%d: %w", d.file, n.Line, errPlace)
		}
		return s.ReplyLocation(ctx, north, east)
	})
}

// degrees reads a number of degrees, or a text with a placeholder.
func (d replies) degrees(n *yaml.Node, what string, most float64) data {
	v := d.data(n, what)
	if v.fixed && !(math.Abs(asNumber(v.constant)) <= most) {
		d.wrong(n, "%s must be a number from %v to %v", what, -most, most)
	}
	return v
}
