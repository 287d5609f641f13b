// Package layout is the form of a release that those who write one and those who read one share:
// where its files lie, which paths it may have, and how a file is sent (sending.go).
package layout

import (
	"fmt"
	"strconv"
	"strings"
)

// Format is the form of release that this program writes: a name and a number. The number is raised
// with whatever an older program must not miss. Programs read releases up to their own number.
const Format = formatName + "3"

// FirstFormat is the form of release before there were others.
const FirstFormat = formatName + "1"

const formatName = "stele-release/"

// CheckFormat refuses a form of release that this program does not read.
func CheckFormat(format string) error {
	number, named := strings.CutPrefix(format, formatName)
	n, err := strconv.ParseUint(number, 10, 32)
	newest, _ := strconv.ParseUint(Format[len(formatName):], 10, 32) // a constant
	switch {
	case !named || err != nil || n == 0:
		return fmt.Errorf("the release has the format %.40q, which is not one of Stele", format)
	case n > newest:
		return fmt.Errorf("the release was made by a newer version of Stele: it has the format %d, and this program reads formats up to %d; update the program", n, newest)
	}
	return nil
}

// MaxExpanded is how many bytes a compressed file of a size may have when it is expanded: a history
// or an archive of events. Readers refuse more, and writers add padding where it would be more.
func MaxExpanded(size int64) int64 {
	const smallest = 4 << 10
	return maxRatio * max(size, smallest)
}

const maxRatio = 256

// MinPacked is the least size of a compressed file that has so many bytes when it is expanded.
func MinPacked(expanded int64) int64 { return (expanded + maxRatio - 1) / maxRatio }

// MaxGivenUp is how many releases one can give up that it was not built on.
const MaxGivenUp = 1000

// What is read into memory at once may have so many bytes. The manifests of the largest releases
// have a few hundred kilobytes.
const (
	MaxManifest = 16 << 20
	MaxLine     = 64 << 20 // of a collection or listing
	MaxHead     = 64 << 10 // of what stands before the records of a collection
)
