package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"reflect"

	"stele/internal/base/layout"
	"stele/internal/deliver/fetch"
	"stele/record"
	"stele/release"
)

// ErrTooOld means that a release does not contain the changes since an earlier release, because
// that release is too old or too much changed. Read all records instead.
var ErrTooOld = errors.New("the release does not contain the changes since then")

// recordPointer is a type such as record.Signal whose pointer is a Record.
type recordPointer[T any] interface {
	*T
	record.Record
}

// kindOf returns the kind whose records have the type T.
func kindOf[T any]() (*record.Kind, error) {
	want := reflect.TypeFor[*T]()
	for _, k := range record.Kinds {
		if reflect.TypeOf(k.New()) == want {
			return k, nil
		}
	}
	return nil, fmt.Errorf("%s is not a type of record", want.Elem())
}

// Found is a record with its standing. Retracted records, and records that rest on them, are
// returned like any other; check Standing.
type Found[T any] struct {
	ID       string
	Record   *T                // nil if it was removed
	Standing *release.Standing // why the record is not valid as it is; nil if it is
}

// findStanding returns the reason why a record is not valid as it is, or nil.
func (c *Client) findStanding(ctx context.Context, id string) (*release.Standing, error) {
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

// decodeRecord decodes a record into its type.
func decodeRecord[T any](ctx context.Context, c *Client, line []byte) (f Found[T], err error) {
	r := new(T)
	if err := json.Unmarshal(line, r); err != nil {
		return f, err
	}
	f.ID, f.Record = string(any(r).(record.Record).Common().ID), r
	f.Standing, err = c.findStanding(ctx, f.ID)
	return f, err
}

// All yields the records of a type, such as record.Signal, in the order of the collection. It stops
// after an error. The collection is verified before the first record is returned.
func All[T any, P recordPointer[T]](ctx context.Context, c *Client) iter.Seq2[Found[T], error] {
	return func(yield func(Found[T], error) bool) {
		k, err := kindOf[T]()
		if err == nil && c.source == nil { // a service's collection is verified when it is downloaded
			err = readAll(ctx, c.Release(ctx).Records(k.Name))
		}
		if err != nil {
			yield(Found[T]{}, missingFileError("", err))
			return
		}
		for line, err := range c.Release(ctx).Records(k.Name) {
			var f Found[T]
			if err == nil {
				f, err = decodeRecord[T](ctx, c, line)
			}
			if !yield(f, missingFileError("", err)) || err != nil {
				return
			}
		}
	}
}

// readAll reads lines to the end.
func readAll(ctx context.Context, lines iter.Seq2[[]byte, error]) error {
	for _, err := range lines {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// Get returns the record with the given ID, or an error that matches fs.ErrNotExist if it does not
// exist.
//
// The first call for a kind reads its whole listing, or its collection if its records have no files
// of their own. Later calls read a few lines of that file, and one small file.
func Get[T any, P recordPointer[T]](ctx context.Context, c *Client, id string) (none Found[T], err error) {
	k, err := kindOf[T]()
	if err != nil {
		return none, err
	}
	line, err := c.readOne(ctx, k, id)
	if err != nil {
		return none, err
	}
	return decodeRecord[T](ctx, c, line)
}

// Record returns the JSON and the standing of the record with the given ID, of a kind such as
// signal. The standing is nil if the record is valid as it is. [Get] returns it as a Go type.
func (c *Client) Record(ctx context.Context, kind, id string) ([]byte, *release.Standing, error) {
	k := record.KindNamed(kind)
	if k == nil {
		return nil, nil, fmt.Errorf("unknown kind %q", kind)
	}
	line, err := c.readOne(ctx, k, id)
	if err != nil {
		return nil, nil, err
	}
	is, err := c.findStanding(ctx, id)
	return line, is, err
}

// readOne returns the JSON of the record with the given ID.
func (c *Client) readOne(ctx context.Context, k *record.Kind, id string) (line []byte, err error) {
	of := c.release.Manifest.Kind(k.Name)
	if of == nil { // the release is older than the kind
		return nil, notFoundError(k, id)
	}
	derives := c.source != nil && fetch.DerivesListing(c.release.Manifest, of) // from the collection
	path, hasOwn := of.Collection, of.Single != "" && !derives && !c.isDownloaded(of.Collection)
	if hasOwn {
		path = of.Listing
	}
	switch line, err = c.find(ctx, path, id); {
	case err != nil:
		return nil, missingFileError(path, err)
	case line == nil:
		return nil, notFoundError(k, id)
	case !hasOwn:
		return line, nil
	}
	e, err := release.Line{Text: line}.Entry()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	line, err = c.Release(ctx).Single(k.Name, id, e.SHA256)
	return line, missingFileError(of.SinglePath(id), err)
}

// isDownloaded reports whether a file was downloaded, so that its records need no request.
func (c *Client) isDownloaded(path string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.files[path] != nil
}

// missingFileError converts the error of a missing file of the manifest: an incomplete service does
// not prove that a record does not exist.
func missingFileError(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if missing := new(fs.PathError); path == "" && errors.As(err, &missing) {
		path = missing.Path
	}
	return &release.DamagedError{Fault: release.Fault{Path: path, Message: path + " is listed but missing"}}
}

func notFoundError(k *record.Kind, id string) error {
	return fmt.Errorf("no %s has the ID %q: %w", k.One, id, fs.ErrNotExist)
}

// Changes yields the records of a type that were added, changed or removed since an earlier
// release, in order: a record that changed twice is yielded twice, and the last time it is current.
// The error is ErrTooOld if the release does not contain these changes.
func Changes[T any, P recordPointer[T]](ctx context.Context, c *Client, since string) iter.Seq2[Found[T], error] {
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
			if err := yieldChanges(ctx, c, k, d, yield); err != nil {
				if !errors.Is(err, errStop) {
					yield(Found[T]{}, missingFileError(d.Path, err))
				}
				return
			}
		}
	}
}

var errStop = errors.New("stop reading")

// yieldChanges yields the changes in a delta, after verifying the delta.
func yieldChanges[T any](ctx context.Context, c *Client, k *record.Kind, d layout.Delta,
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
		f, err := decodeRecord[T](ctx, c, line)
		if err != nil {
			return err
		}
		if !yield(f, nil) {
			return errStop
		}
	}
	return nil
}
