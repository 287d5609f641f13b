// Package layout is the form of a release that those who write one and those who read one share:
// where its files lie, which paths it may have, and how a file is sent (sending.go).
package layout

// Format is the form of release that this program writes and reads.
const Format = "stele-release/1"

// What is read into memory at once may have so many bytes. The manifests of the largest releases
// have a few hundred kilobytes.
const (
	MaxManifest = 16 << 20
	MaxLine     = 64 << 20 // of a collection or listing
)
