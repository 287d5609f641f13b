package serve

import "testing"

// TestPieces: clients that do not read what comes from files take little memory, however many they
// are.
func TestPieces(t *testing.T) {
	var rooms [][]byte
	total := 0
	for range 10_000 {
		rooms = append(rooms, getBuffer())
		total += len(rooms[len(rooms)-1])
	}
	for _, room := range rooms {
		putBuffer(room)
	}
	if most := maxPieces*piece + 10_000*smallPiece; total > most {
		t.Errorf("they take %d bytes", total)
	}
	if n := lentPieces.Load(); n != 0 {
		t.Errorf("%d are lent", n)
	}
}
