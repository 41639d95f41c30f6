package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/almanac-sched/almanac/engine/spec"
)

// An app is one run of the program: where it reads and writes, and nothing else. Commands are methods on it.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            map[string]string

	view viewer // who reads it

	json  bool // -o json was asked for: what is said on standard error is JSON too, an object a line
	begun bool // a command has begun: an error before that is one of usage

	problems spec.Problems // of definitions, which are told with the error where that is JSON
}

// run carries out one command line and returns its exit status (exit.go).
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, env: map[string]string{}}
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			a.env[name] = value
		}
	}
	a.view = a.viewerOf()
	root := a.root()
	a.json = wantsJSON(root, args)
	args, err := commandLine(root, args)
	if err == nil {
		root.SetArgs(args)
		if err = root.ExecuteContext(ctx); err == nil {
			return exitDone
		}
	}
	if !a.begun {
		err = &usageError{err.Error()}
	}
	a.tell(err, helpfulCommand(root, args, err))
	return exitCode(err)
}

// helpfulCommand is the command whose help says more about a mistake in a command line; "" for any other error.
func helpfulCommand(root *cobra.Command, args []string, err error) string {
	var usage *usageError
	if !errors.As(err, &usage) {
		return ""
	}
	command, _, unknown := root.Find(args)
	if unknown != nil {
		command = root
	}
	return command.CommandPath() + " --help"
}

// A failure is an error of a command with -o json, as one line on standard error.
type failure struct {
	Error      string   `json:"error"`
	Code       string   `json:"code,omitempty"` // of the server's problem
	Hints      []string `json:"hints,omitempty"`
	ExitStatus int      `json:"exitStatus"`

	Problems spec.Problems `json:"problems,omitempty"` // of definitions
}

// tell prints an error: lines for people, or one JSON object for programs that asked for JSON.
func (a *app) tell(err error, help string) {
	var hints []string
	for _, hint := range []string{hintOf(err), help} {
		if hint != "" {
			hints = append(hints, hint)
		}
	}
	if a.json && err.Error() == "" && len(a.problems) == 0 {
		return // the exit status is all there is to tell: the answer stands on standard output
	}
	if a.json {
		f := failure{Error: err.Error(), Hints: hints, ExitStatus: exitCode(err), Problems: a.problems}
		var answer *answerError
		if errors.As(err, &answer) {
			f.Code = answer.Code
		}
		_ = writeLine(a.stderr, f) // nobody could be told that it failed
		return
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(a.stderr, "almanac: %s\n", text)
	}
	for _, hint := range hints {
		fmt.Fprintf(a.stderr, "hint: %s\n", hint)
	}
}

// root builds the command tree.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "almanac",
		Short: "a data-pipeline scheduler that writes every day down before it begins",
		Long: `Almanac plans data pipelines: each day is written down before it begins, as instances, the instances that each of them waits for, and the
reason for each wait. It then runs them, and can say of each why it runs, waits or failed.`,
		Example: `  almanac validate pipelines           # every mistake of every file
  almanac plan pipelines --date 2026-10-01
  almanac serve pipelines --dev        # plan and run, at http://127.0.0.1:8080`,
		SilenceErrors:    true,
		SilenceUsage:     true,
		PersistentPreRun: func(*cobra.Command, []string) { a.begun = true },
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetHelpCommand(&cobra.Command{Hidden: true, Use: "help"})
	root.Version = build().line()
	root.SetVersionTemplate("{{.Version}}\n")
	for _, c := range []*cobra.Command{
		a.serveCommand(), a.validateCommand(), a.planCommand(), a.applyCommand(), a.reloadCommand(), a.simulateCommand(), a.runCommand(),
		a.jobsCommand(), a.psCommand(), a.historyCommand(), a.explainCommand(), a.logsCommand(), a.watchCommand(), a.waitCommand(), a.triggerCommand(),
		a.pauseCommand(), a.resumeCommand(), a.ordersCommand(),
		a.backfillCommand(), a.alertsCommand(),
		a.statusCommand(), a.healthCommand(), a.clockCommand(), a.workersCommand(), a.auditCommand(), a.verifyCommand(), a.doctorCommand(), a.backupCommand(), a.restoreCommand(),
		a.importCommand(), a.exportCommand(),
		a.contextCommand(), a.tokenCommand(), a.whoamiCommand(), a.schemaCommand(), a.versionCommand(), a.superviseCommand(),
	} {
		root.AddCommand(c)
	}
	root.AddCommand(a.operationCommands()...)
	root.InitDefaultCompletionCmd()
	describeCompletion(root)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { fmt.Fprint(a.stdout, helpText(c)) })
	root.SetUsageFunc(func(c *cobra.Command) error {
		fmt.Fprint(a.stderr, helpText(c))
		return nil
	})
	return root
}

// describeCompletion puts the library's completion commands into our words.
func describeCompletion(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Short = "print the script that lets a shell complete commands, jobs and instances"
		c.Long = "Print a completion script for a shell. The help of each shell's command says where to put it."
		c.Example = "  source <(almanac completion bash)"
		exits(c)
		for _, shell := range c.Commands() {
			shell.Short = "print the script for " + shell.Name()
			exits(shell)
		}
	}
}

// exits says which exit statuses a command can have besides 0 and 2.
func exits(c *cobra.Command, codes ...int) {
	codes = append(codes, exitDone, exitUsage)
	slices.Sort(codes)
	text := make([]string, len(codes))
	for i, code := range codes {
		text[i] = strconv.Itoa(code)
	}
	c.Annotations = map[string]string{"exit": strings.Join(text, " ")}
}

// exitStatus lists the exit statuses of a command, all of them for one that does not say.
func exitStatus(c *cobra.Command) []int {
	var codes []int
	for _, text := range strings.Fields(c.Annotations["exit"]) {
		code, err := strconv.Atoi(text)
		if err == nil {
			codes = append(codes, code)
		}
	}
	if codes == nil {
		for code := range exitMeanings {
			codes = append(codes, code)
		}
	}
	return codes
}

// exactly accepts the named arguments, no more and no fewer.
func exactly(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return usagef("%s needs %s", c.CommandPath(), names[len(args)])
		case len(args) > len(names):
			return usagef("%s does not take %q", c.CommandPath(), args[len(names)])
		}
		return nil
	}
}

// A choice is a flag with a closed set of values.
type choice struct {
	value   string
	allowed []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.allowed, "|") }
func (c *choice) Set(value string) error {
	if !slices.Contains(c.allowed, value) {
		return fmt.Errorf("choose one of %s", strings.Join(c.allowed, ", "))
	}
	c.value = value
	return nil
}

// addChoice adds a flag whose first allowed value is the default.
func addChoice(c *cobra.Command, name, short, usage string, allowed ...string) *choice {
	v := &choice{value: allowed[0], allowed: allowed}
	c.Flags().VarP(v, name, short, usage)
	_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
	return v
}

// addOutput adds -o.
func addOutput(c *cobra.Command, more ...string) *choice {
	return addChoice(c, "output", "o", "how to print the result", append([]string{"table", "json"}, more...)...)
}

// addNote adds --note, for commands that act.
func addNote(c *cobra.Command, note *string) {
	c.Flags().StringVar(note, "note", "", "why; written to the history")
}

// defaultData is the data directory where none is named.
const defaultData = "./.almanac"

// addData adds --data.
func (a *app) addData(c *cobra.Command) *string {
	dir := a.env["ALMANAC_DATA"]
	if dir == "" {
		dir = defaultData
	}
	return c.Flags().String("data", dir, "data directory (env ALMANAC_DATA)")
}

// terminal reports whether w is a terminal that understands cursor movements.
func (a *app) terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && a.env["TERM"] != "dumb" && term.IsTerminal(int(f.Fd()))
}

// warn prints a line beside the output proper.
func (a *app) warn(format string, args ...any) {
	if a.json {
		_ = writeLine(a.stderr, map[string]string{"warning": fmt.Sprintf(format, args...)})
		return
	}
	fmt.Fprintf(a.stderr, format+"\n", args...)
}

// addSlots adds --slots. Its default is not in the help, which is the same on every machine.
func addSlots(c *cobra.Command) *int {
	return c.Flags().Int("slots", 0, "attempts at once; a step of type none needs none (default four times the processors)")
}

// slotsOf is the value of --slots.
func slotsOf(c *cobra.Command, given int) (int, error) {
	switch {
	case !c.Flags().Changed("slots"):
		return 4 * runtime.NumCPU(), nil // most attempts wait for something other than a processor
	case given < 1:
		return 0, usagef("--slots is %d; at least 1 is needed", given)
	}
	return given, nil
}

// absolute is the path as the server will see it after any change of directory.
func absolute(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find the folder %s: %w", path, err)
	}
	return abs, nil
}
