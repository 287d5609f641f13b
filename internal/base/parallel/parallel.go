// Package parallel divides work among cores and keeps its order.
package parallel

import (
	"iter"
	"runtime"
	"sync"
)

// Workers returns how many goroutines to use where n is what was asked for: one for each core if
// that is nothing.
func Workers(n int) int {
	if n <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

// Ordered passes the values of a sequence to workers, each of which runs in a goroutine of its own,
// and yields what they make of them in the order of the values. A worker may make any number of
// results of a value; they are handed over as it goes, because there may be more of them than
// memory should hold. All goroutines have ended when the sequence has.
func Ordered[In, Out any](in iter.Seq[In], workers []func(In) iter.Seq[Out]) iter.Seq[Out] {
	return func(yield func(Out) bool) {
		var running sync.WaitGroup
		defer running.Wait()
		stop := make(chan struct{})
		defer close(stop)
		// Tasks wait in two queues: one for the workers, one that keeps the order.
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
				clear(results) // so that they are not kept
				select {
				case idle <- results[:0]:
				default:
				}
			}
		}
	}
}

// task is a value on its way through a worker.
type task[In, Out any] struct {
	value   In
	results chan []Out // closed after the last
	idle    chan []Out // memory of results that were used, to be used again
	stop    <-chan struct{}
}

func (t task[In, Out]) run(do func(In) iter.Seq[Out]) {
	const most = 256 // results that are handed over together
	defer close(t.results)
	var results []Out
	select {
	case results = <-t.idle:
	default:
	}
	for r := range do(t.value) {
		if results = append(results, r); len(results) < most {
			continue
		}
		if !t.handOver(results) {
			return
		}
		results = nil
	}
	t.handOver(results)
}

// handOver reports whether more results are wanted.
func (t task[In, Out]) handOver(results []Out) bool {
	select {
	case t.results <- results:
		return true
	case <-t.stop:
		return false
	}
}

// Map calls f with each number below n, on all cores, and yields what it returns in their order.
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
