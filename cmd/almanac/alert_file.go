package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
)

// addAlerts adds --alerts.
func (a *app) addAlerts(c *cobra.Command) *string {
	return c.Flags().String("alerts", a.env["ALMANAC_ALERTS"], "file of the sinks that are told of trouble (env ALMANAC_ALERTS)")
}

// decodeAlerts reads a file of alerts. Its problems are returned whatever came of it.
func decodeAlerts(path string) (*spec.AlertFile, spec.Problems, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, &invalidError{fmt.Sprintf("read the file of alerts: %v", err)}
	}
	file, problems := spec.DecodeAlerts(path, data)
	if problems.HasErrors() {
		return nil, problems, &invalidError{fmt.Sprintf("%s in %s", count(countErrors(problems), "error"), path)}
	}
	return file, problems, nil
}

// readAlerts reads a file of alerts and prints what is wrong with it; nil when there is none.
func (a *app) readAlerts(path string) (*spec.AlertFile, error) {
	if path == "" {
		return nil, nil
	}
	file, problems, err := decodeAlerts(path)
	a.tellProblems(problems)
	return file, err
}

// unknownSinks lists what jobs tell that the file does not have; without a file nothing is known of the server's sinks.
func unknownSinks(f *folder, told *spec.AlertFile) spec.Problems {
	if told == nil {
		return nil
	}
	return spec.UnknownSinks(f.workflows, told.Names())
}

// checkSinks prints what jobs tell that the file does not have, and refuses it.
func (a *app) checkSinks(f *folder, told *spec.AlertFile) error {
	problems := unknownSinks(f, told)
	if told == nil && slices.ContainsFunc(f.jobs, func(j *engine.Job) bool { return len(j.Notify) > 0 }) {
		a.warn("jobs name sinks in notify, and no file of alerts is given: --alerts FILE")
	}
	if len(problems) == 0 {
		return nil
	}
	a.tellProblems(problems)
	return &invalidError{fmt.Sprintf("%s: jobs tell sinks that the server does not have", count(len(problems), "error"))}
}

// alertsOf is what the engine is told of a file of alerts.
func (s *site) alertsOf(file *spec.AlertFile, page string, secret func(engine.SecretSource) (string, error)) (*engine.Alerts, error) {
	if file == nil {
		return new(engine.Alerts), nil
	}
	sinks, err := s.runner.Sinks(file.Sinks, secret)
	if err != nil {
		return nil, err
	}
	sinks.Page = page
	var missing []error
	for _, one := range file.Sinks {
		for _, source := range []*engine.SecretSource{one.URLFrom, one.Secret, one.Password} {
			if source == nil {
				continue
			}
			if _, err := secret(*source); err != nil {
				missing = append(missing, fmt.Errorf("the sink %s: %w", one.Name, err))
			}
		}
	}
	if len(missing) > 0 {
		return nil, &invalidError{errors.Join(missing...).Error()}
	}
	return &engine.Alerts{Default: file.Default, Repeat: file.Repeat, Notifier: sinks}, nil
}
