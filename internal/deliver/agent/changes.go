package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/trust/standing"
	"stele/record"
	"stele/release"
)

type changesArguments struct {
	Since     string `json:"since,omitempty" jsonschema:"a day as YYYY-MM-DD, or a release ID: only later changes"`
	ID        string `json:"id,omitempty" jsonschema:"only changes to the record with this ID"`
	Kind      string `json:"kind,omitempty" jsonschema:"only changes to records of this kind"`
	Indicator string `json:"indicator,omitempty" jsonschema:"the code of an indicator: what happened to its figures, with one entry for each reason"`
	Limit     int    `json:"limit,omitempty" jsonschema:"maximum number of changes: default 50, at most 200"`
	Offset    int    `json:"offset,omitempty" jsonschema:"how many changes to skip, for the next page"`
}

type changesAnswer struct {
	Release     string   `json:"release"`
	Date        string   `json:"date"`
	Total       int      `json:"total"`
	Changes     []change `json:"changes"`
	Updates     []update `json:"updates,omitempty"`
	NotStanding []string `json:"not_standing,omitempty"`
	Next        int      `json:"next_offset,omitempty"`
	texts
}

// update is an entry of an indicator's feed: the changes that a release made to figures for one
// reason.
type update struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	Date  string `json:"date"`
	Page  string `json:"page"`
}

type change struct {
	EventID    string   `json:"event_id"`
	ID         string   `json:"id"`
	Kind       string   `json:"kind"`
	Type       string   `json:"change_type"`
	Date       string   `json:"date"`
	Release    string   `json:"release"`
	Before     int64    `json:"version_before,omitempty"`
	After      int64    `json:"version_after,omitempty"`
	Fields     []string `json:"changed_fields,omitempty"`
	FieldCount int      `json:"changed_fields_count,omitempty"`
	Summary    string   `json:"summary,omitempty"`
	Standing   string   `json:"standing"`
}

// maxFields is the maximum number of changed members that an answer names for each change.
const maxFields = 20

func (s *edition) answerChanges(ctx context.Context, r *release.Release, in changesArguments) (*changesAnswer, error) {
	limit, err := checkLimit(in.Limit, in.Offset, 50, 200)
	if err != nil {
		return nil, err
	}
	if err := checkKind(in.Kind); err != nil {
		return nil, err
	}
	if in.Indicator != "" {
		return s.indicatorChanges(r, in, limit)
	}
	after, err := parseSince(r, in.Since)
	if err != nil {
		return nil, err
	}
	standings, err := readStandings(r)
	if err != nil {
		return nil, err
	}
	a := &changesAnswer{Release: r.Manifest.Release, Date: r.Manifest.Date}
	wanted := func(e *record.ChangeEvent) bool {
		return after(e) && (in.ID == "" || string(e.RecordID) == in.ID) &&
			(in.Kind == "" || string(e.RecordKind) == in.Kind)
	}
	gone, err := a.readChanges(r, wanted, in.Offset+limit+1)
	if err != nil {
		return nil, err
	}
	if a.Total == 0 && in.ID != "" {
		_, err = s.readRecord(ctx, in.ID)
	}
	if err = cmp.Or(err, checkOffset(in.Offset, a.Total, "changes")); err != nil {
		return nil, err
	}
	slices.Reverse(a.Changes)
	a.Changes, a.Next = pageSlice(a.Changes, in.Offset, limit)
	a.addLostRecords(standings, gone)
	a.writeText(in)
	return a, nil
}

// indicatorChanges returns the changes to an indicator's figures, from the indicator's feed.
func (s *edition) indicatorChanges(r *release.Release, in changesArguments, limit int) (*changesAnswer, error) {
	if !layout.ValidPath(in.Indicator) || strings.Contains(in.Indicator, "/") {
		return nil, errors.New("give the code of an indicator, as search shows it")
	}
	data, err := s.readFile(r, layout.FeedPath("indicator-"+in.Indicator, ".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, s.unknownIndicatorError(r, in.Indicator)
	}
	if err != nil {
		return nil, err
	}
	var feed struct {
		Items []struct {
			URL, Title string
			Text       string `json:"content_text"`
			Date       string `json:"date_published"`
		}
	}
	if err := json.Unmarshal(data, &feed); err != nil {
		return nil, err
	}
	a := &changesAnswer{
		Release: r.Manifest.Release, Date: r.Manifest.Date, Changes: []change{},
	}
	for _, item := range feed.Items {
		if record.Date(in.Since).Valid() && item.Date[:min(10, len(item.Date))] <= in.Since {
			continue
		}
		a.Updates = append(a.Updates, update{item.Title, item.Text, item.Date, item.URL})
	}
	var p prose
	a.Total = len(a.Updates)
	a.Updates, a.Next = pageSlice(a.Updates, in.Offset, limit)
	p.writeLine("%d changes to the figures of %s, newest first.", a.Total, quoteText(in.Indicator))
	for _, u := range a.Updates {
		p.writeLine("- %.10s %s: %s", oneLine(u.Date), quoteText(u.Title), quoteText(render.Truncate(u.Text, 500)))
	}
	a.text = p.String()
	return a, nil
}

// addLostRecords lists the changed records that are not valid or were removed.
func (a *changesAnswer) addLostRecords(standings map[string]string, gone map[string]bool) {
	for i := range a.Changes {
		c := &a.Changes[i]
		if is := standings[c.ID]; is != "" {
			c.Standing = is
		}
		if gone[c.ID] {
			c.Standing = "gone"
		}
		text := c.ID + ": " + c.Standing
		if c.Standing != standing.Stands.String() && !slices.Contains(a.NotStanding, text) {
			a.NotStanding = append(a.NotStanding, text)
		}
	}
}

// readChanges reads the changes that wanted selects, and keeps the latest of them, oldest first. It
// returns the removed records.
func (a *changesAnswer) readChanges(
	r *release.Release, wanted func(*record.ChangeEvent) bool, most int,
) (gone map[string]bool, err error) {
	gone, a.Changes = map[string]bool{}, []change{}
	for line, err := range r.Events() {
		if err != nil {
			return nil, err
		}
		var e record.ChangeEvent
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		if e.After == nil {
			gone[string(e.RecordID)] = true
		} else {
			delete(gone, string(e.RecordID))
		}
		if !wanted(&e) {
			continue
		}
		a.Total++
		if a.Changes = append(a.Changes, newChange(&e)); len(a.Changes) > 2*most {
			a.Changes = slices.Delete(a.Changes, 0, len(a.Changes)-most)
		}
	}
	return gone, nil
}

// parseSince returns a function that selects changes after a day or a release.
func parseSince(r *release.Release, since string) (func(*record.ChangeEvent) bool, error) {
	if since == "" {
		return func(*record.ChangeEvent) bool { return true }, nil
	}
	if record.Date(since).Valid() {
		return func(e *record.ChangeEvent) bool { return string(e.PublishedDate) > since }, nil
	}
	later, found := map[string]bool{}, false
	for past, err := range r.Releases() {
		if err != nil {
			return nil, err
		}
		if found {
			later[past.Release] = true
		}
		found = found || past.Release == since
	}
	if !found {
		return nil, fmt.Errorf("unknown release %s: give the ID of a release, or a day as YYYY-MM-DD", quoteText(since))
	}
	return func(e *record.ChangeEvent) bool { return later[e.Release] }, nil
}

func readStandings(r *release.Release) (map[string]string, error) {
	all := map[string]string{}
	for s, err := range r.Standings() {
		if err != nil {
			return nil, err
		}
		all[s.ID] = s.Standing
	}
	return all, nil
}

func newChange(e *record.ChangeEvent) change {
	c := change{
		EventID: string(e.ID), ID: string(e.RecordID), Kind: string(e.RecordKind), Type: string(e.ChangeType),
		Date: string(e.PublishedDate), Release: e.Release, Summary: e.Summary, Standing: standing.Stands.String(),
		Fields: e.ChangedFields, FieldCount: len(e.ChangedFields),
	}
	if e.Before != nil {
		c.Before = e.Before.Version
	}
	if e.After != nil {
		c.After = e.After.Version
	}
	c.Fields = c.Fields[:min(len(c.Fields), maxFields)]
	return c
}

func (a *changesAnswer) writeText(in changesArguments) {
	var p prose
	if len(a.NotStanding) > 0 {
		p.writeLine("NOT ALL ARE VALID: %s", oneLine(strings.Join(a.NotStanding, "; ")))
	}
	p.writeLine("%d changes, newest first. Each gives its record and version; use record to see what must stay with it.", a.Total)
	for _, c := range a.Changes {
		versions := ""
		switch {
		case c.Before != 0 && c.After != 0:
			versions = fmt.Sprintf(", version %d to %d", c.Before, c.After)
		case c.After != 0:
			versions = fmt.Sprintf(", version %d", c.After)
		case c.Before != 0:
			versions = fmt.Sprintf(", was version %d", c.Before)
		}
		p.writeLine("- %s %s %s%s, release %s", oneLine(c.Date), oneLine(c.ID), oneLine(c.Type), versions, oneLine(c.Release))
		if c.Summary != "" {
			p.writeLine("  %s", quoteText(render.Truncate(c.Summary, 500)))
		}
		if c.FieldCount > 0 {
			p.writeLine("  changed (%d): %s", c.FieldCount, oneLine(strings.Join(c.Fields, " ")))
		}
	}
	if a.Next > 0 {
		p.writeLine("More: continue with offset %d.", a.Next)
	}
	a.text = p.String()
}
