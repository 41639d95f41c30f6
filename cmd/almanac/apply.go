package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

func (a *app) applyCommand() *cobra.Command {
	var note string
	c := &cobra.Command{
		Use:   "apply REVIEW FOLDER",
		Short: "load a folder into the running server, exactly as reviewed",
		Long: `Load the definitions of a folder into the running server, as the REVIEW says that was made by almanac plan diff -o json; - is standard input. When the
folder, or what is loaded, is not as it was when the review was made, or when an instance that is due and has not started would be cancelled without
being named there, nothing is changed and the exit status is 3.`,
		Example: `  almanac plan diff pipelines -o json > review.json
  almanac apply review.json pipelines --note "the new source"`,
		Args: exactly("REVIEW", "FOLDER"),
	}
	exits(c, exitFailed, exitInvalid, exitNotPermitted)
	n := a.addConnection(c)
	addNote(c, &note)
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		d, err := a.readReview(args[0])
		if err != nil {
			return err
		}
		f, err := a.load(args[1])
		if err != nil {
			return err
		}
		r, err := a.apply(c.Context(), n, f, d, note)
		if err != nil {
			return err
		}
		if output.value == "json" {
			return writeJSON(a.stdout, r)
		}
		fmt.Fprintf(a.stdout, "%s loaded: %d added, %d changed, %d removed; %s planned anew, %d in their place\n",
			count(r.Jobs, "job"), len(r.Added), len(r.Changed), len(r.Removed), count(r.Replaced, "instance"), r.Planned)
		if r.Later > 0 {
			fmt.Fprintf(a.stdout, "the places of %s are planned within moments\n", count(r.Later, "instance"))
		}
		if r.DueRun+r.DueHeld+r.DueDropped > 0 {
			fmt.Fprintf(a.stdout, "due and not started: %d run, %d held, %d cancelled\n", r.DueRun, r.DueHeld, r.DueDropped)
		}
		return nil
	}
	return c
}

// readReview reads what plan diff -o json has printed.
func (a *app) readReview(file string) (*web.PlanDiff, error) {
	data, err := a.readInput(file)
	if err != nil {
		return nil, err
	}
	d := &web.PlanDiff{}
	if err := json.Unmarshal(data, d); err != nil {
		return nil, &invalidError{fmt.Sprintf("%s is no review: %v; almanac plan diff FOLDER -o json makes one", file, err)}
	}
	if d.At == nil || d.Before.Name != loadedSide || d.After.Fingerprint == "" {
		return nil, &invalidError{fmt.Sprintf("%s does not compare with what is loaded: make one by almanac plan diff FOLDER -o json, without --against", file)}
	}
	return d, nil
}

// apply asks the server to load the folder as reviewed. One that has drifted is invalid.
func (a *app) apply(ctx context.Context, n *connection, f *folder, d *web.PlanDiff, note string) (r web.ApplyReport, err error) {
	definitions, err := sent(f, n)
	if err != nil {
		return r, err
	}
	definitions.Keep = d.Keep
	request := web.ApplyRequest{Definitions: definitions, Loaded: d.Before.Fingerprint, Fingerprint: d.After.Fingerprint, DropDue: d.DropDue, Note: note, Dropped: d.Removed}
	for _, i := range d.Due {
		if i.Fate == engine.DueDropped || i.Fate == engine.DueStranded {
			request.Dropped = append(request.Dropped, i.InstanceName)
		}
	}
	client, err := a.connect(ctx, n)
	if err != nil {
		return r, err
	}
	err = client.post(ctx, path("definitions", "apply"), nil, request, &r)
	var answer *answerError
	if errors.As(err, &answer) && answer.Status == http.StatusPreconditionFailed {
		return r, &invalidError{answer.Error() + "; nothing was changed: compare again, look at it, and apply that"}
	}
	return r, err
}
