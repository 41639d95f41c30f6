package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine/spec"
)

func (a *app) schemaCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "schema",
		Short: "print the JSON Schema of the workflow file, for editors",
		Long: `Print the JSON Schema (2020-12) of the workflow file. An editor that knows it completes keys and underlines mistakes; the first line of a workflow
file tells it where the schema is.`,
		Example: `  almanac schema > pipelines/almanac.schema.json
  # yaml-language-server: $schema=./almanac.schema.json`,
		Args: exactly(),
	}
	exits(c)
	c.RunE = func(*cobra.Command, []string) error {
		schema, err := spec.Schema()
		if err != nil {
			return fmt.Errorf("make the schema: %w", err)
		}
		_, err = fmt.Fprintf(a.stdout, "%s\n", schema)
		return err
	}
	return c
}
