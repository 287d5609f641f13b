//go:build !race

package race

// Enabled says that the detector watches.
const Enabled = false
