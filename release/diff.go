package release

import (
	"context"
	"crypto/sha256"
	"iter"
)

// Change is a record that differs between two releases.
type Change struct {
	Kind     string
	ID       string
	Old, New *Entry // nil if the release does not contain the record
	OldJSON  []byte // set if both releases contain it; valid until the next iteration
	NewJSON  []byte
}

// Diff compares two releases and yields the differences by kind, sorted by ID. It omits derived
// records, which differ only if others do, and change events, which report the same differences. It
// does not download collections that both manifests list with the same digest. It stops when the
// context ends.
func Diff(ctx context.Context, old, now *Release) iter.Seq2[Change, error] {
	old, now = old.Within(ctx), now.Within(ctx)
	return func(yield func(Change, error) bool) {
		for _, k := range now.Manifest.Kinds {
			if k.Kind != changeEvents && !diffKind(old, now, k.Kind, yield) {
				return
			}
		}
		for _, k := range old.Manifest.Kinds {
			if k.Kind != changeEvents && now.Manifest.Kind(k.Kind) == nil && !diffKind(old, now, k.Kind, yield) {
				return
			}
		}
	}
}

// diffKind compares the sorted records of both releases.
func diffKind(old, now *Release, kind string, yield func(Change, error) bool) bool {
	before, after := old.Manifest.Kind(kind), now.Manifest.Kind(kind)
	if before != nil && after != nil && (!old.Local() || !now.Local()) &&
		old.Manifest.File(before.Collection).SHA256 == now.Manifest.File(after.Collection).SHA256 {
		return true
	}
	a, stopA := iter.Pull2(old.Listed(kind))
	defer stopA()
	b, stopB := iter.Pull2(now.Listed(kind))
	defer stopB()
	x, errX, okX := a()
	y, errY, okY := b()
	for okX || okY {
		for _, err := range []error{errX, errY} {
			if err != nil {
				yield(Change{}, err)
				return false
			}
		}
		c := Change{Kind: kind}
		switch {
		case okX && (!okY || x.ID < y.ID):
			c.ID, c.Old = x.ID, &x.Entry
		case okY && (!okX || y.ID < x.ID):
			c.ID, c.New = y.ID, &y.Entry
		default:
			c = Change{kind, x.ID, &x.Entry, &y.Entry, x.JSON, y.JSON}
		}
		same := c.Old != nil && c.New != nil && c.Old.SHA256 == c.New.SHA256
		if !same && !yield(c, nil) {
			return false
		}
		if c.Old != nil {
			x, errX, okX = a()
		}
		if c.New != nil {
			y, errY, okY = b()
		}
	}
	return true
}

// listed is a record with its entry in the listing.
type listed struct {
	Entry
	JSON []byte // valid until the next iteration
}

// Listed yields the records of a kind with their entries, without derived records. It checks the
// digest of each record.
func (r *Release) Listed(kind string) iter.Seq2[listed, error] {
	return func(yield func(listed, error) bool) {
		k := r.Manifest.Kind(kind)
		if k == nil || k.Count <= k.Derived {
			return
		}
		lines, stop := iter.Pull2(r.Records(kind))
		defer stop()
		line, errLine, ok := lines() // opens the collection first, as a client may derive the listing from it
		for e, err := range r.Entries(kind) {
			if err == nil {
				err = errLine
			}
			if err == nil && (!ok || sha256.Sum256(line) != e.SHA256) {
				err = damagedError("", "%s %s does not match its listing", kind, e.ID)
			}
			if !yield(listed{e, line}, err) || err != nil {
				return
			}
			line, errLine, ok = lines()
		}
	}
}
