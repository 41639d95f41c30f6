package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"
)

// EvalWhen evaluates a step's `when` over its closed environment: steps (a map of step name to outcome and outputs), params and planTime.
// What is not in env is an error, and so is a condition that is neither true nor false. A condition reads no clock, calls nothing outside, and is bounded in
// time and memory whatever it says: it is evaluated between two decisions of the loop.
func EvalWhen(source string, env map[string]any) (bool, error) {
	program, err := compileWhen(source, env)
	if err != nil {
		return false, conditionError(err)
	}
	result, err := (&vm.VM{MemoryBudget: whenMemory}).Run(program, env)
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
	if _, err := compileWhen(source, env); err != nil {
		return conditionError(err)
	}
	return nil
}

// A condition of at most so many parts makes lists and texts of at most so many elements, and goes through each of them once for each part.
const (
	whenNodes  = 500
	whenMemory = 100_000
)

// compileWhen compiles a condition without what goes through a list in a way that it is told, which can be said of a list in a list: that is bounded by
// nothing. What could be computed beforehand is not, because the bound of memory holds at the evaluation only.
func compileWhen(source string, env any) (*vm.Program, error) {
	var loops walks
	program, err := expr.Compile(source, expr.AsBool(), expr.Env(env), expr.MaxNodes(whenNodes), expr.Optimize(false), expr.DisableBuiltin("now"), expr.Patch(&loops))
	if err == nil && loops.first != nil {
		err = loops.first.Bind(file.NewSource(source))
	}
	return program, err
}

// walks finds what goes through a list as it is told.
type walks struct{ first *file.Error }

// Visit looks at a part of a condition.
func (w *walks) Visit(node *ast.Node) {
	if call, ok := (*node).(*ast.BuiltinNode); ok && w.first == nil && slices.ContainsFunc(call.Arguments, isPredicate) {
		w.first = &file.Error{Location: call.Location(), Message: call.Name + " goes through a list, which no condition may"}
	}
}

func isPredicate(n ast.Node) bool {
	_, ok := n.(*ast.PredicateNode)
	return ok
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
