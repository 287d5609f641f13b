package bucket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// errIgnored says that a store takes conditions and does not keep them.
var errIgnored = errors.New("two who publish at the same time could undo each other's releases. Use a store that keeps conditions, or write --single-writer and see to it that only one publishes at a time")

// Probe makes sure that the store keeps conditions: some take them and ignore them. It writes a
// small object and removes it, and returns the time on the store's clock.
func (b *Bucket) Probe(ctx context.Context) (now time.Time, err error) {
	if b.options.SingleWriter {
		return time.Now(), nil
	}
	key := ProbePrefix + nonce()
	write := func(text string, when condition) error {
		body, size := bytesAt([]byte(text))
		return b.put(ctx, key, body, size, Head{Type: "text/plain", Caching: "no-store"}, when)
	}
	if err := write("first", condition{absent: true}); err != nil && !errors.Is(err, ErrConflict) {
		return now, err // a conflict is the echo of a try whose answer was lost
	}
	defer func() { err = errors.Join(err, b.Remove(context.WithoutCancel(ctx), key)) }()
	if err := expectConflict(write("second", condition{absent: true})); err != nil {
		return now, fmt.Errorf("%s: an object that was there was created again: %w", b.name, err)
	}
	if err := expectConflict(write("third", condition{tag: b.objects.wrongTag()})); err != nil {
		return now, fmt.Errorf("%s: an object was replaced by one who did not know it: %w", b.name, err)
	}
	data, is, err := b.Read(ctx, key, 64)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && string(data) != "first":
		return now, fmt.Errorf("%s: what was written is not what is read, right after it: %w", b.name, errIgnored)
	case err != nil:
		return now, err
	}
	err = write("fourth", condition{tag: is.tag})
	if errors.Is(err, ErrConflict) {
		if data, _, readErr := b.Read(ctx, key, 64); readErr == nil && string(data) == "fourth" {
			return is.Modified, nil // again an echo
		}
		return now, fmt.Errorf("%s: an object could not be replaced by one who knew it: %w: %w", b.name, errIgnored, err)
	}
	return is.Modified, err
}

// expectConflict turns a conflict into success, and success into an error.
func expectConflict(err error) error {
	switch {
	case errors.Is(err, ErrConflict):
		return nil
	case err == nil:
		return errIgnored
	}
	return err
}
