// Package suggest finds what somebody meant who made a slip: a name, a word, an ID or an address
// among those that there are.
package suggest

import "strings"

// To returns the candidate that s was most likely meant to be, or "" if none comes near: by a slip
// of a few letters, or else because s is a part of it. Of equals it is the first.
func To(s string, candidates []string) string {
	best, least := "", max(1, len(s)/3)+1
	lower := strings.ToLower(s)
	for _, c := range candidates {
		if d := Distance([]byte(lower), []byte(strings.ToLower(c)), least); d < least {
			best, least = c, d
		}
	}
	if best == "" {
		return holding(lower, candidates)
	}
	return best
}

// Ask asks, behind a message, whether a candidate was meant that s comes near to; "" for none.
func Ask(s string, candidates []string) string {
	if near := To(s, candidates); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// holding returns the shortest candidate that has s as its beginning, its end or a part between
// hyphens or underscores.
func holding(s string, candidates []string) (best string) {
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

// Distance counts the letters to insert, delete, replace or swap to get from a to b; it gives up at
// most.
func Distance[T comparable](a, b []T, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
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
		if least >= most {
			return most
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
