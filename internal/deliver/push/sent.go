package push

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"iter"
	"os"
	"sync"

	"stele/internal/base/layout"
	"stele/internal/base/parallel"
	"stele/internal/deliver/bucket"
)

// journal stores which public files of a release this machine has written, so that an interrupted
// push continues where it stopped. It does not use a list of the objects, because some stores do
// not support lists.
type journal struct {
	mu   sync.Mutex
	on   *os.File // nil if nothing can be stored
	sent map[layout.Short]bool
}

// openJournal opens the journal of the push called name. If continued is false, it discards the
// entries of earlier pushes.
func (o *machineMark) openJournal(name string, continued bool) *journal {
	j := &journal{sent: map[layout.Short]bool{}}
	if o.path == "" {
		return j
	}
	path, head := o.path+".sent", []byte(name+"\n")
	data, err := os.ReadFile(path)
	if err == nil && continued && bytes.HasPrefix(data, head) {
		lines := bufio.NewScanner(bytes.NewReader(data[len(head) : bytes.LastIndexByte(data, '\n')+1]))
		for lines.Scan() {
			j.sent[layout.Shorten(lines.Text())] = true
		}
		head = nil
	} else if os.WriteFile(path, nil, 0o600) != nil {
		return j
	}
	on, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return j
	}
	if _, err := on.Write(head); err != nil {
		on.Close() // the file is not used
		return j
	}
	j.on = on
	return j
}

func (j *journal) contains(key string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.sent[layout.Shorten(key)]
}

// add stores that the file key was sent. If storing fails, the next push sends the file again.
func (j *journal) add(key string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.on != nil {
		j.on.WriteString(key + "\n")
	}
}

// close closes the journal, and deletes it if the push is complete.
func (j *journal) close(ended bool) {
	if j.on == nil {
		return
	}
	j.on.Close() // missing entries are sent again
	if ended {
		os.Remove(j.on.Name())
	}
}

// maxFailures is how many files may fail in a row before the store is considered unreachable.
const maxFailures = 2 * atOnce

// doConcurrently calls do for all values concurrently. It tries values that fail for a temporary
// reason again after the others, as long as others succeed.
func doConcurrently[T any](ctx context.Context, values iter.Seq2[T, error], do func(context.Context, T) error) error {
	for before := -1; ; {
		var mu sync.Mutex
		var failed []T
		var last error
		inRow := 0
		err := parallel.Each(ctx, atOnce, values, func(ctx context.Context, v T) error {
			err := do(ctx, v)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				inRow = 0
				return nil
			}
			inRow++
			mayPass := ctx.Err() == nil && bucket.IsTransient(err) && !errors.As(err, new(*lostError))
			if !mayPass || inRow > maxFailures {
				return err
			}
			failed, last = append(failed, v), err
			return nil
		})
		if err != nil || len(failed) == 0 {
			return err
		}
		if before >= 0 && len(failed) >= before {
			return last
		}
		before = len(failed)
		values = func(yield func(T, error) bool) {
			for _, v := range failed {
				if !yield(v, nil) {
					return
				}
			}
		}
	}
}
