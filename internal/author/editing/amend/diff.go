package amend

import (
	"bytes"
	"fmt"
	"slices"
)

// stretch is a difference between two lists: the range of elements in the old one and in the new
// one.
type stretch struct{ from, to, newFrom, newTo int }

// farthest is how many elements differences looks ahead for an element that both lists have.
const farthest = 1000

// differences returns the differences between two lists of lines or values. A difference ends at
// the nearest element that both lists have. The result is not always the shortest, but edits change
// few elements at a time.
func differences[T any](old, now []T, same func(a, b T) bool) (list []stretch) {
	for i, j := 0, 0; i < len(old) || j < len(now); {
		if i < len(old) && j < len(now) && same(old[i], now[j]) {
			i, j = i+1, j+1
			continue
		}
		s := stretch{i, len(old), j, len(now)}
	search:
		for steps := 1; steps <= min(farthest, len(old)-i+len(now)-j); steps++ {
			for x := max(0, steps-(len(now)-j)); x <= min(steps, len(old)-i); x++ {
				y := steps - x
				if i+x < len(old) && j+y < len(now) && same(old[i+x], now[j+y]) {
					s.to, s.newTo = i+x, j+y
					break search
				}
			}
		}
		list = append(list, s)
		i, j = s.to, s.newTo
	}
	return list
}

// Diff returns the changes to the file as a unified diff.
func (f *File) Diff() []byte {
	const context = 3
	if bytes.Equal(f.Old, f.New) {
		return nil
	}
	old, now := slices.Collect(bytes.Lines(f.Old)), slices.Collect(bytes.Lines(f.New))
	b := fmt.Appendf(nil, "diff a/%[1]s b/%[1]s\n--- a/%[1]s\n+++ b/%[1]s\n", f.Path)
	for list := differences(old, now, bytes.Equal); len(list) > 0; {
		n := 1
		for n < len(list) && list[n].from-list[n-1].to <= 2*context {
			n++
		}
		first, last := list[0], list[n-1]
		before, after := min(context, first.from), min(context, len(old)-last.to)
		b = fmt.Appendf(b, "@@ -%d,%d +%d,%d @@\n", first.from-before+1, last.to+after-first.from+before,
			first.newFrom-before+1, last.newTo+after-first.newFrom+before)
		at := first.from - before
		for _, s := range list[:n] {
			b = appendLines(b, ' ', old[at:s.from])
			b = appendLines(appendLines(b, '-', old[s.from:s.to]), '+', now[s.newFrom:s.newTo])
			at = s.to
		}
		b = appendLines(b, ' ', old[at:last.to+after])
		list = list[n:]
	}
	return b
}

func appendLines(b []byte, mark byte, lines [][]byte) []byte {
	for _, line := range lines {
		b = append(append(b, mark), line...)
		if !bytes.HasSuffix(line, []byte("\n")) {
			b = append(b, "\n\\ No newline at end of file\n"...)
		}
	}
	return b
}
