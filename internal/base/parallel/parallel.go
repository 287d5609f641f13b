// Package parallel distributes work over all cores and preserves its order.
package parallel

import (
	"iter"
	"runtime"
	"sync"
)

// Workers returns the number of goroutines to use: n, or one for each core if n is not positive.
func Workers(n int) int {
	if n <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

// Ordered passes the values of in to workers, each of which runs in its own goroutine, and yields
// their results in the order of the values. A worker may return any number of results for a value;
// they are yielded as they arrive, because all of them may not fit into memory. All goroutines have
// ended when the sequence ends.
func Ordered[In, Out any](in iter.Seq[In], workers []func(In) iter.Seq[Out]) iter.Seq[Out] {
	return func(yield func(Out) bool) {
		var running sync.WaitGroup
		defer running.Wait()
		stop := make(chan struct{})
		defer close(stop)
		// Each task is in two queues: one distributes the tasks, the other preserves their order.
		work, order := make(chan task[In, Out], len(workers)), make(chan task[In, Out], 2*len(workers))
		idle := make(chan []Out, 2*len(workers))
		running.Go(func() {
			defer close(order)
			defer close(work)
			for value := range in {
				t := task[In, Out]{value, make(chan []Out, 16), idle, stop}
				for _, queue := range [...]chan task[In, Out]{order, work} {
					select {
					case queue <- t:
					case <-stop:
						return
					}
				}
			}
		})
		for _, do := range workers {
			running.Go(func() {
				for t := range work {
					t.run(do)
				}
			})
		}
		for t := range order {
			for results := range t.results {
				for _, r := range results {
					if !yield(r) {
						return
					}
				}
				clear(results) // release what they refer to
				select {
				case idle <- results[:0]:
				default:
				}
			}
		}
	}
}

// task is one value and the channel for its results.
type task[In, Out any] struct {
	value   In
	results chan []Out // closed after the last result
	idle    chan []Out // slices to reuse
	stop    <-chan struct{}
}

// run sends the results of do in batches.
func (t task[In, Out]) run(do func(In) iter.Seq[Out]) {
	const batchSize = 256 // results in a batch
	defer close(t.results)
	var results []Out
	select {
	case results = <-t.idle:
	default:
	}
	for r := range do(t.value) {
		if results = append(results, r); len(results) < batchSize {
			continue
		}
		if !t.send(results) {
			return
		}
		results = nil
	}
	t.send(results)
}

// send sends a batch and reports whether more results are wanted.
func (t task[In, Out]) send(results []Out) bool {
	select {
	case t.results <- results:
		return true
	case <-t.stop:
		return false
	}
}

// Map calls f with each number from 0 to n-1, on all cores, and yields the results in that order.
func Map[T any](n int, f func(i int) T) iter.Seq[T] {
	workers := make([]func(int) iter.Seq[T], Workers(0))
	for i := range workers {
		workers[i] = func(i int) iter.Seq[T] {
			return func(yield func(T) bool) { yield(f(i)) }
		}
	}
	return Ordered(func(yield func(int) bool) {
		for i := 0; i < n && yield(i); i++ {
		}
	}, workers)
}
