package sim

import (
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
)

// A gene is what a job of a world is made from: members of the workflow file as text, so that whatever a world runs has come the way of a person's file.
type gene struct {
	name     string
	when     []string
	needs    []string // entries of dependsOn
	rest     []string
	revision int // counts edits; part of the command, so that every version is told apart
	disabled bool
	gone     bool
	confirm  bool
	manual   bool
	kind     string // of the action
	steps    bool

	watch, limit, onFailure string
	deadline                string
	callee                  *gene
	items, parallel         int
}

// A place where clocks or calendars do something worth crossing: a zone and a day.
var crossings = []struct {
	zone string
	day  string
}{
	{"America/New_York", "2027-03-14"}, {"America/New_York", "2026-11-01"}, {"Europe/Berlin", "2027-03-28"}, {"Europe/Berlin", "2026-10-25"},
	{"America/Santiago", "2026-09-06"}, {"America/Santiago", "2027-04-04"}, {"Australia/Lord_Howe", "2026-10-04"}, {"Australia/Lord_Howe", "2027-04-04"},
	{"Asia/Shanghai", "2028-02-29"}, {"UTC", "2028-02-29"}, {"America/New_York", "2028-02-29"}, {"Europe/London", "2028-03-26"},
	{"UTC", "2027-01-01"}, {"Asia/Shanghai", "2026-10-01"}, {"Europe/Berlin", "2027-03-01"}, {"Asia/Kolkata", "2027-05-01"}, {"UTC", "2026-06-10"},
	{"Pacific/Auckland", "2026-09-27"}, {"Asia/Shanghai", "2026-08-03"},
}

// newGene draws a job.
func (w *World) newGene(d dice, n int) *gene {
	g := &gene{name: fmt.Sprintf("j%d", n)}
	w.drawWhen(d, g)
	w.drawWhat(d, g)
	add := func(p float64, format string, args ...any) {
		if d.chance(p) {
			g.rest = append(g.rest, fmt.Sprintf(format, args...))
		}
	}
	add(0.35, "concurrency: %d", d.in(1, 3))
	add(0.6, "overlap: %s", pick(d, "queue", "skip", "skipToLatest", "cancelRunning"))
	add(0.6, "misfire: %s", pick(d, "runAll", "runLatest", "skip"))
	add(0.3, "misfireWindow: %s", pick(d, "PT30M", "PT4H", "PT12H"))
	add(0.4, "priority: %d", d.in(1, 9))
	add(0.3, "spread: %s", pick(d, "PT1M", "PT10M"))
	add(0.4, "onLost: %s", pick(d, "hold", "hold", "retry"))
	add(0.2, "waitTimeout: %s", pick(d, "PT1H", "PT6H", "P1D"))
	add(0.2, "selfDependency: true")
	if d.chance(0.08) {
		g.confirm = true
		g.rest = append(g.rest, "confirm: true")
	}
	if d.chance(0.35) {
		pool := pick(d, "tight", "wide")
		g.rest = append(g.rest, "pool: "+pool, fmt.Sprintf("slots: %d", w.shape.pools[pool]))
	}
	return g
}

func (w *World) drawWhen(d dice, g *gene) {
	add := func(format string, args ...any) { g.when = append(g.when, fmt.Sprintf(format, args...)) }
	start := w.epoch.AddDate(0, 0, -d.in(0, 40)).Truncate(time.Hour)
	if d.chance(0.15) {
		start = w.epoch.Add(d.between(time.Hour, 20*time.Hour)).Truncate(time.Minute)
	}
	begin := "startTime: " + start.UTC().Format("2006-01-02T15:04:05Z")
	switch d.IntN(16) {
	case 0, 1, 2:
		add("%s", begin)
		add("recurrence: {frequency: minute, interval: %d%s}", pick(d, 10, 15, 20, 30, 45, 7), drawCount(d))
	case 3:
		add("cron: \"%s\"", pick(d, "*/15 * * * *", "*/30 * * * *", "*/20 1-22 * * *", "5,35 * * * *"))
	case 4, 5, 6:
		add("%s", begin)
		add("recurrence: {frequency: hour, interval: %d%s}", pick(d, 1, 1, 2, 3, 6), drawCount(d))
	case 7:
		add("cron: \"%s\"", pick(d, "0 * * * *", "15 * * * *", "40 */2 * * *", "0 */8 * * *"))
	case 8, 9, 10:
		add("%s", begin)
		add("recurrence: {frequency: day, schedule: {hours: [%s], minutes: [%s]}}",
			pick(d, "2", "2, 5, 15", "0, 8, 16", "1, 2, 3", "0", "23", "12", "2, 3", "1, 13"), pick(d, "0", "0", "30", "15", "0, 30"))
	case 11:
		add("cron: \"%s\"", pick(d, "30 2 * * *", "0 0 * * *", "30 1 * * *", "0 0,8,16 * * *", "10 3 * * 1-5", "0 12 1 * *", "59 23 * * *"))
	case 12:
		add("%s", begin)
		add("recurrence: {frequency: week, schedule: {weekDays: [%s], hours: [%d], minutes: [0]}}", pick(d, "monday", "monday, thursday", "sunday", "saturday, sunday"), d.IntN(24))
	case 13:
		add("%s", begin)
		add("recurrence: {frequency: month, schedule: {%s, hours: [%d], minutes: [0]}}",
			pick(d, "monthDays: [-1]", "monthDays: [1]", "monthDays: [29]", "monthDays: [31, 1, 15]", "monthlyOccurrences: [{day: sunday, occurrence: -1}]"), d.IntN(24))
	case 14:
		at := w.epoch.Add(d.between(time.Hour, time.Duration(w.shape.days)*24*time.Hour)).UTC().Truncate(time.Minute)
		add("at: [\"%s\"]", at.Format("2006-01-02T15:04:05Z"))
	default:
		if d.chance(0.5) {
			g.manual = true
			add("trigger: manual")
		} else {
			add("recurrence: {frequency: hour, interval: 2, count: %d}", d.in(1, 12))
		}
	}
	if !g.manual && d.chance(0.25) {
		add("timeZone: %s", pick(d, "America/New_York", "Asia/Shanghai", "Europe/Berlin", "UTC", "America/Santiago"))
	}
	if !g.manual && d.chance(0.2) {
		add("dst: {gap: %s, overlap: %s}", pick(d, "shift", "skip"), pick(d, "first", "last", "both"))
	}
	if !g.manual && d.chance(0.15) {
		add("calendar: work")
		add("offCalendar: %s", pick(d, "dryRun", "drop", "previous", "next"))
	}
}

// drawCount draws how often a job runs before it is completed; mostly for ever.
func drawCount(d dice) string {
	if !d.chance(0.2) {
		return ""
	}
	return fmt.Sprintf(", count: %d", d.in(1, 60))
}

func (w *World) drawWhat(d dice, g *gene) {
	g.kind = pick(d, "shell", "shell", "shell", "shell", "http", "none")
	add := func(format string, args ...any) { g.rest = append(g.rest, fmt.Sprintf(format, args...)) }
	g.steps = d.chance(0.2)
	if g.kind != "none" && d.chance(0.6) {
		add("retryPolicy: {retryType: %s, retryInterval: %s, retryCount: %d}", pick(d, "fixed", "exponential"), pick(d, "PT5S", "PT30S", "PT2M"), d.in(1, 3))
	}
	if g.kind == "shell" && d.chance(0.2) {
		add("timeout: %s", pick(d, "PT20S", "PT1M", "PT5M"))
	}
	if d.chance(0.35) {
		add("errorAction: {type: %s, retryPolicy: {retryType: fixed, retryInterval: PT10S, retryCount: 3}}", pick(d, "shell, command: tell", "shell, command: tell", "http, request: {method: POST, uri: \"https://pager.example/\"}", "none"))
	}
}

// drawNeeds draws what a job waits for, among the jobs before it and itself; now and then also one behind it.
func (w *World) drawNeeds(d dice, g *gene, others []*gene) {
	g.needs = nil
	for _, up := range others {
		if up == g || up.manual || g.manual || !d.chance(0.3) {
			continue
		}
		fields := []string{"job: " + up.name}
		add := func(p float64, format string, args ...any) {
			if d.chance(p) {
				fields = append(fields, fmt.Sprintf(format, args...))
			}
		}
		switch d.IntN(8) {
		case 0:
			fields = append(fields, "cycle: previous")
		case 1:
			fields = append(fields, "rule: nearest")
		case 2:
			fields = append(fields, pick(d, "window: {from: -PT2H, to: PT0S, closed: right}", "window: {from: -P1D, to: PT0S}", "window: {from: -PT30M, to: PT30M, closed: both}"))
		}
		add(0.15, "select: %s", pick(d, "any", "last", "first", "2"))
		add(0.4, "onFailed: %s", pick(d, "run", "cancel", "wait"))
		add(0.2, "onMissing: %s", pick(d, "run", "wait", "cancel"))
		add(0.15, "timeout: %s", pick(d, "PT30M", "PT3H"))
		add(0.1, "waitPreviousEnd: true")
		g.needs = append(g.needs, "{"+strings.Join(fields, ", ")+"}")
	}
}

// text is the job as it stands in the workflow file.
func (g *gene) text(b *strings.Builder) {
	fmt.Fprintf(b, "  %s:\n", g.name)
	for _, line := range g.when {
		fmt.Fprintf(b, "    %s\n", line)
	}
	for _, line := range g.rest {
		fmt.Fprintf(b, "    %s\n", line)
	}
	if len(g.needs) > 0 {
		fmt.Fprintf(b, "    dependsOn: [%s]\n", strings.Join(g.needs, ", "))
	}
	if g.deadline != "" && !g.manual {
		fmt.Fprintf(b, "    deadline: %s\n", g.deadline)
	}
	if g.disabled {
		b.WriteString("    state: disabled\n")
	}
	command := fmt.Sprintf("run %s r%d", g.name, g.revision)
	switch {
	case g.watchText(b, command):
	case g.steps:
		fmt.Fprintf(b, `    steps:
      first: {type: shell, command: "%s first", outputs: [rows]}
      left: {needs: [first], type: shell, command: "%s left", onFailure: continue}
      right: {needs: [first], when: "steps.first.outputs.rows != '0'", type: shell, command: "%s right"}
      last: {needs: [left, right], type: none}
`, command, command, command)
	case g.kind == "shell":
		fmt.Fprintf(b, "    action: {type: shell, command: \"%s\"}\n", command)
	case g.kind == "http":
		fmt.Fprintf(b, "    action: {type: http, request: {method: POST, uri: \"https://sink.example/%s/r%d\"}}\n", g.name, g.revision)
	default:
		fmt.Fprintf(b, "    action: {type: none}\n    description: r%d\n", g.revision)
	}
}

// compile makes the workflows of the genes, by the way of a file. A dependency that the loader refuses is left out.
func (w *World) compile(genes []*gene) ([]*engine.Workflow, error) {
	for {
		var b strings.Builder
		fmt.Fprintf(&b, "workflow: w\ntimeZone: %s\npolicy: %s\ncalendars:\n  work: {workDays: [mon, tue, wed, thu, fri], off: [2027-01-01, 2026-10-01..2026-10-03]}\njobs:\n", w.shape.zone, w.shape.policy)
		n := 0
		for _, g := range genes {
			if !g.gone {
				g.text(&b)
				n++
			}
		}
		if n == 0 {
			return nil, nil
		}
		workflows, problems := spec.Load(file(b.String()), "/w")
		if !problems.HasErrors() {
			return workflows, nil
		}
		if !dropNeed(genes, problems, b.String()) && !mendWhen(genes, problems, b.String()) {
			return nil, fmt.Errorf("%w\n%s", problems.Err(), b.String())
		}
	}
}

// mendWhen gives the first job that never fires a schedule that does.
func mendWhen(genes []*gene, problems spec.Problems, text string) bool {
	lines := strings.Split(text, "\n")
	for _, p := range problems {
		for n := min(p.Line, len(lines)) - 1; n >= 0 && p.Severity == spec.Error; n-- {
			name, isJob := strings.CutPrefix(lines[n], "  ")
			if !isJob || strings.HasPrefix(name, " ") {
				continue
			}
			for _, g := range genes {
				if g.name == strings.TrimSuffix(name, ":") && len(g.when) != 1 {
					g.when, g.manual = []string{"cron: \"20 * * * *\""}, false
					return true
				}
			}
			break
		}
	}
	return false
}

// dropNeed takes away a dependency of the first job that the loader complains about; false when there is none left to take.
func dropNeed(genes []*gene, problems spec.Problems, text string) bool {
	lines := strings.Split(text, "\n")
	for _, p := range problems {
		if p.Severity != spec.Error {
			continue
		}
		for n := min(p.Line, len(lines)) - 1; n >= 0; n-- {
			name, isJob := strings.CutPrefix(lines[n], "  ")
			if !isJob || strings.HasPrefix(name, " ") {
				continue
			}
			name = strings.TrimSuffix(name, ":")
			for _, g := range genes {
				if g.name == name && len(g.needs) > 0 {
					g.needs = g.needs[:len(g.needs)-1]
					return true
				}
			}
			break
		}
	}
	for i := len(genes) - 1; i >= 0; i-- {
		if len(genes[i].needs) > 0 {
			genes[i].needs = genes[i].needs[:len(genes[i].needs)-1]
			return true
		}
	}
	return false
}

// A file is a folder with one workflow file.
type file string

// Open implements fs.FS.
func (f file) Open(name string) (fs.File, error) {
	switch name {
	case ".":
		return &opened{info: info{name: ".", dir: true}, list: []fs.DirEntry{info{name: "w.yaml", size: len(f)}}}, nil
	case "w.yaml":
		return &opened{info: info{name: name, size: len(f)}, Reader: strings.NewReader(string(f))}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

type opened struct {
	*strings.Reader
	info info
	list []fs.DirEntry
}

func (o *opened) Stat() (fs.FileInfo, error) { return o.info, nil }
func (o *opened) Close() error               { return nil }

// ReadDir implements fs.ReadDirFile.
func (o *opened) ReadDir(int) ([]fs.DirEntry, error) {
	list := o.list
	o.list = nil
	return list, nil
}

type info struct {
	name string
	size int
	dir  bool
}

func (i info) Name() string               { return i.name }
func (i info) Size() int64                { return int64(i.size) }
func (i info) ModTime() time.Time         { return time.Time{} }
func (i info) IsDir() bool                { return i.dir }
func (i info) Sys() any                   { return nil }
func (i info) Info() (fs.FileInfo, error) { return i, nil }
func (i info) Type() fs.FileMode          { return i.Mode().Type() }
func (i info) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o700
	}
	return 0o600
}
