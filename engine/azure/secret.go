package azure

import (
	"encoding/json"
	"slices"
)

// A Secret is one text of a job that no definition and no answer holds.
type Secret struct {
	Name  string // in the definition: sasToken, or errorSasToken for the error action
	Path  string // of the member, in the service's spelling
	Value string // "" when it was not given
}

// slot is where a secret stands in properties.
type slot struct {
	name  string
	path  string
	value *string
	need  need
}

// need says what a secret that is not there means.
type need int8

const (
	needed   need = iota // the job is refused
	wanted               // the job is taken, as the service's own examples have it, and its attempts fail
	optional             // there may be none
)

// slots lists the places of the secrets that the properties' types have, filled or not.
func (p *Properties) slots() []slot {
	if p == nil || p.Action == nil {
		return nil
	}
	const path = "properties.action"
	list := p.Action.slots(path)
	if e := p.Action.ErrorAction; e != nil {
		for _, s := range e.slots(path + ".errorAction") {
			s.name = "error" + string(s.name[0]-'a'+'A') + s.name[1:]
			list = append(list, s)
		}
	}
	return list
}

func (a *Action) slots(path string) []slot {
	var list []slot
	if q := a.QueueMessage; q != nil {
		list = append(list, slot{name: "sasToken", path: path + ".queueMessage.sasToken", value: &q.SASToken})
	}
	for member, b := range map[string]*ServiceBusMessage{"serviceBusQueueMessage": a.ServiceBusQueueMessage, "serviceBusTopicMessage": a.ServiceBusTopicMessage} {
		if b != nil && b.Authentication != nil {
			list = append(list, slot{name: "sasKey", path: path + "." + member + ".authentication.sasKey", value: &b.Authentication.SASKey, need: wanted})
		}
	}
	if a.Request == nil || a.Request.Authentication == nil {
		return list
	}
	auth := a.Request.Authentication
	path += ".request.authentication."
	switch auth.Type {
	case AuthBasic:
		list = append(list, slot{name: "password", path: path + "password", value: &auth.Password, need: optional})
	case AuthCertificate:
		list = append(list, slot{name: "pfx", path: path + "pfx", value: &auth.PFX},
			slot{name: "pfxPassword", path: path + "password", value: &auth.Password, need: optional})
	case AuthOAuth:
		list = append(list, slot{name: "secret", path: path + "secret", value: &auth.Secret})
	}
	return list
}

// TakeSecrets returns the properties without their secrets, and the secrets by name.
func (p *Properties) TakeSecrets() (*Properties, map[string]string) {
	clean := p.clone()
	secrets := map[string]string{}
	for _, s := range clean.slots() {
		if *s.value != "" {
			secrets[s.name] = *s.value
			*s.value = ""
		}
	}
	return clean, secrets
}

// PutSecrets returns the properties with the secrets of those names where TakeSecrets took them from.
func (p *Properties) PutSecrets(secrets map[string]string) *Properties {
	full := p.clone()
	for _, s := range full.slots() {
		if value, ok := secrets[s.name]; ok {
			*s.value = value
		}
	}
	return full
}

// Public returns the properties as an answer shows them: without secrets, and with the facts of a client certificate in their place.
func (p *Properties) Public() *Properties {
	public := p.clone()
	if public == nil || public.Action == nil {
		return public
	}
	for _, a := range []*Action{public.Action, public.Action.ErrorAction} {
		if a != nil && a.Request != nil && a.Request.Authentication != nil {
			a.Request.Authentication.showCertificate()
		}
	}
	for _, s := range public.slots() {
		*s.value = ""
	}
	return public
}

// showCertificate fills in what an answer shows of the certificate. One that cannot be read shows nothing.
func (a *Authentication) showCertificate() {
	if a.Type != AuthCertificate || a.PFX == "" {
		return
	}
	a.CertificateThumbprint, a.CertificateSubjectName, a.CertificateExpiration, a.CertificateExpirationDate = "", "", nil, nil
	c, err := ReadCertificate(a.PFX, a.Password)
	if err != nil {
		return
	}
	a.CertificateThumbprint, a.CertificateSubjectName = c.Thumbprint, c.Subject
	a.CertificateExpiration, a.CertificateExpirationDate = At(c.Expires), At(c.Expires)
}

// clone copies the properties down to their last pointer.
func (p *Properties) clone() *Properties {
	if p == nil {
		return nil
	}
	c := *p
	c.Action = p.Action.clone()
	c.StartTime = clonePointer(p.StartTime)
	c.Status = clonePointer(p.Status)
	if r := clonePointer(p.Recurrence); r != nil {
		r.EndTime = clonePointer(r.EndTime)
		if s := clonePointer(r.Schedule); s != nil {
			s.Minutes, s.Hours, s.MonthDays = slices.Clone(s.Minutes), slices.Clone(s.Hours), slices.Clone(s.MonthDays)
			s.WeekDays, s.MonthlyOccurrences = slices.Clone(s.WeekDays), slices.Clone(s.MonthlyOccurrences)
			r.Schedule = s
		}
		c.Recurrence = r
	}
	return &c
}

func clonePointer[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

func (a *Action) clone() *Action {
	c := clonePointer(a)
	if c == nil {
		return nil
	}
	if c.Request = clonePointer(a.Request); c.Request != nil {
		c.Request.Authentication = clonePointer(a.Request.Authentication)
	}
	c.QueueMessage = clonePointer(a.QueueMessage)
	for _, b := range []**ServiceBusMessage{&c.ServiceBusQueueMessage, &c.ServiceBusTopicMessage} {
		if *b = clonePointer(*b); *b != nil {
			(*b).Authentication, (*b).Brokered = clonePointer((*b).Authentication), clonePointer((*b).Brokered)
		}
	}
	c.RetryPolicy = clonePointer(a.RetryPolicy)
	c.ErrorAction = a.ErrorAction.clone()
	return c
}

// String never prints secrets: properties end up in messages.
func (p *Properties) String() string {
	text, err := json.Marshal(p.Public())
	if err != nil {
		return "properties that cannot be written"
	}
	return string(text)
}
