package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sched/almanac/engine"
)

// proofs are the members of each type of authentication; the first `needed` of them must be there. What is secret comes last.
var proofs = map[string]struct {
	members []string
	needed  int
}{
	typeBasic:       {[]string{"username", "password"}, 1},
	typeCertificate: {[]string{"pfx", "password"}, 0},
	typeOAuth:       {[]string{"tenant", "audience", "clientId", "secret"}, 3},
}

// echoed are the members that Azure's answers show of a certificate.
var echoed = []string{"certificateThumbprint", "certificateSubjectName", "certificateExpiration", "certificateExpirationDate"}

// authentication reads how a request proves who sends it. Azure's answers leave secrets out, so that a pasted job may lack them: it loads with a
// warning, and says so again when it is run.
func (d *decoder) authentication(v *value, s *textScope, h *engine.HTTP) {
	kind := v.field("type")
	if !kind.ok() || kind.text == typeNone {
		return
	}
	proof := proofs[kind.text]
	for _, member := range []string{"username", "password", "pfx", "tenant", "audience", "clientId", "secret"} {
		if m := v.field(member); m != nil && !slices.Contains(proof.members, member) {
			d.fail(m, "", "authentication of type %s has no %s", kind.text, member)
		}
	}
	for _, member := range proof.members[:proof.needed] {
		if v.field(member) == nil {
			d.fail(v, "", "authentication of type %s has no %s", kind.text, member)
		}
	}
	for _, member := range echoed {
		if m := v.field(member); m != nil {
			d.warn(m, KindAuthentication, "", "%s is ignored: it is what Azure shows of the pfx", member)
		}
	}
	text := func(member string) engine.Text { return s.text(v.field(member)) }
	switch kind.text {
	case typeBasic:
		h.Basic = &engine.BasicAuth{Username: text("username"), Password: s.secret(v, "password")}
	case typeCertificate:
		h.Certificate = &engine.ClientCertificate{PFX: s.secret(v, "pfx"), Password: s.secret(v, "password")}
		d.lacks(v, "pfx", "no request can be sent")
	case typeOAuth:
		h.OAuth = &engine.OAuth{Tenant: text("tenant"), Audience: text("audience"), ClientID: text("clientId"), Secret: s.secret(v, "secret")}
		d.lacks(v, "secret", "no request can be sent")
	}
}

// lacks warns of a secret that is not there.
func (d *decoder) lacks(v *value, member, consequence string) {
	if v.field(member) == nil {
		d.warn(v, KindAuthentication, fmt.Sprintf("write %s: ${{ secrets.X }}", member), "there is no %s, which Azure leaves out of its answers: %s without it", member, consequence)
	}
}

// secret reads a text that should not stand in a file.
func (s *textScope) secret(v *value, member string) engine.Text {
	m := v.field(member)
	if m.ok() && m.text != "" && !strings.Contains(m.text, "${{") {
		s.d.warn(m, KindAuthentication, fmt.Sprintf("write %s: ${{ secrets.X }}, and secrets: {X: {env: NAME}} on the job", member), "%s stands in the file itself, for everybody who can read it", member)
	}
	return s.text(m)
}
