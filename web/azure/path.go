package azure

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// literals are the words of the paths in the spelling of the service, by lower case.
var literals = map[string]string{
	"subscriptions": "subscriptions", "resourcegroups": "resourceGroups", "providers": "providers", "microsoft.scheduler": "Microsoft.Scheduler",
	"jobcollections": "jobCollections", "jobs": "jobs", "register": "register", "enable": "enable", "disable": "disable", "run": "run", "history": "history",
}

// Owns reports whether a path of a request is the face's: it begins with the word subscriptions.
func Owns(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return strings.EqualFold(first, "subscriptions")
}

// Canonical writes the literals of a path that the face owns in the spelling of the service, in which the routes have them. Names stay as they are.
func Canonical(path string) string {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i := range parts {
		if !isName(parts, i) {
			if word, ok := literals[strings.ToLower(parts[i])]; ok {
				parts[i] = word
			}
		}
	}
	return "/" + strings.Join(parts, "/")
}

// isName reports whether a segment of a path names something: the subscription, the group, the collection or the job.
func isName(parts []string, i int) bool {
	return i == 1 || len(parts) > 2 && strings.EqualFold(parts[2], "resourceGroups") && (i == 3 || i == 7 || i == 9)
}

// A place is what a path names. What it does not name is "".
type place struct{ Subscription, Group, Collection, Job string }

// placeOf reads a path that a route has matched.
func placeOf(path string) place {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	at := func(i int) string {
		if i < len(parts) && isName(parts, i) {
			return parts[i]
		}
		return ""
	}
	return place{at(1), at(3), at(7), at(9)}
}

var (
	subscriptionForm = regexp.MustCompile(`^[0-9a-zA-Z-]{1,64}$`)
	groupForm        = regexp.MustCompile(`^[-\p{L}\p{N}_.()]{0,89}[-\p{L}\p{N}_()]$`)
)

// check refuses what cannot be the name of a subscription or of a resource group.
func (p place) check() error {
	if !subscriptionForm.MatchString(p.Subscription) {
		return refuse(codeSubscription, "The provided subscription identifier '%s' is malformed or invalid.", p.Subscription)
	}
	if p.Group != "" && !groupForm.MatchString(p.Group) {
		return refuse(codeBadRequest, "The resource group name '%s' is not valid; it must be at most 90 letters, digits and the characters _ - . ( ), and not end with a dot.", p.Group)
	}
	return nil
}

// key is the key of the resource that the place names: in lower case, as names are equal in any.
func (p place) key() string {
	key := p.Subscription
	for _, part := range []string{p.Group, p.Collection, p.Job} {
		if part != "" {
			key += "/" + part
		}
	}
	return strings.ToLower(key)
}

// id is the path of the resource.
func (p place) id() string {
	id := "/subscriptions/" + p.Subscription
	if p.Group != "" {
		id += "/resourceGroups/" + p.Group
	}
	if p.Collection != "" {
		id += "/providers/Microsoft.Scheduler/jobCollections/" + p.Collection
	}
	if p.Job != "" {
		id += "/jobs/" + p.Job
	}
	return id
}

// collection is the place of the collection that a place is in.
func (p place) collection() place {
	p.Job = ""
	return p
}

// group is the place of the resource group that a place is in.
func (p place) group() place { return place{Subscription: p.Subscription, Group: p.Group} }

// workflow is the name of the workflow that holds the jobs of the collection of a place; own says that it is in the server's own group.
func (p place) workflow(own bool) string {
	if own {
		return p.Collection
	}
	sum := sha256.Sum256([]byte(p.group().key()))
	return p.Collection + "~" + hex.EncodeToString(sum[:4])
}
