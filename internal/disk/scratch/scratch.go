// Package scratch creates temporary files that are deleted when they are closed or the program
// ends.
package scratch
