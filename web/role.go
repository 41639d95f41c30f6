package web

import "github.com/almanac-sched/almanac/engine"

// Role is what a principal may do. The zero value may do nothing.
type Role string

// The roles; each may do what those before it may.
const (
	RoleViewer   Role = "viewer"         // read
	RoleOperator Role = "operator"       // trigger, cancel, confirm
	RoleEditor   Role = "editor"         // change definitions
	RoleAdmin    Role = engine.RoleAdmin // tokens and principals
)

// Roles lists every role, the weakest first.
var Roles = []Role{RoleViewer, RoleOperator, RoleEditor, RoleAdmin}

// Permission is what a route asks of who uses it. The zero value is no permission at all, and a route that has it cannot be mounted.
type Permission int8

// The permissions. Public asks nothing; each of the others asks the role of that name, or a stronger one.
const (
	Public Permission = iota + 1
	Viewer
	Operator
	Editor
	Admin
	Signed // no role: the request is signed with a secret of the job that it starts
)

// String is the permission in a word.
func (p Permission) String() string {
	switch p {
	case Public:
		return "public"
	case Signed:
		return "signed"
	case Viewer, Operator, Editor, Admin:
		return string(Roles[p-Viewer])
	}
	return "none"
}

// allows reports whether the role is enough for the permission. A role or a permission that is not known is never enough.
func (r Role) allows(p Permission) bool {
	if p < Viewer || p > Admin {
		return false
	}
	for i, role := range Roles {
		if role == r {
			return Viewer+Permission(i) >= p
		}
	}
	return false
}
