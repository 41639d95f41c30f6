//go:build !planted

package fault

// Enabled says that this program was built with the tag planted.
const Enabled = false

// Planted reports whether the bug is planted: in this program none is.
func Planted(Bug) bool { return false }

// Use plants a bug; this program cannot.
func Use(Bug) {}
