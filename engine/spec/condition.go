package spec

import (
	"errors"
	"fmt"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/types"
)

// EvalWhen evaluates a step's `when` over its closed environment: steps (a map of step name to outcome and outputs), params and planTime.
// What is not in env is an error, and so is a condition that is neither true nor false. A condition reads no clock and calls nothing outside.
func EvalWhen(source string, env map[string]any) (bool, error) {
	program, err := expr.Compile(source, expr.AsBool(), expr.DisableBuiltin("now"), expr.Env(env))
	if err != nil {
		return false, conditionError(err)
	}
	result, err := expr.Run(program, env)
	if err != nil {
		return false, conditionError(err)
	}
	holds, ok := result.(bool)
	if !ok {
		return false, fmt.Errorf("the condition is %v, neither true nor false", result)
	}
	return holds, nil
}

// checkWhen compiles a condition against the names that it may use: the steps that have ended before it and the job's parameters, whose values are
// text.
func checkWhen(source string, before, params map[string]bool) error {
	steps := types.Map{}
	for name := range before {
		steps[name] = types.Map{"outcome": types.String, "outputs": types.Map{types.Extra: types.String}}
	}
	values := types.Map{}
	for name := range params {
		values[name] = types.String
	}
	env := types.Map{"steps": steps, "params": values, "planTime": types.TypeOf(anchor)}
	if _, err := expr.Compile(source, expr.AsBool(), expr.DisableBuiltin("now"), expr.Env(env)); err != nil {
		return conditionError(err)
	}
	return nil
}

// mayName lists the names of a condition's environment, for a hint.
func mayName(before, params map[string]bool) string {
	list := []string{"planTime"}
	for _, name := range sortedKeys(before) {
		list = append(list, "steps."+name)
	}
	for _, name := range sortedKeys(params) {
		list = append(list, "params."+name)
	}
	return "it may name " + orList(list)
}

// conditionError says on one line what the library draws on several.
func conditionError(err error) error {
	var e *file.Error
	if errors.As(err, &e) {
		return fmt.Errorf("%s, at character %d", e.Message, e.Column+1)
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(first)
}
