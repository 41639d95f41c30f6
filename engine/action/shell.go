package action

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sched/almanac/engine"
)

// inherited are the variables that a child gets from the server's own environment, LC_* besides. Everything else that the server knows,
// a secret among it perhaps, stays with the server.
var inherited = []string{"PATH", "HOME", "LANG", "TZ", "TMPDIR", "USER", "SHELL"}

const defaultPath = "PATH=/usr/local/bin:/usr/bin:/bin"

// command turns a shell attempt into the request for a child. A mistake that only the file system shows (no such script) is found here.
func (r *Runner) command(a engine.Attempt) (*spawn, error) {
	sh := a.Action.Shell
	folder, err := filepath.Abs(a.Folder)
	if err != nil {
		return nil, fmt.Errorf("find the workflow's folder: %w", err)
	}
	argv, err := argv(sh, folder)
	if err != nil {
		return nil, err
	}
	dir := sh.Dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(folder, dir)
	}
	env, err := environment(os.Environ(), sh.Env, r.variables(a))
	if err != nil {
		return nil, err
	}
	for _, arg := range append(argv, dir) {
		if strings.ContainsRune(arg, 0) {
			return nil, errors.New("a command, argument or folder holds a NUL byte, which no process can be given")
		}
	}
	return &spawn{
		Attempt: a.ID, Fence: a.Fence, Argv: argv, Env: env, Dir: dir,
		Timeout: a.Action.Timeout, Grace: r.config.Grace, LogLimit: r.config.LogLimit,
		Lease: lease{instantOf(a.Until), r.config.Margin}, Secrets: a.Secrets,
	}, nil
}

// argv is the command line of a shell action. The arguments become "$@" in both forms and are never part of a text that a shell reads.
func argv(sh *engine.Shell, folder string) ([]string, error) {
	var line []string
	switch {
	case sh.Script != "" && sh.Command != "":
		return nil, errors.New("both a command and a script")
	case sh.Script != "":
		if !filepath.IsLocal(sh.Script) {
			return nil, fmt.Errorf("script %q is not inside the workflow's folder", sh.Script)
		}
		script := filepath.Join(folder, sh.Script)
		direct, err := runsItself(script)
		if err != nil {
			return nil, err
		}
		if !direct {
			line = []string{"/bin/sh"}
		}
		line = append(line, script)
	case sh.Command != "":
		line = []string{"/bin/sh", "-c", string(sh.Command), "sh"}
	default:
		return nil, errors.New("neither a command nor a script")
	}
	for _, arg := range sh.Args {
		line = append(line, string(arg))
	}
	return line, nil
}

// CheckScript says, in words, why a file cannot be run as the script of a shell action; nil when it can be.
func CheckScript(path string) error {
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("does not exist: there is no file %s", path)
	case err != nil:
		return fmt.Errorf("cannot be read: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return fmt.Errorf("cannot be read: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("is no file: %s", path)
	case info.Mode()&0o111 != 0:
		return nil
	}
	first, _ := bufio.NewReader(io.LimitReader(f, 256)).ReadString('\n') // without a whole line it names no interpreter
	interpreter, named := strings.CutPrefix(strings.TrimSpace(first), "#!")
	if fields := strings.Fields(interpreter); named && len(fields) > 0 && filepath.Base(fields[0]) != "sh" {
		return fmt.Errorf("is not executable, so that /bin/sh would read it instead of %s; make it executable: chmod +x %s", strings.Join(fields, " "), path)
	}
	return nil
}

// CheckCommand says, in words, why a shell cannot start a file by its path; nil when it can.
func CheckCommand(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("does not exist: there is no file %s", path)
	case err != nil:
		return fmt.Errorf("cannot be looked at: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("is no file: %s", path)
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("is not executable; make it executable: chmod +x %s", path)
	}
	return nil
}

// runsItself reports that a script is executable and names its interpreter in its first line.
func runsItself(script string) (bool, error) {
	f, err := os.Open(script)
	if err != nil {
		return false, fmt.Errorf("script: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, fmt.Errorf("script: %w", err)
	}
	if !info.Mode().IsRegular() {
		return false, fmt.Errorf("script %s is not a file", script)
	}
	if info.Mode()&0o111 == 0 {
		return false, nil
	}
	var first [2]byte
	_, err = io.ReadFull(f, first[:])
	return err == nil && string(first[:]) == "#!", nil
}

// variables are what every attempt is told about itself.
func (r *Runner) variables(a engine.Attempt) []string {
	variables := []string{
		// First, so that it stands early in /proc/<pid>/environ: it is also the mark by which stray processes are known.
		outputVariable + outputPath(r.config.Dir, a.ID),
		"ALMANAC_WORKFLOW=" + a.Ref.Workflow,
		"ALMANAC_JOB=" + a.Ref.Job,
		"ALMANAC_INSTANCE=" + strconv.FormatInt(a.Instance, 10),
		"ALMANAC_ATTEMPT=" + strconv.Itoa(a.Number),
		"ALMANAC_PLAN_TIME=" + engine.PlanTimeText(a.PlanTime),
		"ALMANAC_FENCE=" + strconv.FormatInt(a.Fence, 10),
		"ALMANAC_STEP=" + a.Step,
	}
	if a.Traceparent != "" {
		variables = append(variables, "TRACEPARENT="+a.Traceparent)
	}
	return variables
}

// outputVariable begins the entry of a child's environment that names its output file. The path holds the data directory and the
// attempt's id, so that no other server's children carry the same.
const outputVariable = "ALMANAC_OUTPUT="

func outputPath(dir string, attempt int64) string {
	return filepath.Join(dir, runFolder, outputFolder, strconv.FormatInt(attempt, 10))
}

// environment builds a child's environment: the attempt's own variables, which nothing overrides, the action's, and the allowed ones of
// the server's. The order is fixed.
func environment(server []string, action map[string]engine.Text, own []string) ([]string, error) {
	env := slices.Clone(own)
	taken := make(map[string]bool, len(own)+len(action))
	for _, entry := range own {
		name, _, _ := strings.Cut(entry, "=")
		taken[name] = true
	}
	names := make([]string, 0, len(action))
	for name, value := range action {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(string(value), 0) {
			return nil, fmt.Errorf("environment variable %q cannot be given to a process", name)
		}
		if !taken[name] {
			names = append(names, name)
			taken[name] = true
		}
	}
	slices.Sort(names)
	for _, name := range names {
		env = append(env, name+"="+string(action[name]))
	}
	for _, entry := range server {
		name, _, _ := strings.Cut(entry, "=")
		if !taken[name] && (slices.Contains(inherited, name) || strings.HasPrefix(name, "LC_")) {
			env = append(env, entry)
			taken[name] = true
		}
	}
	if !taken["PATH"] {
		env = append(env, defaultPath)
	}
	return env, nil
}
