package azure_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/azure"
)

const someAction = `"action": {"type": "http", "request": {"uri": "http://contoso.com", "method": "GET"}}`

func names(bundles []*azure.Bundle) string {
	var list []string
	for _, b := range bundles {
		for _, j := range b.Jobs {
			list = append(list, b.Name+"/"+j.Name)
		}
		if len(b.Jobs) == 0 {
			list = append(list, b.Name)
		}
	}
	return strings.Join(list, " ")
}

// Jobs are found in everything that the service and its tools write them to.
func TestReadSource(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{` + someAction + `}`, "c/file"},
		{`{"properties": {` + someAction + `}}`, "c/file"},
		{`{"name": "jc1/j1", "type": "Microsoft.Scheduler/jobCollections/jobs", "properties": {` + someAction + `}}`, "jc1/j1"},
		{`{"name": "j1", "properties": {` + someAction + `}}`, "c/j1"},
		{`{"id": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobcollections/JC/jobs/J", "properties": {` + someAction + `}}`, "JC/J"},
		{`{"value": [{"name": "jc1/j1", "properties": {` + someAction + `}}, {"name": "JC1/j2", "properties": {` + someAction + `}}], "nextLink": null}`, "jc1/j1 jc1/j2"},
		{`[{"name": "jc1/j1", "properties": {` + someAction + `}}, {"name": "jc2/j1", "properties": {` + someAction + `}},]`, "jc1/j1 jc2/j1"},
		{`{"name": "jc1", "properties": {"sku": {"name": "Standard"}}, "jobs": {"value": [{"name": "j1", "properties": {` + someAction + `}}]}}`, "jc1/j1"},
		{`{"value": [{"name": "jc1", "type": "Microsoft.Scheduler/jobCollections", "properties": {}}]}`, "jc1"},
		{`{"contentVersion": "1.0.0.0", "resources": {"x": {"type": "Microsoft.Scheduler/jobCollections", "name": "jc1", "properties": {}, "resources": [
			{"type": "jobs", "name": "j1", "properties": {` + someAction + `}}, {"type": "jobs", "name": "jc1/j2", "properties": {` + someAction + `}}, {"type": "jobs", "condition": false, "name": "j3"}]},
			"y": {"type": "Microsoft.Storage/storageAccounts", "name": "[uniqueString('x')]", "copy": {}},
			"z": {"type": "Microsoft.Scheduler/jobCollections/jobs", "name": "[format('{0}/{1}', toLower('JC2'), 'it''s')]", "properties": {` + someAction + `}}}}`, "jc1/j1 jc1/j2 jc2/it's"},
	} {
		bundles, _, mistakes := azure.ReadSource([]byte(c.text), azure.Source{Collection: "c", Job: "file"})
		require.NoError(t, mistakes.Err(), c.text)
		require.Equal(t, c.want, names(bundles))
	}
	for text, want := range map[string]string{
		`{`:             "The file cannot be read: the JSON text ends too early.",
		`{"a": 1}`:      "The object is neither a job nor a job collection of Azure Scheduler: it has neither an action nor a sku.",
		`5`:             "The value must be an object and is a number.",
		`{"value": []}`: "The file holds no job and no job collection of Azure Scheduler.",
		`{"value": [{"properties": {` + someAction + `, "recurrence": {"frequency": "x"}}}]}`:                                        "value[0].properties.recurrence.frequency: The value 'x' is not valid; it must be one of minute, hour, day, week, month, year.",
		`{` + someAction + `, "Recurrence": {"frequency": "week", "schedule": {"minute": 99}}}`:                                      "Recurrence.schedule.minute: The value '99' is out of range; it must be between 0 and 59.",
		`[{` + someAction + `}, {` + someAction + `}]`:                                                                               "[1]: The job 'file' of the job collection 'c' is given twice.",
		`{"contentVersion": "1", "resources": [{"type": "Microsoft.Scheduler/jobCollections/jobs", "name": "j", "properties": {}}]}`: "resources[0].name: The name of a job that stands outside of its job collection must be collection/job.",
		`{"contentVersion": "1", "resources": [{"type": "Microsoft.Scheduler/jobCollections", "name": "j", "copy": {}}]}`:            "resources[0].copy: A resource that is made several times cannot be imported; write each of them out.",
	} {
		_, _, mistakes := azure.ReadSource([]byte(text), azure.Source{Collection: "c", Job: "file"})
		require.Len(t, mistakes, 1, text)
		require.Equal(t, want, mistakes[0].String())
	}
}

// Expressions are resolved from the template itself and from the parameters that are given; the others are named.
func TestExpressions(t *testing.T) {
	for expression, want := range map[string]string{
		`plain`:                                  "plain",
		`[[literal]`:                             "[literal]",
		`[parameters('env')]`:                    "prod",
		`[parameters('ENV')]`:                    "prod",
		`[ concat( 'a' , "b" ) ]`:                `!"\"b\" ) " is not understood`,
		`[concat('a-', parameters('env'))]`:      "a-prod",
		`[variables('host')]`:                    "prod.example",
		`[variables('list')[1].name]`:            "second",
		`[concat('n', parameters('count'), -1)]`: "n3-1",
		`[format('{0}:{1}', 'a{1}', 2)]`:         "a{1}:2",
		`[toUpper(string('x'))]`:                 "X",
		`[parameters('given')]`:                  "yes",
		`[parameters('none')]`:                   "!the parameter 'none' has no defaultValue",
		`[parameters('nowhere')]`:                "!there is no parameter 'nowhere'",
		`[variables('nowhere')]`:                 "!there is no variable 'nowhere'",
		`[resourceGroup().location]`:             "!what resourceGroup() gives is not in the template",
		`[uniqueString('x')]`:                    "!what uniqueString() gives is not in the template",
		`[variables('loop')]`:                    "!The expression [variables('loop')] cannot be resolved",
		`['it''s']`:                              "it's",
		`['open]`:                                "!a text does not end",
		`[]`:                                     "!it ends too early",
		`[concat('a')x]`:                         `!"x" is not understood`,
		`[concat(variables('list'))]`:            "!concat takes texts and numbers, not an array",
	} {
		text := `{"contentVersion": "1", "parameters": {"env": {"type": "string", "defaultValue": "prod"}, "count": {"type": "int", "defaultValue": 3}, "none": {"type": "string"}, "given": {"type": "string"}},
			"variables": {"host": "[concat(parameters('env'), '.example')]", "list": [{"name": "first"}, {"name": "second"}], "loop": "[variables('loop')]"},
			"resources": [{"type": "Microsoft.Scheduler/jobCollections/jobs", "name": "jc1/j1", "location": "[resourceGroup().location]", "properties": {"action": {"type": "http", "request": {
				"uri": "http://contoso.com", "method": "GET", "body": ` + marshal(t, expression) + `, "authentication": {"type": "Basic", "username": "u", "password": "[parameters('none')]"}}}}}]}`
		bundles, _, mistakes := azure.ReadSource([]byte(text), azure.Source{Parameters: map[string]string{"given": "yes"}})
		if wrong, ok := strings.CutPrefix(want, "!"); ok {
			require.Len(t, mistakes, 1, expression)
			require.Equal(t, "resources[0].properties.action.request.body", mistakes[0].Path)
			require.Contains(t, mistakes[0].Message, wrong)
			require.Contains(t, mistakes[0].Message, expression, "the expression is named")
			continue
		}
		require.NoError(t, mistakes.Err(), expression)
		request := bundles[0].Jobs[0].Document.Properties.Action.Request
		require.Equal(t, want, request.Body)
		require.Empty(t, request.Authentication.Password, "a secret need not be known")
	}
	_, _, mistakes := azure.ReadSource([]byte(`{"contentVersion": "1", "resources": [{"type": "Microsoft.Scheduler/jobCollections/jobs", "name": "jc1/j1", "properties": {`+someAction+`}}]}`),
		azure.Source{Parameters: map[string]string{"x": "y"}})
	require.Equal(t, "parameters.x: The template has no such parameter.", mistakes[0].String())
}

func TestRelaxed(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": 1, // one` + "\n" + `"b": [1, 2,],}`: `{"a": 1,       ` + "\n" + `"b": [1, 2 ] }`,
		`{"a": "// ,}", /* two */ "b": "\",]"}`:     `{"a": "// ,}",           "b": "\",]"}`,
		"\xef\xbb\xbf{}":                            "   {}",
		`{"a": 1, /* open`:                          `{"a": 1, /* open`,
		`"open // `:                                 `"open // `,
	} {
		require.Equal(t, want, string(azure.Relaxed([]byte(text))))
	}
}

// What begins anew, what changes its name and what has no counterpart is said.
func TestNotesOfAnImport(t *testing.T) {
	bundles, _, mistakes := azure.ReadSource([]byte(`{"name": "my jobs", "tags": {"a": "b"}, "properties": {"state": "Suspended", "sku": {"name": "Free"}}, "jobs": [
		{"name": "at once", "properties": {`+someAction+`}}, {"name": "at-once", "properties": {`+someAction+`, "recurrence": {"frequency": "day", "count": 3}}},
		{"name": "past", "properties": {"startTime": "2020-01-01", `+someAction+`}}, {"name": "over", "properties": {"state": "faulted", `+someAction+`}},
		{"name": "off", "properties": {"state": "disabled", `+someAction+`}}, {"name": "later", "properties": {"startTime": "2030-01-01", `+someAction+`}}]}`), azure.Source{})
	require.NoError(t, mistakes.Err())
	imported, mistakes := bundles[0].Workflow(created)
	require.NoError(t, mistakes.Err())
	require.Equal(t, []string{
		`the job collection "my jobs" is the workflow my-jobs`,
		"the job collection is suspended, which is disabled here",
		"the tags of the job collection have no counterpart",
		`the job "at once" is at-once`,
		"at-once: it has no startTime, so that it runs once when the file is loaded",
		`the job "at-once" is at-once-2`,
		"at-once-2: it has no startTime, so that it runs when the file is loaded, and from then on by its recurrence; write one to keep its times",
		"at-once-2: its count of 3 begins anew when the file is loaded",
		"past: its startTime has passed, so that it runs once when the file is loaded; write state: disabled if it has run already",
		"over: it is faulted, which is disabled here",
	}, imported.Notes)
	w := decode(t, string(imported.Text))
	require.True(t, w.Disabled)
	require.Zero(t, w.Quota.MaxJobs, "a collection that states no quota has the file's own")
	require.Len(t, w.Jobs, 6)
}
