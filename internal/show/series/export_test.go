package series

import "testing"

// Little leaves an indicator hardly any memory for as long as a test runs.
func Little(t *testing.T) {
	held, atOnce := maxHeld, mostAtOnce
	maxHeld, mostAtOnce = 1, 0
	t.Cleanup(func() { maxHeld, mostAtOnce = held, atOnce })
}
