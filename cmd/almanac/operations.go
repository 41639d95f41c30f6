package main

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

// operations are the commands that change instances: one for each operation, all in the same way.
var operations = []struct {
	op                   engine.Operation
	short, long, example string
	flags                func(c *cobra.Command, o *web.OperationOptions)
}{
	{
		engine.OperateRerun, "let ended instances run again",
		`Rerun instances that have ended or are lost: each begins again as the same instance, with its earlier attempts kept. It waits again for what it
waits for, and for a person when its job says confirm: true.

--from failed keeps the steps that succeeded, with their outputs; --step NAME runs that step and those that need it. --downstream also reruns every
ended instance that waits for one of them, by the waits that were recorded.`,
		`  almanac rerun retail/orders@2026-10-01T06:00 --from failed
  almanac rerun job:dwd_* date:2026-11-01..07 state:failed --downstream --dry-run`,
		func(c *cobra.Command, o *web.OperationOptions) {
			c.Flags().StringVar(&o.From, "from", "", "start (the default) or failed")
			c.Flags().StringVar(&o.Step, "step", "", "from this step on")
			c.Flags().StringVar(&o.Version, "version", "", "by which version of the job: original (the default) or latest")
			c.Flags().Bool("downstream", false, "every ended instance that waits for them too")
		},
	},
	{
		engine.OperateForce, "count instances as succeeded",
		`Force instances: each counts as succeeded without running, in the state forced, and what waits for it goes on.`,
		`  almanac force retail/orders@2026-10-01T06:00 --note "loaded by hand"`, nil,
	},
	{
		engine.OperateSkip, "count instances as done without running",
		`Skip instances: each counts as satisfied and does not run.`,
		`  almanac skip job:report date:today state:waiting`, nil,
	},
	{
		engine.OperateFreeze, "hold waiting instances back",
		`Freeze instances that wait, also those whose time is still to come and those that are not planned yet: they do not start before they are let go.`,
		`  almanac freeze workflow:finance date:2026-12-24..26`, nil,
	},
	{
		engine.OperateUnfreeze, "let frozen instances go",
		`Unfreeze instances: what was held back starts when nothing else holds it.`,
		`  almanac unfreeze workflow:finance gate:frozen state:waiting`, nil,
	},
	{
		engine.OperateCancel, "cancel instances",
		`Cancel instances: a waiting one at once, a running one when its processes have ended (TERM, and KILL after a grace). Cancelling twice is cancelling
once.`,
		`  almanac cancel 4217
  almanac cancel retail/orders@2026-10-01T02:00 --note "wrong file"`, nil,
	},
	{
		engine.OperateConfirm, "let instances pass that wait for a person",
		`Confirm instances whose job says confirm: true. Who confirmed is recorded.`,
		`  almanac confirm 4217
  almanac confirm finance/close@2026-10-31T18:00`, nil,
	},
	{
		engine.OperateDetach, "let an instance wait for one upstream instance less",
		`Detach one upstream instance from what instances wait for. The rest of the dependency stays; one that has nothing left is open.`,
		`  almanac detach retail/report@2026-10-01T12:00 --upstream retail/orders@2026-10-01T08:00`,
		func(c *cobra.Command, o *web.OperationOptions) {
			c.Flags().StringVar(&o.Upstream, "upstream", "", "the instance that is not waited for any more: its id, or workflow/job@plan time")
		},
	},
	{
		engine.OperateRunNow, "let waiting instances run without what they wait for",
		`Run instances that wait, whatever their plan time and whatever they wait for. They still need a slot, a free place among those of their job, a
confirmation when the job asks for one, and not to be frozen.`,
		`  almanac run-now retail/report@2026-10-01T12:00 --note "orders will not come"`, nil,
	},
	{
		engine.OperateBoost, "let waiting instances go first",
		`Boost instances that wait: 9 goes first, 1 last.`,
		`  almanac boost job:report date:today state:waiting
  almanac boost 4217 --priority 1`,
		func(c *cobra.Command, o *web.OperationOptions) {
			c.Flags().IntVar(&o.Priority, "priority", 9, "from 1 (last) to 9 (first)")
		},
	},
	{
		engine.OperateReschedule, "let instances start at another time",
		`Reschedule instances that wait: each starts at the given time at the earliest, sooner or later than its plan time. The plan time itself never moves:
it is what the instance stands for, and what others wait for. --to plan takes it back.`,
		`  almanac reschedule retail/report@2026-12-24T12:00 --to 2026-12-24T18:00
  almanac reschedule retail/report@2026-12-24T12:00 --to plan`,
		func(c *cobra.Command, o *web.OperationOptions) {
			c.Flags().StringVar(&o.To, "to", "", "when they start at the earliest: RFC 3339, a time on the clock of the job's zone, or plan")
		},
	},
}

func (a *app) operationCommands() []*cobra.Command {
	var commands []*cobra.Command
	for n := range operations {
		commands = append(commands, a.operationCommand(n))
	}
	return commands
}

// An operationCall is one command line that changes instances.
type operationCall struct {
	request web.OperationRequest
	options web.OperationOptions
	key     string
	yes     bool
	noWait  bool
}

func (a *app) operationCommand(n int) *cobra.Command {
	o := &operations[n]
	call := &operationCall{request: web.OperationRequest{Operation: o.op}}
	c := &cobra.Command{
		Use:   string(o.op) + " INSTANCE-or-SELECTOR...",
		Short: o.short,
		Long: o.long + `

An instance is given by its id or as workflow/job@plan time. A selector is terms that must all hold, such as job:dwd_* date:2026-11-01..07
state:failed tag:finance +2; docs/selectors.md has them all. All of the instances are changed, or none. More than one exact instance needs --yes;
without it the preview is printed and nothing is changed.

What is due on a day to come can be chosen too, by its name or with date:, although it is not planned yet: it is written down for it.

What changes more than 300 instances is carried out by the server step by step, and its progress is shown. It goes on when this command
is interrupted. Nothing that it is about starts before it is through.`,
		Example: o.example,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("%s needs an INSTANCE or a SELECTOR", c.CommandPath())
			}
			return nil
		},
	}
	exits(c, exitFailed, exitNotFound, exitNotPermitted)
	connection := a.addConnection(c)
	c.ValidArgsFunction = a.completeSelectors(connection)
	if o.flags != nil {
		o.flags(c, &call.options)
	}
	addNote(c, &call.request.Note)
	c.Flags().BoolVar(&call.request.DryRun, "dry-run", false, "print what would happen, and change nothing")
	c.Flags().BoolVar(&call.yes, "yes", false, "change more than one exact instance without a preview")
	c.Flags().StringVar(&call.key, "key", "", "idempotency key: the same key is the same operation, and prints the first answer again")
	c.Flags().BoolVar(&call.noWait, "no-wait", false, "do not wait for the end of an operation on many instances")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if downstream, err := c.Flags().GetBool("downstream"); err == nil && downstream {
			call.options.Scope = "downstream"
		}
		if call.options != (web.OperationOptions{}) {
			call.request.Options = &call.options
		}
		call.request.Selector = selectorOf(args)
		return a.operate(c, connection, call, output.value)
	}
	return c
}

// blankTime is a plan time with a blank between day and time, as tables print it.
var blankTime = regexp.MustCompile(`(@\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(?: ([+-]\d{2}:\d{2})(?: |$))?`)

// selectorOf joins arguments to one selector. A plan time may be written with a blank.
func selectorOf(args []string) string {
	return strings.TrimSpace(blankTime.ReplaceAllString(strings.Join(args, " "), "${1}T$2$3 "))
}

func (a *app) operate(c *cobra.Command, n *connection, call *operationCall, form string) error {
	selector, err := engine.ParseSelector(call.request.Selector)
	if err != nil {
		return selectorMistake(err)
	}
	client, err := a.connect(c.Context(), n)
	if err != nil {
		return err
	}
	var header http.Header
	if call.key != "" {
		header = http.Header{"Idempotency-Key": {call.key}}
	}
	ask := !call.request.DryRun && !call.yes && (!selector.One() || call.options.Scope == "downstream")
	if ask {
		call.request.DryRun, header = true, nil
	}
	var result web.OperationResult
	if err := client.post(c.Context(), "operations", header, call.request, &result); err != nil {
		return err
	}
	if result.UnderWay != nil && !call.noWait {
		far, err := a.followOperation(c.Context(), client, *result.UnderWay, form)
		if err != nil {
			return err
		}
		result.UnderWay = &far
	}
	switch {
	case form == "json":
		err = writeJSON(a.stdout, result)
	case result.UnderWay != nil:
		err = a.printProgress(result.UnderWay)
	default:
		err = a.printOperation(a.stdout, &result)
	}
	if err == nil && ask {
		err = usagef("nothing was changed: repeat it with --yes to change %s", count(result.Counts.Changed+result.Counts.Reopened, "instance"))
	}
	return err
}

// printOperation prints what happens to each instance, and the counts.
func (a *app) printOperation(w io.Writer, r *web.OperationResult) error {
	terminal := a.terminal(w)
	if len(r.Changes) > 0 {
		rows := make([][]string, len(r.Changes))
		for n := range r.Changes {
			change := &r.Changes[n]
			id := "-" // it is not planned yet
			if change.ID != 0 {
				id = change.ID.String()
			}
			rows[n] = []string{id, change.Name, string(change.From), string(change.To), string(change.Effect), change.Text}
		}
		dress := func(word string) string { return stateText(engine.State(word), terminal) }
		if err := a.view.table(w, []string{"id", "instance", "from", "to", "effect", "what"}, rows, map[string]func(string) string{"from": dress, "to": dress}); err != nil {
			return err
		}
		if more := r.Total - len(r.Changes); more > 0 {
			fmt.Fprintf(w, "and %d more\n", more)
		}
		fmt.Fprintln(w)
	}
	line := string(r.Operation) + ": " + effectWords(&r.Counts)
	if r.DryRun {
		line += " (dry run: nothing was changed)"
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

// effectWords counts instances by what an operation means for them.
func effectWords(counts *web.EffectCounts) string {
	var parts []string
	for _, of := range []struct {
		n    int
		what engine.Effect
	}{
		{counts.Changed, engine.EffectChanged}, {counts.Reopened, engine.EffectReopened}, {counts.Unchanged, engine.EffectUnchanged},
		{counts.Left, engine.EffectLeft}, {counts.Woken, engine.EffectWoken},
	} {
		if of.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", of.n, of.what))
		}
	}
	return strings.Join(parts, ", ")
}
