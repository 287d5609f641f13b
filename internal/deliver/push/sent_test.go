package push

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/deliver/bucket"
	"stele/internal/testkit/buckettest"
)

// TestGoesOn: a push of public files that was interrupted sends the others when it is run again,
// also to a store that does not say what it has. One of which each third request fails needs one
// run.
func TestGoesOn(t *testing.T) {
	h := newHistory(t)
	one := h.next()
	whole := push(t, open(t, buckettest.Folder(t), quick), one, Options{Site: true}).Site.Written
	var count atomic.Int64
	for name, fails := range map[string]func(n int64) error{
		"gone after a while": func(n int64) error {
			if n > 60 {
				return errors.New("the store is gone")
			}
			return nil
		},
		"not allowed after a while": func(n int64) error {
			if n > 60 {
				return bucket.ErrConflict
			}
			return nil
		},
		"each third": func(n int64) error {
			if n%3 == 0 {
				return errors.New("no answer")
			}
			return nil
		},
	} {
		address, own := buckettest.Folder(t), t.TempDir()
		var written atomic.Int64
		count.Store(0)
		fail := bucket.Options{Pause: time.Microsecond, Before: func(op, key string) error {
			if op == "list" || strings.HasPrefix(key, bucket.StateFolder) && name != "each third" {
				return nil
			}
			err := fails(count.Add(1))
			if err == nil && op == "put" {
				written.Add(1)
			}
			return err
		}}
		_, err := Push(t.Context(), open(t, address, fail), one, Options{Site: true, Own: own})
		if name == "each third" {
			if err != nil {
				t.Errorf("each third request fails: %v", err)
			}
			continue
		}
		if err == nil || written.Load() < 30 {
			t.Fatalf("%s: %d were written: %v", name, written.Load(), err)
		}
		first := written.Swap(0)
		ok := bucket.Options{Pause: time.Microsecond, Before: func(op, key string) error {
			if op == "put" && !strings.HasPrefix(key, bucket.StateFolder) {
				written.Add(1)
			}
			return nil
		}}
		r := push(t, open(t, address, ok), one, Options{Site: true, Own: own})
		if second := written.Load(); first+second > whole+atOnce || r.Site.Written != second {
			t.Errorf("%s: of %d files %d were written, and then %d", name, whole, first, second)
		}
		expectRelease(t, address, idOf(t, one))
	}
}
