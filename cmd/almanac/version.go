package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// A versionJSON is the document of version -o json.
type versionJSON struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// build says which program this is.
func build() versionJSON {
	v := versionJSON{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v.Revision = s.Value
			}
		}
		if v.Version == "" && info.Main.Version != "(devel)" {
			v.Version = info.Main.Version
		}
	}
	if v.Version == "" {
		v.Version = "devel"
	}
	return v
}

// line is the version for people.
func (v versionJSON) line() string {
	return fmt.Sprintf("almanac %s (%s, %s)", v.Version, v.Go, v.Platform)
}

func (a *app) versionCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "version",
		Short:   "print the version of this program",
		Long:    `Print the version of this program, the revision that it was built from, and the Go release and platform it was built with.`,
		Example: `  almanac version -o json`,
		Args:    exactly(),
	}
	exits(c)
	output := addOutput(c)
	c.RunE = func(*cobra.Command, []string) error {
		v := build()
		if output.value == "json" {
			return writeJSON(a.stdout, v)
		}
		_, err := fmt.Fprintln(a.stdout, v.line())
		return err
	}
	return c
}
