package chunked

import (
	"slices"
	"strings"
)

// inRun is how many numbers are sorted at once.
const inRun = 1 << 16

// run is numbers in the order of their texts, as far as they were not taken yet.
type run struct {
	numbers []int32
	at      int    // where the text of the first is kept
	text    string // that
}

// SortByText brings numbers into the order of their texts. Of many it sorts those that stand close
// together and merges what is sorted, so that texts which are put aside in a memory come back a few
// times and not with every comparison.
func SortByText(numbers []int32, m *Memory, text func(int32) string) {
	byText := func(a, b int32) int { return strings.Compare(text(a), text(b)) }
	if slices.IsSortedFunc(numbers, byText) {
		return
	}
	if len(numbers) <= inRun {
		slices.SortFunc(numbers, byText)
		return
	}
	var texts Texts
	texts.In(m)
	var runs []*run
	for part := range slices.Chunk(slices.Clone(numbers), inRun) {
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
	texts.starts.Cut(0)
	texts.units.Cut(0)
}
