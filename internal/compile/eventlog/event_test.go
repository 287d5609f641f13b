package eventlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stele/internal/testkit/must"
	"stele/record"
)

// texts are hard to write as JSON.
var texts = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", `"\/`, "<b>&amp;</b>", "\u2028\u2029", "\x00\x1f\x7f", "é ☃ 𝄞"}))

var ids = rapid.StringMatching(`[A-Za-z0-9]([A-Za-z0-9_-]{0,126}[A-Za-z0-9])?`)

// anyEvent is one that the program makes, or that a publisher may write.
var anyEvent = rapid.Custom(func(t *rapid.T) record.ChangeEvent {
	plain := rapid.OneOf(ids, texts)
	e := record.ChangeEvent{
		RecordID: record.ID(
			plain.Draw(t, "record"),
		), RecordKind: record.KindName(rapid.SampledFrom([]string{"signal", "entity", "none"}).Draw(t, "kind")),
		ChangeType: "updated", ChangedFields: rapid.SliceOf(texts).Draw(t, "fields"),
	}
	e.Kind, e.Version, e.PublishedDate = kindName, rapid.Int64Range(1, 3).Draw(t, "version"), "2026-11-15"
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
	k := record.KindNamed(kindName)
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvent.Draw(t, "event")
		draft := k.AppendJSON(nil, &e)
		e.ID, e.Release = record.ID(ids.Draw(t, "id")), "0123456789ab"
		got, want := completeDraft(nil, draft, string(e.ID), e.Release), k.AppendJSON(nil, &e)
		if !bytes.Equal(got, want) {
			t.Fatalf("finished:\n%s\nas a record:\n%s", got, want)
		}
	})
}

// TestParse: whether an event is scanned or left to the library, the same is read.
func TestParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvent.Draw(t, "event")
		e.ID, e.Release = record.ID(ids.Draw(t, "id")), "0123456789ab"
		line := record.KindNamed(kindName).AppendJSON(nil, &e)
		want := Event{Line: line}
		must.Do(t, json.Unmarshal(line, &want))
		if got, err := Parse(line); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v is read, and it is %+v: %v", got, want, err)
		}
	})
	made := record.ChangeEvent{RecordID: "sig-a", RecordKind: "signal", ChangeType: "created", ChangedFields: []string{}, Release: "0123456789ab"}
	made.ID, made.Kind, made.Version, made.PublishedDate = "chg-0123456789ab-sig-a", kindName, 1, "2026-11-15"
	if _, ok := scan(record.KindNamed(kindName).AppendJSON(nil, &made)); !ok {
		t.Error("an event of the program's own is left to the library")
	}
}

// TestMerge: merging is what sorting all by their dates would be.
func TestMerge(t *testing.T) {
	dates := rapid.SliceOfN(rapid.StringMatching(`[0-9]`), 0, 8)
	rapid.Check(t, func(t *rapid.T) {
		var all []Event
		sequence := func(name string) iter.Seq2[Event, error] {
			var part []Event
			for i, d := range slices.Sorted(slices.Values(dates.Draw(t, name))) {
				part = append(part, Event{ID: name + strconv.Itoa(i), Date: d})
			}
			all = append(all, part...)
			return errorless(part)
		}
		both := Merge(sequence("first"), sequence("second"))
		slices.SortStableFunc(all, func(x, y Event) int { return strings.Compare(x.Date, y.Date) })
		most := rapid.IntRange(0, len(all)).Draw(t, "most") // whoever reads may stop early
		var got []Event
		for e, err := range both {
			if err != nil || len(got) == most {
				break
			}
			got = append(got, e)
		}
		if !slices.EqualFunc(got, all[:most], func(x, y Event) bool { return x.ID == y.ID }) {
			t.Fatalf("merged are %v, want %v", got, all[:most])
		}
	})
}

func errorless(events []Event) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// TestMergeErrors: an error in either sequence is the last that comes.
func TestMergeErrors(t *testing.T) {
	broken := errors.New("broken")
	good := errorless([]Event{{Date: "1"}, {Date: "3"}})
	bad := func(yield func(Event, error) bool) {
		_ = yield(Event{Date: "2"}, nil) && yield(Event{}, broken) && yield(Event{Date: "4"}, nil)
	}
	for name, both := range map[string]iter.Seq2[Event, error]{"first": Merge(bad, good), "second": Merge(good, bad)} {
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
