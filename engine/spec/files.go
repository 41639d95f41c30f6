package spec

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/almanac-sched/almanac/engine"
)

// A StoredJob is a recorded definition of a job.
type StoredJob struct {
	Ref        engine.JobRef
	Definition []byte // Job.Definition
	Folder     string
}

// An ExportedFile is a workflow file that says what recorded definitions say.
type ExportedFile struct {
	Workflow string
	Name     string // of the file
	Text     []byte
}

// ExportFiles writes recorded definitions as workflow files, one for each workflow: loading them gives the same definitions again. The notes are what a
// file cannot say; a job with one that has no counterpart at all is an error.
func ExportFiles(jobs []StoredJob) (files []ExportedFile, notes []string, err error) {
	sorted := slices.Clone(jobs)
	slices.SortFunc(sorted, func(a, b StoredJob) int { return strings.Compare(a.Ref.String(), b.Ref.String()) })
	byWorkflow := map[string][]StoredJob{}
	for _, j := range sorted {
		byWorkflow[j.Ref.Workflow] = append(byWorkflow[j.Ref.Workflow], j)
	}
	taken := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(byWorkflow)) {
		e := exporter{notes: &notes, name: strings.ReplaceAll(name, "~", "-")}
		if e.name != name {
			notes = append(notes, fmt.Sprintf("the workflow %s is %s: no file can have its name", name, e.name))
		}
		if taken[e.name] {
			return nil, nil, fmt.Errorf("%w: two workflows would be called %s in a file", engine.ErrConflict, e.name)
		}
		taken[e.name] = true
		text, err := e.file(byWorkflow[name])
		if err != nil {
			return nil, nil, err
		}
		files = append(files, ExportedFile{Workflow: e.name, Name: e.name + ".yaml", Text: text})
	}
	return files, notes, nil
}

// exporter writes one workflow.
type exporter struct {
	name  string
	notes *[]string
}

func (e *exporter) note(format string, args ...any) {
	*e.notes = append(*e.notes, fmt.Sprintf(format, args...))
}

func (e *exporter) file(list []StoredJob) ([]byte, error) {
	jobs, calendars := map[string]any{}, map[string]any{}
	zone := ""
	for i, stored := range list {
		job, err := DecodeJob(stored.Definition, stored.Folder)
		if err != nil {
			return nil, fmt.Errorf("export %s: %w", stored.Ref, err)
		}
		var document struct {
			TimeZone  string                    `json:"timeZone"`
			Calendars map[string]any            `json:"calendars"`
			Jobs      map[string]map[string]any `json:"jobs"`
		}
		decoder := json.NewDecoder(strings.NewReader(string(stored.Definition)))
		decoder.UseNumber()
		if err := decoder.Decode(&document); err != nil || document.Jobs[job.Name] == nil {
			return nil, fmt.Errorf("export %s: its recorded definition is no workflow document", stored.Ref)
		}
		members := document.Jobs[job.Name]
		if document.TimeZone == "" {
			document.TimeZone = "UTC"
		}
		if i == 0 {
			zone = document.TimeZone
		}
		if document.TimeZone != zone {
			members["timeZone"] = document.TimeZone
		}
		for name, calendar := range document.Calendars {
			if other, known := calendars[name]; known && yamlText(other) != yamlText(calendar) {
				return nil, fmt.Errorf("%w: export %s: the calendar %s is not that of other jobs of the workflow", engine.ErrConflict, stored.Ref, name)
			}
			calendars[name] = calendar
		}
		e.secrets(job, members)
		for n := range job.Steps {
			if s := job.Steps[n].Action.Shell; s != nil && s.Script != "" {
				e.note("%s runs the script %s, which lies in %s: copy it beside the file", stored.Ref, s.Script, stored.Folder)
			}
		}
		jobs[job.Name] = members
	}
	var b strings.Builder
	fmt.Fprintf(&b, "workflow: %s\n", yamlWord(e.name))
	if zone != "UTC" {
		fmt.Fprintf(&b, "timeZone: %s\n", yamlWord(zone))
	}
	if len(list) > defaultMaxJobs {
		fmt.Fprintf(&b, "quota: {maxJobs: %d}\n", len(list))
	}
	if len(calendars) > 0 {
		b.WriteString("calendars:\n")
		writeYAML(&b, calendars, "  ")
	}
	b.WriteString("jobs:\n")
	writeYAML(&b, jobs, "  ")
	return []byte(b.String()), nil
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9]+`)

// secrets has those taken from the environment whose value is kept where no file can say so.
func (e *exporter) secrets(job *engine.Job, members map[string]any) {
	sources, _ := members["secrets"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(job.Secrets)) {
		if job.Secrets[name].Resource == "" {
			continue
		}
		variable := strings.ToUpper(strings.Trim(unfit.ReplaceAllString("ALMANAC_"+e.name+"_"+job.Name+"_"+name, "_"), "_"))
		sources[name] = map[string]any{"env": variable}
		e.note("%s/%s: the secret %s is not in the file: set the variable %s of the server", e.name, job.Name, name, variable)
	}
}

// plainWord is a text that YAML reads as that text without quotes.
var plainWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*([./-][A-Za-z0-9_]+)*$`)

// notPlain are words that some version of YAML takes for something else.
var notPlain = []string{"true", "false", "yes", "no", "on", "off", "y", "n", "null"}

func yamlWord(s string) string {
	if plainWord.MatchString(s) && !slices.Contains(notPlain, strings.ToLower(s)) {
		return s
	}
	return string(marshal(s))
}

// yamlText is a value of a definition on one line.
func yamlText(v any) string {
	switch v := v.(type) {
	case map[string]any:
		parts := make([]string, 0, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, yamlWord(name)+": "+yamlText(v[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = yamlText(v[i])
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		return yamlWord(v)
	}
	return string(marshal(v)) // a number or a flag
}

// lineWidth is how long a value may be on one line.
const lineWidth = 120

// writeYAML writes the members of an object, each on a line of its own, or spread over several where it would be too long to read.
func writeYAML(b *strings.Builder, object map[string]any, indent string) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		key, value := indent+yamlWord(name)+":", object[name]
		inner, isObject := value.(map[string]any)
		if text := yamlText(value); !isObject || len(inner) == 0 || len(key)+1+len(text) <= lineWidth && len(indent) > 2 {
			fmt.Fprintf(b, "%s %s\n", key, text)
			continue
		}
		b.WriteString(key + "\n")
		writeYAML(b, inner, indent+"  ")
	}
}
