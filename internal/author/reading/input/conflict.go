package input

import (
	"bytes"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// isConflict reports whether a line is one of those that Git leaves where it could not merge.
func isConflict(line string) bool {
	line = strings.TrimRight(line, "\r\n")
	return strings.HasPrefix(line, "<<<<<<< ") || line == "=======" || strings.HasPrefix(line, ">>>>>>> ")
}

// firstConflict returns the number of the first line of a conflict; 0 where there is none.
func firstConflict(data []byte) int32 {
	n := int32(0)
	for line := range bytes.Lines(data) {
		if n++; isConflict(string(line)) {
			return n
		}
	}
	return 0
}

func conflictProblem(file string, line int32) *schema.Problem {
	return fault(codes.Malformed, file, schema.Pos{Line: line}, "a merge conflict that is not resolved",
		"choose between the two parts, and delete the lines that begin with <<<<<<<, ======= and >>>>>>>")
}
