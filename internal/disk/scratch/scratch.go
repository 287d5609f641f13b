// Package scratch makes files for what is needed only while something is done: they are gone when
// they are closed, or when the program ends.
package scratch
