package spec_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
)

// mistakes are members of a job each of which is one mistake, and part of the message about it. A later one
// takes the place of an earlier one of the same name.
var hiddenMistakes = []struct{ name, member, message string }{
	{"a key that there is not", "prioritty: 3", `unknown key "prioritty"`},
	{"a calendar that there is not", "calendar: nocal", `there is no calendar "nocal"`},
	{"a word that there is not", "misfire: sometimes", `misfire is "sometimes"`},
	{"two schedules", "recurrence: {frequency: day}", "only one of recurrence, cron and at is allowed; 2 are given"},
	{"a recurrence with a mistake", "recurrence: {frequency: day, interval: 0, schedule: {weekDays: [monday]}}",
		"only allowed with frequency week"},
	{"an unknown parameter", `env: {X: "${{ params.none }}"}`, `no parameter "none"`},
	{"a zone that there is not", "timeZone: Mars/Base", `timeZone is`},
	{"an end before the start", `startTime: "2026-02-01T00:00:00Z", endTime: "2026-01-01T00:00:00Z"`, "is before startTime"},
}

// What is wrong with a job hides nothing else of it, and nothing of the others: whatever the mistake is, and
// with every other one beside it.
func TestAMistakeHidesNoOther(t *testing.T) {
	outside := &spec.Outside{
		Script:  func(path string) error { return fmt.Errorf("does not exist: there is no file %s", path) },
		Command: func(string) error { return errors.New("does not exist") },
		Secret:  func(engine.SecretSource) error { return nil },
	}
	const rest = `dependsOn: [nope, c], action: {type: shell, script: none.sh}`
	others := []string{"a depends on w/nope, which does not exist", "the script none.sh of a does not exist", "cycle: w/a → w/c → w/a",
		"the command of b begins with ./none, which does not exist", "b depends on w/neither, which does not exist"}
	check := func(t *testing.T, members string, want ...string) {
		text := "workflow: w\njobs:\n  a: {cron: \"0 1 * * *\", " + members + "}\n" +
			"  b: {cron: \"0 2 * * *\", dependsOn: [a, neither], action: {type: shell, command: ./none 1}}\n" +
			"  c: {cron: \"0 3 * * *\", dependsOn: [a], action: {type: none}}\n"
		_, problems := spec.LoadHere(folderOf(map[string]string{"w.yaml": text}), "/srv", outside)
		for _, message := range append(want, others...) {
			require.Equal(t, 1, strings.Count(problems.Error(), message), "%s\n%s", message, problems.Error())
		}
	}
	for i, one := range hiddenMistakes {
		t.Run(one.name, func(t *testing.T) { check(t, one.member+", "+rest, one.message) })
		for _, two := range hiddenMistakes[i+1:] {
			first, _, _ := strings.Cut(one.member, ":")
			if second, _, _ := strings.Cut(two.member, ":"); first != second {
				t.Run(one.name+", "+two.name, func(t *testing.T) {
					check(t, one.member+", "+two.member+", "+rest, one.message, two.message)
				})
			}
		}
	}
	for name, rest := range map[string]string{
		"a type that there is not": `dependsOn: [nope, c], action: {type: shel, script: none.sh}`,
		"a dependency twice":       `dependsOn: [nope, nope, c], action: {type: shell, script: none.sh}`,
	} {
		message := `type is "shel"`
		if strings.Contains(rest, "shell") {
			message = "is waited for twice"
		}
		t.Run(name, func(t *testing.T) {
			text := "workflow: w\njobs:\n  a: {cron: \"0 1 * * *\", " + rest + "}\n  c: {cron: \"0 3 * * *\", dependsOn: [a], action: {type: none}}\n"
			_, problems := spec.LoadHere(folderOf(map[string]string{"w.yaml": text}), "/srv", outside)
			for _, message := range append([]string{message}, others[:3]...) {
				require.Contains(t, problems.Error(), message)
			}
		})
	}
}

// Only what a command begins with is looked for, and only where that is a path below the folder.
func TestTheFileThatACommandBeginsWith(t *testing.T) {
	for command, want := range map[string]string{
		"./load.sh":             "/srv/load.sh",
		"./load.sh --all | tee": "/srv/load.sh",
		"bin/load 1\nother/x":   "/srv/bin/load",
		"  ./a-b_c.v2+x@3\t1":   "/srv/a-b_c.v2+x@3",
		"load.sh":               "",
		"/bin/true":             "",
		"../load.sh":            "",
		"./../load.sh":          "",
		"X=1 ./load.sh":         "",
		"$HOME/load.sh":         "",
		"~/load.sh":             "",
		"\"./load.sh\"":         "",
		"./load.sh;true":        "",
		"# ./load.sh":           "",
		"(./load.sh)":           "",
		"./a*/b":                "",
		"cd x && ./load.sh":     "",
	} {
		t.Run(command, func(t *testing.T) {
			var asked []string
			text := fmt.Sprintf("jobs:\n  a: {trigger: manual, action: {type: shell, command: %q}}\n", command)
			outside := &spec.Outside{Command: func(path string) error {
				asked = append(asked, path)
				return errors.New("is not executable")
			}}
			for _, strict := range []bool{false, true} {
				asked, outside.Strict = nil, strict
				_, problems := spec.LoadHere(folderOf(map[string]string{"w.yaml": text}), "/srv", outside)
				if want == "" {
					require.Empty(t, problems)
					require.Empty(t, asked)
					continue
				}
				require.Equal(t, []string{want}, asked)
				require.Len(t, problems, 1)
				require.Equal(t, spec.KindCommand, problems[0].Kind)
				require.Equal(t, strict, problems.HasErrors())
				require.Contains(t, problems[0].Message, "is not executable")
			}
		})
	}
}
