// Package race says whether the race detector watches a test. It makes everything about ten times
// as slow, so a test in which one goroutine computes much, and no race can be, does less of it
// then.
package race
