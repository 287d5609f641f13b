package publish

import (
	"encoding/json"
	"errors"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stele/record"
)

// anyEvent is one that the program makes, or that a publisher may write.
var anyEvent = rapid.Custom(func(t *rapid.T) record.ChangeEvent {
	plain := rapid.OneOf(ids, texts)
	e := record.ChangeEvent{
		RecordID: record.ID(
			plain.Draw(t, "record"),
		), RecordKind: record.KindName(rapid.SampledFrom([]string{"signal", "entity", "none"}).Draw(t, "kind")),
		ChangeType: "updated", ChangedFields: rapid.SliceOf(texts).Draw(t, "fields"),
	}
	e.Kind, e.Version, e.PublishedDate = changeEvent, rapid.Int64Range(1, 3).Draw(t, "version"), "2026-11-15"
	if rapid.Bool().Draw(t, "changed") {
		e.Before = &record.RecordDigest{Version: 1, SHA256: "00"}
	}
	if rapid.Bool().Draw(t, "own") {
		e.Title, e.Summary = texts.Draw(t, "title"), texts.Draw(t, "summary")
	}
	return e
})

// TestFinish: an event that is finished when the release has an ID is the one that would have been
// written with it.
func TestFinish(t *testing.T) {
	k := record.KindNamed(changeEvent)
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvent.Draw(t, "event")
		draft := record.AppendJSON(nil, k, &e)
		e.ID, e.Release = record.ID(ids.Draw(t, "id")), "0123456789ab"
		same(t, finish(nil, draft, string(e.ID), e.Release), record.AppendJSON(nil, k, &e))
	})
}

// TestParseEvent: whether an event is scanned or left to the library, the same is read.
func TestParseEvent(t *testing.T) {
	scanned := 0
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvent.Draw(t, "event")
		e.ID, e.Release = record.ID(ids.Draw(t, "id")), "0123456789ab"
		line := record.AppendJSON(nil, record.KindNamed(changeEvent), &e)
		want := event{line: line}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		if got, err := parseEvent(line); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v is read, and it is %+v: %v", got, want, err)
		}
		if _, ok := scanEvent(line); ok {
			scanned++
		}
	})
	if scanned == 0 {
		t.Error("none was scanned")
	}
	made := record.ChangeEvent{RecordID: "sig-a", RecordKind: "signal", ChangeType: "created", ChangedFields: []string{}, Release: "0123456789ab"}
	made.ID, made.Kind, made.Version, made.PublishedDate = "chg-0123456789ab-sig-a", changeEvent, 1, "2026-11-15"
	if _, ok := scanEvent(record.AppendJSON(nil, record.KindNamed(changeEvent), &made)); !ok {
		t.Error("an event of the program's own is left to the library")
	}
}

// TestMerged: merging is what sorting all by their dates would be.
func TestMerged(t *testing.T) {
	dates := rapid.SliceOfN(rapid.StringMatching(`[0-9]`), 0, 8)
	rapid.Check(t, func(t *rapid.T) {
		var all []event
		sequence := func(name string) iter.Seq2[event, error] {
			var part []event
			for i, d := range slices.Sorted(slices.Values(dates.Draw(t, name))) {
				part = append(part, event{ID: name + strconv.Itoa(i), Date: d})
			}
			all = append(all, part...)
			return errorless(part)
		}
		both := merged(sequence("first"), sequence("second"))
		slices.SortStableFunc(all, func(x, y event) int { return strings.Compare(x.Date, y.Date) })
		most := rapid.IntRange(0, len(all)).Draw(t, "most") // whoever reads may stop early
		var got []event
		for e, err := range both {
			if err != nil || len(got) == most {
				break
			}
			got = append(got, e)
		}
		if !slices.EqualFunc(got, all[:most], func(x, y event) bool { return x.ID == y.ID }) {
			t.Fatalf("merged are %v, want %v", got, all[:most])
		}
	})
}

func errorless(events []event) iter.Seq2[event, error] {
	return func(yield func(event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// TestMergedErrors: an error in either sequence is the last that comes.
func TestMergedErrors(t *testing.T) {
	broken := errors.New("broken")
	good := errorless([]event{{Date: "1"}, {Date: "3"}})
	bad := func(yield func(event, error) bool) {
		_ = yield(event{Date: "2"}, nil) && yield(event{}, broken) && yield(event{Date: "4"}, nil)
	}
	for name, both := range map[string]iter.Seq2[event, error]{"first": merged(bad, good), "second": merged(good, bad)} {
		var failed error
		count := 0
		for _, err := range both {
			if failed != nil {
				t.Errorf("the %s is broken, and more comes", name)
			}
			failed = err
			count++
		}
		if failed != broken || count < 2 {
			t.Errorf("the %s is broken: %v after %d", name, failed, count)
		}
	}
}
