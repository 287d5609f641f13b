// Package trial has what all measurements need: the program, and the run in the middle.
package trial

import (
	"cmp"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
)

// Build builds the program of this checkout into a folder and returns where it is.
func Build(dir string) (program string, err error) {
	program = filepath.Join(dir, "stele")
	if out, err := exec.Command("go", "build", "-o", program, "./cmd/stele").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build stele: %w\n%s", err, out)
	}
	return program, nil
}

// Median returns the value in the middle, and of two the larger one.
func Median[T cmp.Ordered](values []T) T {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}
