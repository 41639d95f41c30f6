package azure

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/almanac-sched/almanac/engine/spec"
)

// An ImportedSecret is an environment variable that a workflow file takes the place of a secret from.
type ImportedSecret struct {
	Env   string // the name of the variable
	Job   string
	Path  string // where it stands in the job
	Known bool   // the source holds its value; otherwise the service had left it out
}

// An Imported is a bundle as a workflow file.
type Imported struct {
	Name    string // of the workflow
	Text    []byte // YAML
	Secrets []ImportedSecret
	Notes   []string // what changes, and what begins anew
}

// Workflow writes the bundle as one workflow file, with references in the place of secrets. now is what a start time that has passed is held
// against.
func (b *Bundle) Workflow(now time.Time) (*Imported, Mistakes) {
	out := &Imported{Name: fileName(b.Name)}
	note := func(format string, args ...any) { out.Notes = append(out.Notes, fmt.Sprintf(format, args...)) }
	if out.Name != b.Name {
		note("the job collection %q is the workflow %s", b.Name, out.Name)
	}
	file := ordered{{"workflow", out.Name}, {"timeZone", "UTC"}}
	b.settings(&file, note)
	var jobs, sources ordered
	var mistakes Mistakes
	taken, called, variables := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, j := range b.Jobs {
		name := unique(fileName(j.Name), "-", taken)
		if name != j.Name {
			note("the job %q is %s", j.Name, name)
		}
		own := map[string]string{}
		p, secrets, wrong := j.Document.prepare(Target{Import: true, SecretName: func(secret string) string {
			own[secret] = unique(variableName(name+"_"+secret), "_", called)
			return own[secret]
		}})
		if len(wrong) > 0 {
			mistakes = append(mistakes, wrong...)
			continue
		}
		for kind, variable := range own {
			for _, s := range secrets {
				if s.Name == variable {
					env := unique(EnvName(out.Name, name, kind), "_", variables)
					sources.put(variable, ordered{{"env", env}})
					out.Secrets = append(out.Secrets, ImportedSecret{Env: env, Job: name, Path: s.Path, Known: s.Value != ""})
				}
			}
		}
		for _, text := range beginsAnew(j.Document.Properties, now) {
			note("%s: %s", name, text)
		}
		jobs.put(name, fileJob(p))
	}
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	if len(jobs) == 0 {
		return nil, Mistakes{{Message: fmt.Sprintf("The job collection '%s' has no jobs, and a workflow file has at least one.", b.Name)}}
	}
	slices.SortFunc(out.Secrets, func(x, y ImportedSecret) int { return strings.Compare(x.Env, y.Env) })
	slices.SortFunc(sources, func(x, y entry) int { return strings.Compare(x.name, y.name) })
	file.put("defaults", fileDefaults())
	file.putObject("secrets", sources)
	file.put("jobs", jobs)
	var text strings.Builder
	text.WriteString("# A job collection of Azure Scheduler. overlap and misfire are as they were there: a due time that cannot be kept is dropped.\n")
	if err := file.yaml(&text, 0); err != nil {
		return nil, Mistakes{{Message: err.Error()}}
	}
	out.Text = []byte(text.String())
	_, problems := spec.Decode(out.Name+".yaml", out.Text, spec.Options{})
	for _, problem := range problems {
		if problem.Severity == spec.Error {
			mistakes.add("", "%s", problem)
		}
	}
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	return out, nil
}

// settings writes what the collection says for all its jobs.
func (b *Bundle) settings(file *ordered, note func(string, ...any)) {
	if b.Collection == nil {
		return
	}
	p := b.Collection.Properties
	if p.State != CollectionEnabled {
		file.put("state", "disabled")
		if p.State != CollectionDisabled {
			note("the job collection is %s, which is disabled here", strings.ToLower(p.State))
		}
	}
	if len(b.Collection.Tags) > 0 {
		note("the tags of the job collection have no counterpart")
	}
	if !b.quota {
		return
	}
	quota := ordered{{"maxJobs", p.Quota.MaxJobCount}}
	if r := p.Quota.MaxRecurrence; r != nil {
		quota.put("maxRecurrence", ordered{{"frequency", r.Frequency}, {"interval", r.Interval}})
	}
	file.put("quota", quota)
}

// beginsAnew says what a job does once more because it is a new job here.
func beginsAnew(p *Properties, now time.Time) []string {
	if p.State == StateCompleted || p.State == StateFaulted {
		return []string{"it is " + p.State + ", which is disabled here"}
	}
	if p.State == StateDisabled {
		return nil
	}
	var list []string
	switch {
	case p.StartTime == nil && p.Recurrence == nil:
		list = append(list, "it has no startTime, so that it runs once when the file is loaded")
	case p.StartTime == nil && p.Recurrence.Schedule != nil:
		list = append(list, "it has no startTime: here it is due by its schedule alone, while the service runs such a job once when it is made, too")
	case p.StartTime == nil:
		list = append(list, "it has no startTime, so that it runs when the file is loaded, and from then on by its recurrence; write one to keep its times")
	case p.Recurrence == nil && p.StartTime.Before(now):
		list = append(list, "its startTime has passed, so that it runs once when the file is loaded; write state: disabled if it has run already")
	}
	if p.Recurrence != nil && p.Recurrence.Count > 0 {
		list = append(list, fmt.Sprintf("its count of %d begins anew when the file is loaded", p.Recurrence.Count))
	}
	return list
}

// fileName makes a name of a workflow file of one of the service, or of anything else that names a job.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune("_.-", r) {
			return r
		}
		return '-'
	}, name)
	if runes := []rune(strings.TrimLeft(name, "_.-")); len(runes) > 0 {
		return string(runes[:min(len(runes), 120)])
	}
	return "job"
}

// variableName makes the name of a secret.
func variableName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return r
		}
		return '_'
	}, name)
	if r := []rune(name)[0]; !unicode.IsLetter(r) && r != '_' {
		name = "_" + name
	}
	return name
}

// unique makes a name that was not taken, and takes it. Names are equal in any case, as the service has it.
func unique(name, between string, taken map[string]bool) string {
	free := name
	for n := 2; taken[strings.ToLower(free)]; n++ {
		free = fmt.Sprintf("%s%s%d", name, between, n)
	}
	taken[strings.ToLower(free)] = true
	return free
}
