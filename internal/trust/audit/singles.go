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

// mostCompared is how many single records of a kind are compared member by member.
const mostCompared = 20

// single is the file of one record.
type single struct {
	choice
	answer *answer
	got    string // the ID that it has, "" if none was recognised
	value  jsontext.Value
	sum    layout.Short
}

// trySingles asks for single records of the kinds that have files for them.
func (a *audit) trySingles(ctx context.Context) {
	for _, c := range a.kinds {
		switch {
		case !c.kind.HasSingle():
		case !c.there || c.list == nil || c.nameless > 0 && len(c.chosen) == 0:
			a.book.found(isSingle, NotTested, "the IDs of its records are not known", c.answer)
		case c.records == 0:
			a.book.found(isSingle, NotTested, "the collection has no records", c.answer)
		default:
			a.trySinglesOf(ctx, c)
		}
	}
}

func (a *audit) trySinglesOf(ctx context.Context, c *collection) {
	if left := len(c.ids) - len(c.chosen); left > 0 {
		a.book.found(isSingle, NotTested, fmt.Sprintf("%d of %d single records were not tried (--all)", left, len(c.ids)), c.answer)
	}
	step := a.steps(c.kind.Many, len(c.chosen))
	differ := map[string]bool{}
	for s := range inOrder(c.chosen, func(ch choice) *single { return a.readSingle(ctx, c.kind, ch) }) {
		step()
		if !a.judge(s.answer, isSingle, Fail) {
			continue
		}
		a.book.tried(isSame)
		switch {
		case s.got == "":
			a.book.found(isSingle, NotTested, "no ID was recognised in it", s.answer)
		case s.got != s.id:
			a.book.found(isSingle, Fail, "it returns a record with another ID", s.answer)
		case s.sum != s.choice.sum && len(differ) < mostCompared:
			differ[s.id] = true
		}
	}
	if len(differ) > 0 {
		a.compare(ctx, c, differ)
	}
}

// readSingle reads the file of a record.
func (a *audit) readSingle(ctx context.Context, k *record.Kind, ch choice) *single {
	s := &single{choice: ch}
	s.answer = a.client.ask(ctx, plain(k.SinglePath(url.PathEscape(ch.id))), func(in io.Reader) error {
		data, err := io.ReadAll(io.LimitReader(in, longest+1))
		if len(data) > longest {
			return errLong
		}
		if err != nil {
			return nil // the answer says so
		}
		d := jsontext.NewDecoder(bytes.NewReader(data), strict...)
		value, err := d.ReadValue()
		if err != nil {
			return deep(err)
		}
		value = value.Clone()
		if _, err := d.ReadToken(); err != io.EOF {
			return errors.New("something follows after the JSON")
		}
		names := newNames(k)
		if s.value, s.got, err = names.unwrap(value); err != nil || s.got == "" {
			return err
		}
		s.sum, err = canonical(s.value)
		return err
	})
	return s
}

// unwrap finds the record in the file of one: the whole, the only one of a list, or a member.
func (n *names) unwrap(value jsontext.Value) (jsontext.Value, string, error) {
	id, err := n.idOf(value)
	if err != nil || id != "" {
		return value, id, err
	}
	d := jsontext.NewDecoder(bytes.NewReader(value), strict...)
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
		if id, err = n.idOf(inner); err != nil || id != "" {
			return inner.Clone(), id, err
		}
	}
	return value, "", nil
}

// idOf returns the ID of a record, "" if it is none.
func (n *names) idOf(value jsontext.Value) (string, error) {
	if value.Kind() != '{' {
		return "", nil
	}
	f := facts{rank: len(n.ids)}
	err := n.walk(jsontext.NewDecoder(bytes.NewReader(value), strict...), &f, nothing, 0)
	return f.id, err
}

// compare reads a collection again, and compares single records that differ from it member by
// member. Where the collection is another one by now, nothing is said.
func (a *audit) compare(ctx context.Context, c *collection, differ map[string]bool) {
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
		a.book.found(isSame, NotTested, "the collection changed while it was read: audit it again", c.answer)
		return
	}
	for _, p := range pairs {
		if p.verdict != Pass {
			a.book.found(isSame, p.verdict, p.message, p.answer)
		}
	}
}

// difference says how a single record differs from its member in the collection.
func difference(k *record.Kind, member, file []byte) (Verdict, string) {
	list, err := jsondiff.Compare(member, file)
	if err != nil {
		return NotTested, "it cannot be compared with the collection"
	}
	var lacks string
	for _, d := range list {
		top := strings.Count(d.Pointer, "/") == 1
		at := cut(strings.TrimPrefix(d.Pointer, "/"))
		switch {
		case top && d.Old == nil:
			lacks = "its member " + at + " is not in " + k.Collection.Path
		case top && d.New == nil:
			lacks = "it lacks the member " + at + ", which is in " + k.Collection.Path
		default:
			return Fail, strconv.Quote(at) + " is another than in " + k.Collection.Path
		}
	}
	if lacks != "" {
		return Warn, lacks
	}
	return Pass, ""
}
