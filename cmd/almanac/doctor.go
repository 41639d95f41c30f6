package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) doctorCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "doctor",
		Short: "say what is wrong with a data directory and this machine, and what to do",
		Long: `Look at a data directory and at the machine under it, without changing anything, and name the remedy for each thing that is wrong or will be: permissions, file
system, free space, ballast, who holds the lock, server and supervisor, schema, the write-ahead log, the clock, restarts of the machine, time zone rules, processes that
were left behind, and the pages of the database. Whether the records keep what is promised is what almanac verify checks.`,
		Example: `  almanac doctor
  almanac doctor --data /var/lib/almanac -o json`,
		Args: exactly(),
	}
	exits(c, exitFailed)
	data := a.addData(c)
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		dir, err := absolute(*data)
		if err != nil {
			return err
		}
		d := &diagnosis{dir: dir}
		d.examine(c.Context())
		if output.value == "json" {
			err = writeJSON(a.stdout, map[string]any{"data": dir, "findings": d.findings})
		} else {
			err = a.printDiagnosis(d)
		}
		if err == nil && d.worst() == bad {
			err = &failedError{"something is wrong with " + *data}
		}
		return err
	}
	return c
}

// How a finding is meant: as it should be, worth knowing, or in the way.
const (
	good  = "ok"
	doubt = "warning"
	bad   = "wrong"
)

// A finding is one thing that was looked at.
type finding struct {
	Subject string `json:"subject"`
	Verdict string `json:"verdict"` // ok, warning or wrong
	Words   string `json:"words"`
	Remedy  string `json:"remedy,omitempty"` // what to do; of everything that is not ok
}

// A diagnosis is what was found of one data directory.
type diagnosis struct {
	dir      string
	findings []finding
	server   bool // one answers
}

func (d *diagnosis) well(subject, format string, args ...any) {
	d.findings = append(d.findings, finding{Subject: subject, Verdict: good, Words: fmt.Sprintf(format, args...)})
}

func (d *diagnosis) doubt(subject, remedy, format string, args ...any) {
	d.findings = append(d.findings, finding{subject, doubt, fmt.Sprintf(format, args...), remedy})
}

func (d *diagnosis) wrong(subject, remedy, format string, args ...any) {
	d.findings = append(d.findings, finding{subject, bad, fmt.Sprintf(format, args...), remedy})
}

func (d *diagnosis) worst() string {
	worst := good
	for _, f := range d.findings {
		if f.Verdict == bad || f.Verdict == doubt && worst == good {
			worst = f.Verdict
		}
	}
	return worst
}

// examine looks at everything, from the directory up to the rows. What cannot be looked at because of an earlier finding is left out.
func (d *diagnosis) examine(ctx context.Context) {
	if !d.directory() {
		return
	}
	d.fileSystem()
	d.space()
	d.processes(ctx)
	d.clock()
	d.zones()
	d.database(ctx)
}

func (a *app) printDiagnosis(d *diagnosis) error {
	var rows [][]string
	for _, f := range d.findings {
		rows = append(rows, []string{f.Subject, f.Verdict, f.Words})
	}
	if err := a.view.table(a.stdout, []string{"subject", "verdict", "found"}, rows, nil); err != nil {
		return err
	}
	for _, f := range d.findings {
		if f.Verdict != good {
			fmt.Fprintf(a.stdout, "\n%s: %s\n  %s\n", f.Subject, printable(f.Words), printable(f.Remedy))
		}
	}
	return nil
}
