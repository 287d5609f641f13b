package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"reflect"

	"stele/record"
	"stele/release"
)

// ErrTooOld says that a release does not tell what changed since an earlier one: that is too long
// ago, or too much changed. Read all records then.
var ErrTooOld = errors.New("the release does not tell what changed since then")

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

// decode reads a record of a type.
func decode[T any](line []byte) (*T, error) {
	r := new(T)
	return r, json.Unmarshal(line, r)
}

// All reads the records of the kind that has a type, such as record.Signal, in their order. An
// error is the last that comes. The collection is verified before the first record is given away.
func All[T any](ctx context.Context, c *Client) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		k, err := kindOf[T]()
		if err == nil {
			err = c.verifyKind(ctx, k.Name)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for line, err := range c.release.Records(k.Name) {
			var r *T
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				r, err = decode[T](line)
			}
			if !yield(r, err) || err != nil {
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
	for _, err := range c.release.Records(kind) {
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
func Get[T any](ctx context.Context, c *Client, id string) (*T, error) {
	k, err := kindOf[T]()
	if err != nil {
		return nil, err
	}
	listed, whole := false, false
	var entry release.Entry
	for e, err := range c.release.Entries(k.Name) { // to the end, which verifies it
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if e.ID == id {
			entry, listed = e, true
		}
	}
	if listed && k.HasSingle() {
		line, err := c.release.Single(k.Name, id, entry.SHA256)
		if err != nil {
			return nil, err
		}
		return decode[T](line)
	}
	var found *T
	for line, err := range c.release.Records(k.Name) { // to the end, likewise
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		var head struct {
			ID string `json:"id"`
		}
		if whole || json.Unmarshal(line, &head) != nil || head.ID != id {
			continue
		}
		if found, err = decode[T](line); err != nil {
			return nil, err
		}
		whole = true
	}
	if found == nil {
		return nil, fmt.Errorf("there is no %s with the ID %q: %w", k.One, id, fs.ErrNotExist)
	}
	return found, nil
}

// Change is what became of a record since an earlier release.
type Change[T any] struct {
	ID     string
	Record *T // as it is now; nil if it is gone
}

// Changes reads what came, changed or went in a kind since an earlier release, in the order in
// which it happened: a record that changed twice comes twice, and the last one is how it is. The
// error is ErrTooOld if the release does not reach back so far.
func Changes[T any](ctx context.Context, c *Client, since string) iter.Seq2[Change[T], error] {
	return func(yield func(Change[T], error) bool) {
		k, err := kindOf[T]()
		if err != nil {
			yield(Change[T]{}, err)
			return
		}
		chain, ok := c.release.Manifest.ChainSince(k.Name, since)
		if !ok {
			yield(Change[T]{}, fmt.Errorf("%s since release %s: %w", k.Many, since, ErrTooOld))
			return
		}
		for _, d := range chain {
			if err := changesOf(ctx, c, k, d, yield); err != nil {
				if !errors.Is(err, errStop) {
					yield(Change[T]{}, err)
				}
				return
			}
		}
	}
}

var errStop = errors.New("no more is wanted")

// changesOf hands out a delta, which is read to its end before that.
func changesOf[T any](ctx context.Context, c *Client, k *record.Kind, d release.Delta,
	yield func(Change[T], error) bool,
) error {
	s, err := c.release.Delta(k.Name, d)
	if err != nil {
		return err
	}
	for _, err := range s.Records() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
	}
	for _, id := range s.Removed {
		if !yield(Change[T]{ID: id}, nil) {
			return errStop
		}
	}
	for line, err := range s.Records() {
		if err != nil {
			return err
		}
		var head struct {
			ID string `json:"id"`
		}
		r, err := decode[T](line)
		if err == nil {
			err = json.Unmarshal(line, &head)
		}
		if err != nil {
			return err
		}
		if !yield(Change[T]{head.ID, r}, nil) {
			return errStop
		}
	}
	return nil
}
