package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine/spec"
)

// A length is a flag that takes a length of time: 5m, 1h30m, 2d or, as workflow files have it, PT5M.
type length time.Duration

func (l *length) Type() string { return "duration" }

func (l *length) String() string {
	if *l == 0 {
		return ""
	}
	return time.Duration(*l).String()
}

func (l *length) Set(text string) error {
	d, err := spec.ParseLength(text)
	*l = length(d)
	return err
}

// addLength adds a flag that takes a length of time.
func addLength(c *cobra.Command, to *time.Duration, name, usage string) {
	c.Flags().Var((*length)(to), name, usage)
}
