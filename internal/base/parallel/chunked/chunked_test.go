package chunked

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
)

type pair struct {
	a int32
	b [3]byte
}

func of(n int) pair { return pair{int32(n), [3]byte{1, byte(n), byte(n >> 8)}} }

// TestList compares lists that share memories of several bounds with slices, whatever is done to
// them.
func TestList(t *testing.T) {
	for _, bound := range []int{-1, 0, 3 * size * 8, 1 << 30} {
		var memory *Memory
		if bound >= 0 {
			memory = NewMemory(bound, func() (*os.File, error) { return os.CreateTemp(t.TempDir(), "") })
			defer memory.Close()
		}
		random := rand.New(rand.NewPCG(1, 2))
		var lists [3]List[pair]
		var want [3][]pair
		for i := range lists {
			lists[i].UseMemory(memory)
		}
		for range 4_000 {
			i := random.IntN(len(lists))
			l, w := &lists[i], &want[i]
			switch random.IntN(8) {
			case 0:
				n := random.IntN(size) + 1
				*w = append(*w, make([]pair, l.skipped(n))...)
				for j := range l.Extend(n) {
					*w = append(*w, of(j))
					l.Tail(l.Len() - n)[j] = of(j) // as it may be until others are added
				}
			case 1:
				if random.IntN(20) == 0 {
					n := []int{0, random.IntN(len(*w) + 1), len(*w) / size * size}[random.IntN(3)]
					l.Truncate(n)
					*w = (*w)[:n]
				}
			case 2:
				if len(*w) > 0 {
					at := random.IntN(len(*w))
					l.Set(at, of(-at))
					(*w)[at] = of(-at)
				}
			default:
				for range random.IntN(size / 2) {
					v := of(random.Int())
					l.Add(v)
					*w = append(*w, v)
				}
			}
			if len(*w) > 0 {
				if at := random.IntN(len(*w)); *l.At(at) != (*w)[at] {
					t.Fatalf("within %d bytes, %v at %d, want %v", bound, *l.At(at), at, (*w)[at])
				}
			}
		}
		var readers sync.WaitGroup
		for range 3 {
			readers.Go(func() {
				for i := range lists {
					var got []pair
					for v := range lists[i].All {
						got = append(got, *v)
					}
					if lists[i].Len() != len(want[i]) || !slices.Equal(got, want[i]) {
						t.Errorf("within %d bytes, list %d comes out otherwise", bound, i)
					}
				}
			})
		}
		readers.Wait()
		must.Do(t, memory.Err())
		if bound == 0 && (memory.file == nil || memory.inUse > 2*size*8) {
			t.Errorf("%d bytes are in memory", memory.inUse)
		}
	}
}

func (l *List[T]) skipped(n int) int {
	if room := len(l.parts)*size - l.n; room < n {
		return room
	}
	return 0
}

// TestFullDisk: what cannot be put aside stays in memory, and why is known.
func TestFullDisk(t *testing.T) {
	full := errors.New("no space left")
	memory := NewMemory(0, func() (*os.File, error) { return nil, full })
	var l List[int64]
	l.UseMemory(memory)
	for i := range 5 * size {
		l.Add(int64(i))
	}
	if !errors.Is(memory.Err(), full) {
		t.Errorf("%v", memory.Err())
	}
	for i := range 5 * size {
		if *l.At(i) != int64(i) {
			t.Fatalf("%d at %d", *l.At(i), i)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("values with pointers are put aside")
		}
	}()
	new(List[struct{ s string }]).UseMemory(memory)
}

// TestUnreadable writes to a file that cannot be read. The list returns zero values, and Err gives
// the reason in words.
func TestUnreadable(t *testing.T) {
	memory := NewMemory(0, func() (*os.File, error) {
		return os.OpenFile(filepath.Join(t.TempDir(), "scratch"), os.O_CREATE|os.O_WRONLY, 0o600)
	})
	var l List[int64]
	l.UseMemory(memory)
	for i := range 5 * size {
		l.Add(int64(i) + 1)
	}
	must.Do(t, memory.Err())
	if got := *l.At(0); got != 0 {
		t.Errorf("%d was read", got)
	}
	if err := memory.Err(); err == nil || !strings.Contains(err.Error(), "scratch file") {
		t.Errorf("%v", err)
	}
	must.Do(t, memory.Close())
}

// TestSortByText: more numbers than are sorted at once, whose texts lie in a file, come into the
// order that slices would bring them into.
func TestSortByText(t *testing.T) {
	race.LeaveOut(t, "one goroutine sorts")
	m := NewMemory(1<<20, func() (*os.File, error) { return os.CreateTemp(t.TempDir(), "") })
	defer m.Close()
	var texts Texts
	texts.UseMemory(m)
	var numbers []int32
	var plain []string
	draw := rand.New(rand.NewPCG(1, 2))
	for i := range 2*runSize + 7 {
		numbers, plain = append(numbers, int32(i)), append(plain, strconv.FormatUint(draw.Uint64()>>draw.IntN(60), 36))
		texts.Add(plain[i])
	}
	SortByText(numbers, m, func(n int32) string { return texts.At(int(n)) })
	for i, text := range slices.Sorted(slices.Values(plain)) {
		if got := plain[numbers[i]]; got != text {
			t.Fatalf("at %d stands %q, not %q", i, got, text)
		}
	}
	slices.Sort(numbers)
	if len(slices.Compact(numbers)) != len(plain) || m.Err() != nil {
		t.Errorf("%d numbers of %d are left, %v", len(numbers), len(plain), m.Err())
	}
}
