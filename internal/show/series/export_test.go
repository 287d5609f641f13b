package series

import "testing"

// Little leaves an indicator hardly any memory for as long as a test runs.
func Little(t *testing.T) {
	held, atOnce := mostHeld, mostAtOnce
	mostHeld, mostAtOnce = 1, 0
	t.Cleanup(func() { mostHeld, mostAtOnce = held, atOnce })
}
