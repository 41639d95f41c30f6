package engine_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// fill puts a text into every Text below v and counts them.
func fill(v reflect.Value, text string) (n int) {
	switch v.Kind() {
	case reflect.Pointer:
		return fill(v.Elem(), text)
	case reflect.Struct:
		for i := range v.NumField() {
			n += fill(v.Field(i), text)
		}
	case reflect.String:
		if v.Type() == reflect.TypeFor[engine.Text]() {
			v.SetString(text)
			n++
		}
	case reflect.Map:
		if v.Type().Elem() != reflect.TypeFor[engine.Text]() {
			return 0
		}
		v.SetMapIndex(reflect.ValueOf("k"), reflect.ValueOf(engine.Text(text)))
		n++
	}
	return n
}

// Whatever text a message or an authentication has, it is rendered, and the definition keeps its own.
func TestEveryTextOfAMessageIsRendered(t *testing.T) {
	action := func(text string) (engine.Action, int) {
		a := engine.Action{
			Type: engine.ActionServiceBusTopic, Queue: new(engine.StorageQueue), Bus: &engine.ServiceBus{Custom: map[string]engine.Text{}},
			HTTP: &engine.HTTP{Headers: map[string]engine.Text{}, Basic: new(engine.BasicAuth), Certificate: new(engine.ClientCertificate), OAuth: new(engine.OAuth)},
		}
		return a, fill(reflect.ValueOf(&a), text)
	}
	secret, n := action("${{ secrets.token }}/${{ planDay }}")
	require.Equal(t, 5+5+11+1+3+2+2+4, n)
	want, _ := action("s3cret/2026-03-31")
	got, err := secret.Render(textScope(t))
	require.NoError(t, err)
	require.Equal(t, want, got)
	same, _ := action("${{ secrets.token }}/${{ planDay }}")
	require.Equal(t, same, secret, "the definition is not changed")

	secret.Bus.Brokered.Label = "${{ params.gone }}"
	_, err = secret.Render(textScope(t))
	require.EqualError(t, err, "label: ${{ params.gone }}: the parameter has no value")
}
