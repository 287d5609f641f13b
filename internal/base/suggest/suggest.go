// Package suggest finds the known name, word, ID or address that a misspelt one was meant to be.
package suggest

import "strings"

// Closest returns the candidate that differs from s by a few letters, otherwise one that contains s
// as a part, or "" if no candidate is close. Of equally close candidates it returns the first.
func Closest(s string, candidates []string) string {
	best, least := "", max(1, len(s)/3)+1
	lower := strings.ToLower(s)
	for _, c := range candidates {
		if d := Distance([]byte(lower), []byte(strings.ToLower(c)), least); d < least {
			best, least = c, d
		}
	}
	if best == "" {
		return containingCandidate(lower, candidates)
	}
	return best
}

// DidYouMean returns "; did you mean X?" with the candidate closest to s, to append to a message,
// or "" if no candidate is close.
func DidYouMean(s string, candidates []string) string {
	if near := Closest(s, candidates); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// containingCandidate returns the shortest candidate in which s is the beginning, the end or a part
// between hyphens or underscores.
func containingCandidate(s string, candidates []string) (best string) {
	if len(s) < 4 {
		return ""
	}
	for _, c := range candidates {
		before, after, found := strings.Cut(strings.ToLower(c), s)
		if !found || best != "" && len(c) >= len(best) {
			continue
		}
		if before == "" || strings.ContainsAny(before[len(before)-1:], "-_") &&
			(after == "" || strings.ContainsAny(after[:1], "-_")) {
			best = c
		}
	}
	return best
}

// Distance returns the number of letters to insert, delete, replace or swap to turn a into b, or
// limit if it is not smaller.
func Distance[T comparable](a, b []T, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least >= limit {
			return limit
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
