package spec_test

import (
	"encoding/json"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/spec"
)

// forbidden is a folder in which one file cannot be opened.
type forbidden struct{ fstest.MapFS }

func (f forbidden) Open(name string) (fs.File, error) {
	if name == "b/secret.yaml" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return f.MapFS.Open(name)
}

func (f forbidden) ReadFile(name string) ([]byte, error) {
	if name == "b/secret.yaml" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return f.MapFS.ReadFile(name)
}

// Every file is looked at, and each mistake of each is reported in one run, in the order of files and lines.
func TestLoadReportsAllFiles(t *testing.T) {
	none := []byte("jobs: {a: {trigger: manual, action: {type: none}}}\n")
	files := forbidden{fstest.MapFS{
		"z.yml":             {Data: []byte("jobs: {a: {action: {type: nono}}}\n")},
		"a.json":            {Data: []byte("{\"jobs\": {\"a\": {\"prio\": 1,\n\"action\": {\"type\": \"none\"}}}}")},
		"b/secret.yaml":     {Data: none},
		"b/big.yaml":        {Data: []byte(strings.Repeat("#", 8<<20+1))},
		"b/fine.yaml":       {Data: none},
		"b/notes.txt":       {Data: []byte("not: [yaml")},
		".git/x.yaml":       {Data: []byte("x")},
		"b/.hidden.yaml":    {Data: []byte("x")},
		"x.schema.json":     {Data: []byte("{}")},
		"c/with blank.yaml": {Data: none},
	}}
	workflows, problems := spec.Load(files, "jobs")
	require.Nil(t, workflows)
	require.Equal(t, strings.Join([]string{
		`jobs/a.json:1:17: unknown key "prio" in job a (did you mean "priority"?)`,
		`jobs/b/big.yaml: the file has 8388609 bytes; at most 8388608 (8 MiB) are allowed`,
		`jobs/b/secret.yaml: cannot be read: open b/secret.yaml: permission denied`,
		`jobs/c/with blank.yaml:1:1: the file's name "with blank" is no workflow name: a name of at most 128 letters, digits and the characters _ . -, beginning with a letter or a digit (write workflow: NAME)`,
		`jobs/z.yml:1:8: warning: a has no startTime: it runs as soon as its name is first loaded (write startTime: TIME, or trigger: manual)`,
		`jobs/z.yml:1:27: type is "nono"; allowed is shell, http, https, storageQueue, serviceBusQueue, serviceBusTopic, sql, wait, job or none (did you mean "none"?)`,
	}, "\n"), problems.Error())
	require.Error(t, problems.Err())
}

func TestLoadGivesWorkflowsWithWarnings(t *testing.T) {
	workflows, problems := spec.Load(fstest.MapFS{
		"b.yaml":     {Data: []byte("jobs: {a: {cron: \"*/45 * * * *\", action: {type: none}}}\n")},
		"sub/a.yaml": {Data: []byte("jobs: {a: {dependsOn: {job: b/a, window: {from: -PT1H, to: PT0S}}, action: {type: none}}}\n")},
	}, "/jobs")
	require.NoError(t, problems.Err())
	require.Len(t, problems, 2)
	require.Equal(t, spec.KindAtOnce, problems[1].Kind)
	require.Equal(t, spec.Warning, problems[0].Severity)
	text, err := json.Marshal(problems[0])
	require.NoError(t, err)
	require.Contains(t, string(text), `"file":"/jobs/b.yaml","line":1,"column":18,"severity":"warning"`)
	require.Equal(t, "/jobs/b.yaml", workflows[0].File)
	require.Equal(t, "/jobs", workflows[0].Folder)
	require.Equal(t, "/jobs/sub", workflows[1].Jobs[0].Folder)
	empty, problems := spec.Load(fstest.MapFS{}, "/jobs")
	require.Empty(t, empty)
	require.Empty(t, problems)
}

func TestDecodeJobRefuses(t *testing.T) {
	for _, definition := range []string{"", "{", `{"jobs":{"a":{}}}`, `{"workflow":"w","jobs":{"a":{"action":{"type":"none"}},"b":{"action":{"type":"none"}}}}`} {
		_, err := spec.DecodeJob([]byte(definition), "/jobs")
		require.ErrorContains(t, err, "decode the definition of a job", definition)
	}
}

// A workflow whose name cannot be read is called as its file is, in what is said of its jobs.
func TestABadNameIsNoNamelessWorkflow(t *testing.T) {
	_, problems := spec.Load(fstest.MapFS{
		"a.yaml": {Data: []byte("workflow: [a]\njobs: {x: {trigger: manual, dependsOn: [nope], action: {type: none}}}\n")},
		"b.yaml": {Data: []byte("workflow: \"b b\"\njobs: {x: {trigger: manual, action: {type: none}}}\n")},
	}, "/jobs")
	require.Len(t, problems, 3, "%v", problems)
	require.Contains(t, problems.Error(), "x depends on a/nope, which does not exist")
	require.NotContains(t, problems.Error(), "is defined in")
}
