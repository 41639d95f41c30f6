package main

import (
	"context"
	"os"
	_ "time/tzdata" // the zones of the definitions, wherever the program runs
)

// version is set by the linker: -X main.version=v1.2.3.
var version = ""

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
