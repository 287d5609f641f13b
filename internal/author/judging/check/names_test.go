package check

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestNames compares with a map: of IDs of all lengths, in pieces and tables that grow.
func TestNames(t *testing.T) {
	n, want, r := newNames(), map[string]int32{}, rand.New(rand.NewPCG(1, 2))
	for i := range 100_000 {
		id := fmt.Sprint("sta-", r.IntN(70_000))
		if i%10_000 == 0 {
			id = strings.Repeat(id, i/8) // longer than a piece at last
		}
		was, known := want[id]
		if number := n.numberOf(id); known && number != was || !known && number != -1 {
			t.Fatalf("%.20q has number %d, want %d, %v", id, number, was, known)
		}
		number, isNew := n.add(id)
		if isNew == known {
			t.Fatalf("%.20q is new: %v", id, isNew)
		}
		if want[id] = number; n.idOf(number) != id {
			t.Fatalf("%.20q is %.20q", id, n.idOf(number))
		}
	}
	for id, number := range want {
		if n.numberOf(id) != number || n.idOf(number) != id {
			t.Errorf("%.20q has number %d, want %d", id, n.numberOf(id), number)
		}
	}
}
