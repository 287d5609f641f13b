package parallel

import (
	"context"
	"iter"
	"sync"
)

// Each calls do for all values, atOnce of them at a time, and stops at the first error, which it
// returns.
func Each[T any](
	ctx context.Context, atOnce int, values iter.Seq2[T, error], do func(context.Context, T) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	queue := make(chan T)
	for range atOnce {
		running.Go(func() {
			for value := range queue {
				if ctx.Err() != nil {
					continue
				}
				if err := do(ctx, value); err != nil {
					cancel(err)
				}
			}
		})
	}
	for value, err := range values {
		if err != nil {
			cancel(err)
		}
		if ctx.Err() != nil {
			break
		}
		queue <- value
	}
	close(queue)
	running.Wait()
	return context.Cause(ctx)
}
