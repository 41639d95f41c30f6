//go:build !planted

package store

// mutated is the text of a statement: in this program no bug is planted.
func mutated(text string) string { return text }
