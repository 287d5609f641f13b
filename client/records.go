package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"reflect"

	"stele/internal/base/layout"
	"stele/record"
	"stele/release"
)

// ErrTooOld says that a release does not tell what changed since an earlier one: that is too long
// ago, or too much changed. Read all records then.
var ErrTooOld = errors.New("the release does not tell what changed since then")

// recordOf is a type of records, such as record.Signal: a pointer to one is a Record.
type recordOf[T any] interface {
	*T
	record.Record
}

// kindOf is the kind whose records have a type.
func kindOf[T any]() (*record.Kind, error) {
	want := reflect.TypeFor[*T]()
	for _, k := range record.Kinds {
		if reflect.TypeOf(k.New()) == want {
			return k, nil
		}
	}
	return nil, fmt.Errorf("%s is not a kind of record", want.Elem())
}

// Found is a record with its standing. A record that was retracted, or that rests on one which was,
// comes like any other, and Standing tells it.
type Found[T any] struct {
	ID       string
	Record   *T                // nil if it is gone
	Standing *release.Standing // why it does not stand as it is; nil if it does
}

// standing returns why a record does not stand as it is, or nil.
func (c *Client) standing(ctx context.Context, id string) (*release.Standing, error) {
	c.mu.Lock()
	all := c.standings
	c.mu.Unlock()
	if all == nil {
		all = map[string]*release.Standing{}
		for s, err := range c.Release(ctx).Standings() {
			if err != nil {
				return nil, err
			}
			all[s.ID] = &s
		}
		c.mu.Lock()
		c.standings = all
		c.mu.Unlock()
	}
	return all[id], nil
}

// decode reads a record of a type.
func decode[T any](ctx context.Context, c *Client, line []byte) (f Found[T], err error) {
	r := new(T)
	if err := json.Unmarshal(line, r); err != nil {
		return f, err
	}
	f.ID, f.Record = string(any(r).(record.Record).Common().ID), r
	f.Standing, err = c.standing(ctx, f.ID)
	return f, err
}

// All reads the records of the kind that has a type, such as record.Signal, in their order. An
// error is the last that comes. The collection is verified before the first record is given away.
func All[T any, P recordOf[T]](ctx context.Context, c *Client) iter.Seq2[Found[T], error] {
	return func(yield func(Found[T], error) bool) {
		k, err := kindOf[T]()
		if err == nil {
			err = c.verifyKind(ctx, k.Name)
		}
		if err != nil {
			yield(Found[T]{}, listedFile("", err))
			return
		}
		for line, err := range c.Release(ctx).Records(k.Name) {
			var f Found[T]
			if err == nil {
				f, err = decode[T](ctx, c, line)
			}
			if !yield(f, listedFile("", err)) || err != nil {
				return
			}
		}
	}
}

// verifyKind reads a collection to its end, which verifies it. At an address that is done when it
// is fetched.
func (c *Client) verifyKind(ctx context.Context, kind string) error {
	if c.source != nil {
		return nil
	}
	return readAll(ctx, c.Release(ctx).Records(kind))
}

// readAll reads lines to their end.
func readAll(ctx context.Context, lines iter.Seq2[[]byte, error]) error {
	for _, err := range lines {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Get reads the record with an ID. The error is fs.ErrNotExist if there is none.
//
// The first call for a kind reads its listing, or its collection where records have no files of
// their own, to its end. Later ones read a few lines of it, and one small file.
func Get[T any, P recordOf[T]](ctx context.Context, c *Client, id string) (none Found[T], err error) {
	k, err := kindOf[T]()
	if err != nil {
		return none, err
	}
	line, err := c.readOne(ctx, k, id)
	if err != nil {
		return none, err
	}
	return decode[T](ctx, c, line)
}

// Record does what [Get] does for who has no type: it reads the JSON of the record of a kind, such
// as signal, that has an ID, and why it does not stand as it is, or nil.
func (c *Client) Record(ctx context.Context, kind, id string) ([]byte, *release.Standing, error) {
	k := record.KindNamed(kind)
	if k == nil {
		return nil, nil, fmt.Errorf("%q is not a kind of record", kind)
	}
	line, err := c.readOne(ctx, k, id)
	if err != nil {
		return nil, nil, err
	}
	is, err := c.standing(ctx, id)
	return line, is, err
}

// readOne reads the JSON of the record with an ID.
func (c *Client) readOne(ctx context.Context, k *record.Kind, id string) (line []byte, err error) {
	of := c.release.Manifest.Kind(k.Name)
	if of == nil { // made before there was such a kind
		return nil, notThere(k, id)
	}
	path, hasOwn := of.Collection, of.Single != "" && !c.hasFetched(of.Collection)
	if hasOwn {
		path = of.Listing
	}
	switch line, err = c.find(ctx, path, id); {
	case err != nil:
		return nil, listedFile(path, err)
	case line == nil:
		return nil, notThere(k, id)
	case !hasOwn:
		return line, nil
	}
	e, err := release.Line{Text: line}.Entry()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	line, err = c.Release(ctx).Single(k.Name, id, e.SHA256)
	return line, listedFile(of.SinglePath(id), err)
}

// hasFetched reports whether a file was fetched from a service: its records need no request.
func (c *Client) hasFetched(path string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.files[path] != nil
}

// listedFile tells a file that is missing from a record that is: a service that is gone does not
// say that there is no such record.
func listedFile(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if missing := new(fs.PathError); path == "" && errors.As(err, &missing) {
		path = missing.Path
	}
	return &release.DamagedError{Fault: release.Fault{Path: path, Message: path + " is listed, and is not there"}}
}

func notThere(k *record.Kind, id string) error {
	return fmt.Errorf("there is no %s with the ID %q: %w", k.One, id, fs.ErrNotExist)
}

// Changes reads what came, changed or went in a kind since an earlier release, in the order in
// which it happened: a record that changed twice comes twice, and the last one is how it is. The
// error is ErrTooOld if the release does not reach back so far.
func Changes[T any, P recordOf[T]](ctx context.Context, c *Client, since string) iter.Seq2[Found[T], error] {
	return func(yield func(Found[T], error) bool) {
		k, err := kindOf[T]()
		if err != nil {
			yield(Found[T]{}, err)
			return
		}
		chain, ok := c.release.Manifest.ChainSince(k.Name, since)
		if !ok {
			yield(Found[T]{}, fmt.Errorf("%s since release %s: %w", k.Many, since, ErrTooOld))
			return
		}
		for _, d := range chain {
			if err := changesOf(ctx, c, k, d, yield); err != nil {
				if !errors.Is(err, errStop) {
					yield(Found[T]{}, listedFile(d.Path, err))
				}
				return
			}
		}
	}
}

var errStop = errors.New("no more is wanted")

// changesOf hands out a delta, which is read to its end before that.
func changesOf[T any](ctx context.Context, c *Client, k *record.Kind, d layout.Delta,
	yield func(Found[T], error) bool,
) error {
	s, err := c.Release(ctx).Delta(k.Name, d)
	if err == nil {
		err = readAll(ctx, s.Records())
	}
	if err != nil {
		return err
	}
	for _, id := range s.Removed {
		if !yield(Found[T]{ID: id}, nil) {
			return errStop
		}
	}
	for line, err := range s.Records() {
		if err != nil {
			return err
		}
		f, err := decode[T](ctx, c, line)
		if err != nil {
			return err
		}
		if !yield(f, nil) {
			return errStop
		}
	}
	return nil
}
