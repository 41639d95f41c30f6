package azure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/almanac-sched/almanac/engine"
)

// The plans that a workflow without a plan of its own is given, by how many jobs it has.
const (
	standardJobs = 50
	apiVersion   = "2016-03-01"
)

// An ExportedJob is a job of a folder in the service's terms.
type ExportedJob struct {
	Ref  engine.JobRef
	Name string // collection/job
	Exported
}

// ExportAll exports the jobs of workflows under names that the service takes.
func ExportAll(workflows []*engine.Workflow, now time.Time) []ExportedJob {
	var list []ExportedJob
	collections := map[string]bool{}
	for _, w := range workflows {
		collection := unique(serviceName(w.Name), "-", collections)
		names := map[string]bool{}
		for _, job := range w.Jobs {
			e := ExportedJob{Ref: job.Ref(), Exported: Export(job, now)}
			name := unique(serviceName(job.Name), "-", names)
			if name != job.Name || collection != w.Name {
				e.Losses = append(e.Losses, Loss{"name", fmt.Sprintf("a name is letters, digits, - and _, and begins with a letter, in any case but one: it is %s", JobName(collection, name))})
			}
			e.Name = JobName(collection, name)
			list = append(list, e)
		}
	}
	return list
}

// serviceName makes a name that the service takes.
func serviceName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
	if !unicode.IsLetter(rune(name[0])) {
		name = "j" + name
	}
	return name[:min(len(name), 95)]
}

// List is the jobs that have a counterpart, as a list answer of the service.
func List(jobs []ExportedJob) ([]byte, error) {
	list := struct {
		Value []Job `json:"value"`
	}{[]Job{}}
	for _, j := range jobs {
		if j.Properties != nil {
			list.Value = append(list.Value, Job{Type: JobType, Name: j.Name, Properties: j.Properties})
		}
	}
	return indentedJSON(list)
}

func indentedJSON(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(value); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return b.Bytes(), nil
}

// Template is a resource-group template of the workflows and of their jobs that have a counterpart. Secrets are its parameters.
func Template(workflows []*engine.Workflow, jobs []ExportedJob) ([]byte, error) {
	parameters := ordered{{"location", ordered{{"type", "string"}, {"defaultValue", "[resourceGroup().location]"}}}}
	names := map[string]bool{}
	collections := []ordered{}
	for _, w := range workflows {
		name := ""
		inside := []ordered{}
		for _, j := range jobs {
			if j.Ref.Workflow != w.Name {
				continue
			}
			var job string
			name, job, _ = strings.Cut(j.Name, "/")
			if j.Properties == nil {
				continue
			}
			properties, err := templateProperties(j, names, &parameters)
			if err != nil {
				return nil, err
			}
			inside = append(inside, ordered{{"type", "jobs"}, {"apiVersion", apiVersion}, {"name", job},
				{"dependsOn", []string{fmt.Sprintf("[resourceId('%s', '%s')]", CollectionType, name)}}, {"properties", properties}})
		}
		if len(inside) == 0 {
			continue
		}
		collection := ordered{{"type", CollectionType}, {"apiVersion", apiVersion}, {"name", name}, {"location", "[parameters('location')]"},
			{"properties", exportCollection(w)}, {"resources", inside}}
		collections = append(collections, collection)
	}
	return indentedJSON(ordered{
		{"$schema", "https://schema.management.azure.com/schemas/2015-01-01/deploymentTemplate.json#"}, {"contentVersion", "1.0.0.0"},
		{"parameters", parameters}, {"resources", collections},
	})
}

// exportCollection says of a workflow what a collection can say.
func exportCollection(w *engine.Workflow) *CollectionProperties {
	most := w.Quota.MaxJobs
	if most == 0 {
		most = max(len(w.Jobs), standardJobs)
	}
	most = min(most, mostJobs)
	plan := PlanStandard
	if most > standardJobs {
		plan = PlanP20Premium
	}
	p := &CollectionProperties{SKU: &SKU{plan}, State: CollectionEnabled, Quota: &Quota{MaxJobCount: most, MaxRecurrence: &MaxRecurrence{"minute", 1}}}
	if w.Quota.MaxFrequency.Valid() {
		p.Quota.MaxRecurrence = &MaxRecurrence{w.Quota.MaxFrequency.String(), max(w.Quota.MaxInterval, 1)}
	}
	if w.Disabled {
		p.State = CollectionDisabled
	}
	return p
}

// templateProperties are a job's properties as a template holds them: texts that would be taken for expressions are escaped, and a parameter
// stands in the place of each secret.
func templateProperties(j ExportedJob, names map[string]bool, parameters *ordered) (*node, error) {
	text, err := json.Marshal(j.Properties)
	if err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	root, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("read JSON back: %w", err)
	}
	root.escapeExpressions()
	for _, s := range j.Secrets {
		name := unique(variableName(strings.ReplaceAll(j.Name, "/", "_")+"_"+s.Name), "_", names)
		parameters.put(name, ordered{{"type", "securestring"}})
		root.set(strings.Split(strings.TrimPrefix(s.Path, "properties."), "."), &node{kind: textNode, text: "[parameters('" + name + "')]"})
	}
	return root, nil
}

// escapeExpressions doubles the bracket of texts that begin with one.
func (n *node) escapeExpressions() {
	if n.kind == textNode && strings.HasPrefix(n.text, "[") {
		n.text = "[" + n.text
	}
	for _, item := range n.items {
		item.escapeExpressions()
	}
	for _, m := range n.members {
		m.value.escapeExpressions()
	}
}

// set puts a member below an object.
func (n *node) set(path []string, value *node) {
	at := slices.IndexFunc(n.members, func(m member) bool { return m.name == path[0] })
	switch {
	case len(path) == 1 && at >= 0:
		n.members[at].value = value
	case len(path) == 1:
		n.members = append(n.members, member{path[0], value})
	case at >= 0:
		n.members[at].value.set(path[1:], value)
	default:
		inner := &node{kind: objectNode}
		inner.set(path[1:], value)
		n.members = append(n.members, member{path[0], inner})
	}
}
