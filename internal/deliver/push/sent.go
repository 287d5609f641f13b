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

// journal remembers which files of a release this machine brought to public addresses, so that a
// push that was interrupted goes on where it stopped. Stores do not always say what they have.
type journal struct {
	mu   sync.Mutex
	on   *os.File // nil if nothing can be remembered
	sent map[layout.Short]bool
}

// openJournal opens the journal of a release, sent in a certain way. Only if goOn is set, what an
// earlier push wrote into it counts.
func (o *own) openJournal(of string, goOn bool) *journal {
	j := &journal{sent: map[layout.Short]bool{}}
	if o.path == "" {
		return j
	}
	path, head := o.path+".sent", []byte(of+"\n")
	data, err := os.ReadFile(path)
	if err == nil && goOn && bytes.HasPrefix(data, head) {
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
		on.Close() // it is not used
		return j
	}
	j.on = on
	return j
}

func (j *journal) has(key string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.sent[layout.Shorten(key)]
}

// add remembers a file that was sent. If that fails, it is sent again.
func (j *journal) add(key string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.on != nil {
		j.on.WriteString(key + "\n")
	}
}

// close closes the journal, and removes it once it is not needed any more.
func (j *journal) close(ended bool) {
	if j.on == nil {
		return
	}
	j.on.Close() // what it lacks is sent again
	if ended {
		os.Remove(j.on.Name())
	}
}

// mostFailures is how many of the files may fail, one after the other, before the store is taken
// for gone.
const mostFailures = 2 * atOnce

// eachOf does something with all values, several at a time. Those that fail for a reason that may
// pass are tried again after the others, as long as there is progress.
func eachOf[T any](ctx context.Context, values iter.Seq2[T, error], do func(context.Context, T) error) error {
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
			mayPass := ctx.Err() == nil && bucket.IsPassing(err) && !errors.As(err, new(*lostError))
			if !mayPass || inRow > mostFailures {
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
