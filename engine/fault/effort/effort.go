// Package effort answers one question: how hard do the tests look?
//
// `make test` is for whoever changes something and wants to know within minutes; CI and `make
// torture` have longer. A test that draws its cases draws few of them for the first and many for
// the second, and is the same test: nothing is left out, and what it asserts does not depend on how
// many there were.
package effort

import "os"

// Variable is the variable of the environment that is "long" where tests draw many cases.
const Variable = "ALMANAC_TEST_EFFORT"

// Long reports whether the tests draw many cases.
func Long() bool { return os.Getenv(Variable) == "long" }

// Of is how many cases a test draws.
func Of(few, many int) int {
	if Long() {
		return many
	}
	return few
}
