// Package layout defines the form of a release for the code that writes releases and the code that
// reads them: the paths of its files, the grammar of paths, and the headers with which files are
// sent (sending.go).
package layout

import (
	"fmt"
	"strconv"
	"strings"
)

// Format is the release format that this program writes. Its number increases with each change that
// older programs must not ignore. Programs read formats up to their own number.
const Format = formatName + "3"

// FirstFormat is the oldest release format.
const FirstFormat = formatName + "1"

const formatName = "stele-release/"

// CheckFormat returns an error if this program cannot read the release format.
func CheckFormat(format string) error {
	number, named := strings.CutPrefix(format, formatName)
	n, err := strconv.ParseUint(number, 10, 32)
	newest, _ := strconv.ParseUint(Format[len(formatName):], 10, 32) // a constant
	switch {
	case !named || err != nil || n == 0:
		return fmt.Errorf("the release's format %.40q is not a Stele format", format)
	case n > newest:
		return fmt.Errorf("the release has format %d, and this program reads formats up to %d: update the program", n, newest)
	}
	return nil
}

// MaxExpanded returns the greatest expanded size of a history or an archive of events whose
// compressed file has size bytes. Readers refuse more, and writers add padding to stay below it.
func MaxExpanded(size int64) int64 {
	const smallest = 4 << 10
	return maxRatio * max(size, smallest)
}

const maxRatio = 256

// MinPacked returns the least compressed size that readers accept for a file of expanded bytes.
func MinPacked(expanded int64) int64 { return (expanded + maxRatio - 1) / maxRatio }

// MaxGivenUp is the greatest number of releases that one release can replace without following
// them.
const MaxGivenUp = 1000

// Limits on the data that is read into memory at once, in bytes. The manifests of the largest
// releases have a few hundred kilobytes.
const (
	MaxManifest = 16 << 20
	MaxAreas    = 256 << 20 // both tables of a scheme of areas, as JSON
	MaxLine     = 64 << 20  // of a collection or listing
	MaxHead     = 64 << 10  // of a collection's header
)
