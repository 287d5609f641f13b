package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/base/jsonline/jsondiff"
	"stele/internal/base/layout"
	"stele/record"
)

// maxCompared is the number of single records of a kind that are compared by member.
const maxCompared = 20

// single is the file of one record.
type single struct {
	choice
	answer *answer
	got    string // the ID in the file, "" if none was recognized
	value  jsontext.Value
	sum    layout.Short
}

// testSingleRecords tests files of single records.
func (a *audit) testSingleRecords(ctx context.Context) {
	for _, c := range a.kinds {
		switch {
		case !c.kind.HasSingle():
		case !c.there || c.list == nil || c.nameless > 0 && len(c.chosen) == 0:
			a.findings.add(isSingle, NotTested, "the IDs of its records are unknown", c.answer)
		case c.records == 0:
			a.findings.add(isSingle, NotTested, "the collection has no records", c.answer)
		default:
			a.trySinglesOfKind(ctx, c)
		}
	}
}

func (a *audit) trySinglesOfKind(ctx context.Context, c *collection) {
	if left := len(c.ids) - len(c.chosen); left > 0 {
		a.findings.add(isSingle, NotTested, fmt.Sprintf("%d of %d single records were not tried (--all)", left, len(c.ids)), c.answer)
	}
	step := a.newProgress(c.kind.Many, len(c.chosen))
	differ := map[string]bool{}
	for s := range mapInOrder(c.chosen, func(ch choice) *single { return a.readSingle(ctx, c.kind, ch) }) {
		step()
		if !a.checkRoute(s.answer, isSingle, Fail) {
			continue
		}
		a.findings.countTrial(isSame)
		switch {
		case s.got == "":
			a.findings.add(isSingle, NotTested, "no ID recognized in the record", s.answer)
		case s.got != s.id:
			a.findings.add(isSingle, Fail, "the path returns a record with a different ID", s.answer)
		case s.sum != s.choice.sum && len(differ) < maxCompared:
			differ[s.id] = true
		}
	}
	if len(differ) > 0 {
		a.compareMembers(ctx, c, differ)
	}
}

func (a *audit) readSingle(ctx context.Context, k *record.Kind, ch choice) *single {
	s := &single{choice: ch}
	s.answer = a.client.sendWithRetries(ctx, get(k.SinglePath(url.PathEscape(ch.id))), func(in io.Reader) error {
		data, err := io.ReadAll(io.LimitReader(in, maxValue+1))
		if len(data) > maxValue {
			return errLong
		}
		if err != nil {
			return nil // the answer has the error
		}
		d := jsontext.NewDecoder(bytes.NewReader(data), jsonOptions...)
		value, err := d.ReadValue()
		if err != nil {
			return depthError(err)
		}
		value = value.Clone()
		if _, err := d.ReadToken(); err != io.EOF {
			return errors.New("extra data after the JSON")
		}
		names := newNames(k)
		if s.value, s.got, err = names.unwrap(value); err != nil || s.got == "" {
			return err
		}
		s.sum, err = canonicalDigest(s.value)
		return err
	})
	return s
}

// unwrap returns the record in a single file: the whole value, an element of a list, or a member.
func (n *names) unwrap(value jsontext.Value) (jsontext.Value, string, error) {
	id, err := n.recordID(value)
	if err != nil || id != "" {
		return value, id, err
	}
	d := jsontext.NewDecoder(bytes.NewReader(value), jsonOptions...)
	kind := d.PeekKind()
	if kind != '{' && kind != '[' {
		return value, "", nil
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, "", err
	}
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		if kind == '{' {
			if _, err := d.ReadToken(); err != nil {
				return nil, "", err
			}
		}
		inner, err := d.ReadValue()
		if err != nil {
			return nil, "", err
		}
		if id, err = n.recordID(inner); err != nil || id != "" {
			return inner.Clone(), id, err
		}
	}
	return value, "", nil
}

// recordID returns the ID of a record, or "".
func (n *names) recordID(value jsontext.Value) (string, error) {
	if value.Kind() != '{' {
		return "", nil
	}
	f := facts{rank: len(n.ids)}
	err := n.walk(jsontext.NewDecoder(bytes.NewReader(value), jsonOptions...), &f, nothing, 0)
	return f.id, err
}

// compareMembers reads a collection again, and compares it by member with the single records in
// differ. If the collection changed meanwhile, it reports only that.
func (a *audit) compareMembers(ctx context.Context, c *collection, differ map[string]bool) {
	type pair struct {
		answer  *answer
		verdict Verdict
		message string
	}
	var pairs []pair
	again := a.readCollection(ctx, c.kind, func(l *list, id string, value []byte) {
		if l.at != c.at || !differ[id] {
			return
		}
		delete(differ, id)
		s := a.readSingle(ctx, c.kind, choice{id: id})
		if s.got == id {
			v, message := difference(c.kind, value, s.value)
			pairs = append(pairs, pair{s.answer, v, message})
		}
	})
	if again.sum != c.sum {
		a.findings.add(isSame, NotTested, "the collection changed during the audit: run the audit again", c.answer)
		return
	}
	for _, p := range pairs {
		if p.verdict != Pass {
			a.findings.add(isSame, p.verdict, p.message, p.answer)
		}
	}
}

// difference describes how the single record file differs from member, the same record in the
// collection.
func difference(k *record.Kind, member, file []byte) (Verdict, string) {
	list, err := jsondiff.Compare(member, file)
	if err != nil {
		return NotTested, "the record cannot be compared with the collection"
	}
	var lacks string
	for _, d := range list {
		top := strings.Count(d.Pointer, "/") == 1
		at := truncate(strings.TrimPrefix(d.Pointer, "/"))
		switch {
		case top && d.Old == nil:
			lacks = "the member " + at + " is missing from " + k.Collection.Path
		case top && d.New == nil:
			lacks = "missing member " + at + ", which is in " + k.Collection.Path
		default:
			return Fail, strconv.Quote(at) + " differs from " + k.Collection.Path
		}
	}
	if lacks != "" {
		return Warn, lacks
	}
	return Pass, ""
}
