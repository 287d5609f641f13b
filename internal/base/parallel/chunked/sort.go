package chunked

import (
	"slices"
	"strings"
)

// runSize is the number of numbers that are sorted at a time.
const runSize = 1 << 16

// run is a sorted list of numbers that are still to be merged.
type run struct {
	numbers []int32
	at      int    // index of the first number's text
	text    string // the first number's text
}

// SortByText sorts numbers by the texts that text returns for them. It sorts a long list in runs
// and merges these, so that each text that is only in the file of m is read a few times and not for
// every comparison.
func SortByText(numbers []int32, m *Memory, text func(int32) string) {
	byText := func(a, b int32) int { return strings.Compare(text(a), text(b)) }
	if slices.IsSortedFunc(numbers, byText) {
		return
	}
	if len(numbers) <= runSize {
		slices.SortFunc(numbers, byText)
		return
	}
	var texts Texts
	texts.UseMemory(m)
	var runs []*run
	for part := range slices.Chunk(slices.Clone(numbers), runSize) {
		slices.SortFunc(part, byText)
		runs = append(runs, &run{part, texts.Len(), strings.Clone(text(part[0]))})
		for _, n := range part {
			texts.Add(text(n))
		}
	}
	byNext := func(r *run, text string) int { return strings.Compare(r.text, text) }
	slices.SortFunc(runs, func(a, b *run) int { return byNext(a, b.text) })
	for i := range numbers {
		r := runs[0]
		numbers[i] = r.numbers[0]
		if r.numbers = r.numbers[1:]; len(r.numbers) == 0 {
			runs = runs[1:]
			continue
		}
		r.at++
		r.text = texts.At(r.at)
		to, _ := slices.BinarySearchFunc(runs[1:], r.text, byNext)
		copy(runs, runs[1:to+1])
		runs[to] = r
	}
	texts.starts.Truncate(0)
	texts.units.Truncate(0)
}
