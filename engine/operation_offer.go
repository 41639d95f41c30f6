package engine

import "slices"

// Offers lists the operations that an explained instance takes as it is: those of its state, but for those
// that would change nothing of it, and of one that is not planned yet only those that can be done ahead.
func (x *Explanation) Offers() []Operation {
	i := &x.Instance
	return slices.DeleteFunc(slices.Clone(Operations), func(op Operation) bool {
		if !slices.Contains(AllowedStates(op), i.State) || operations[op].already == i.State {
			return true
		}
		if !x.Planned && !slices.Contains(aheadOperations, op) {
			return true
		}
		switch op {
		case OperateFreeze:
			return i.Frozen
		case OperateUnfreeze:
			return !i.Frozen
		case OperateConfirm:
			return !slices.ContainsFunc(x.Gates, func(g GateExplanation) bool { return g.Gate == GateConfirm && !g.Open })
		case OperateDetach:
			return !slices.ContainsFunc(x.Dependencies, func(d DependencyExplanation) bool { return !d.Satisfied && d.Wait.Count > 0 })
		case OperateReschedule:
			return i.Kind != Scheduled
		}
		return false
	})
}
