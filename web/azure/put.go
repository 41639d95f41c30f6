package azure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/azure"
)

// A translated is a document as a job of the engine, with what the translation depended on.
type translated struct {
	by          []byte // body of the collection's row
	ref         engine.JobRef
	translation *azure.Translation
}

// translate makes a job of a document that is to stand at p, in the collection. One whose end has passed, before a start that is later, has nothing to
// run and is no mistake (`azure-scheduler.md` §9.7): it is translated as if it had started when it ended. An end to come before the start is one.
func translate(d *azure.Document, c *collection, p place, now time.Time) (*translated, error) {
	limits := c.limits()
	limits.Now = now
	own := d.Properties.State
	if c.disabled() && own == azure.StateEnabled {
		d.Properties.State = azure.StateDisabled
	}
	start := d.Properties.StartTime
	if end := endOf(d); start != nil && end != nil && end.Before(start.Time) && end.Before(now) && !start.After(now.AddDate(0, monthsAhead, 0)) {
		d.Properties.StartTime = end
	}
	defer func() { d.Properties.State, d.Properties.StartTime = own, start }()
	ref := engine.JobRef{Workflow: c.Workflow, Job: p.Job}
	key := p.key()
	translation, mistakes := d.Translate(azure.Target{
		Workflow: ref.Workflow, Job: ref.Job, Limits: &limits,
		Source: func(name string) engine.SecretSource { return engine.SecretSource{Resource: secretAt(key, name)} },
	})
	if len(mistakes) > 0 {
		return nil, refuseMistakes(mistakes)
	}
	return &translated{by: c.row.Body, ref: ref, translation: translation}, nil
}

// monthsAhead is how far a start may lie ahead (`azure-scheduler.md` §4).
const monthsAhead = 18

// endOf is when a document says that its job ends, nil when it does not say so.
func endOf(d *azure.Document) *azure.Time {
	if d.Properties.Recurrence == nil {
		return nil
	}
	return d.Properties.Recurrence.EndTime
}

// putJob makes or replaces a job. It is translated outside of the transaction, by the collection as it was then, and again only when that has changed.
func (f *Face) putJob(q *request) (int, any, error) {
	document, mistakes := azure.ReadSent(q.body, q.now)
	if len(mistakes) > 0 {
		return 0, nil, refuseMistakes(mistakes)
	}
	if err := q.sameName(document); err != nil {
		return 0, nil, err
	}
	return f.write(q, func(*job) (*azure.Document, error) { return document, nil })
}

// sameName refuses a document that says to be another.
func (q *request) sameName(d *azure.Document) error {
	var mistakes azure.Mistakes
	for _, m := range []struct{ member, given, value string }{{"id", d.ID, q.id()}, {"type", d.Type, azure.JobType}, {"name", d.Name, azure.JobName(q.Collection, q.Job)}} {
		if m.given == "" || equal(m.given, m.value) || m.member == "name" && equal(m.given, q.Job) {
			continue
		}
		mistakes = append(mistakes, azure.Mistake{Path: m.member, Message: fmt.Sprintf("The value '%s' is not the one of the request's path, '%s'.", m.given, m.value)})
	}
	if len(mistakes) > 0 {
		return refuseMistakes(mistakes)
	}
	return nil
}

// patchJob merges a document into a job.
func (f *Face) patchJob(q *request) (int, any, error) {
	return f.write(q, func(old *job) (*azure.Document, error) {
		if old == nil {
			return nil, missing(q.place)
		}
		full, err := f.withSecrets(old)
		if err != nil {
			return nil, err
		}
		entity := old.entity()
		entity.Properties = full
		before, err := json.Marshal(entity)
		if err != nil {
			return nil, fmt.Errorf("write the job %s: %w", old.Ref, err)
		}
		after, mistakes := azure.Patch(before, q.body, *entity)
		if len(mistakes) > 0 {
			return nil, refuseMistakes(mistakes)
		}
		document, mistakes := azure.ReadSent(after, q.now)
		if len(mistakes) > 0 {
			return nil, refuseMistakes(mistakes)
		}
		return document, nil
	})
}

// withSecrets are the properties of a job with their secrets.
func (f *Face) withSecrets(j *job) (*azure.Properties, error) {
	secrets := map[string]string{}
	for name, sealed := range j.secrets {
		value, err := f.Vault.open(secretAt(j.row.Key, name), sealed)
		if err != nil {
			f.Log.Error("a secret cannot be opened", "job", j.Ref.String(), "secret", name, "error", err)
			return nil, refuse(codeConflict, "The %s of the job '%s' can no longer be read here; put the job anew.", name, j.Job)
		}
		secrets[name] = value
	}
	return j.Properties.PutSecrets(secrets), nil
}

// write makes what document says of the job that is there (nil when none is) the current definition.
func (f *Face) write(q *request, document func(old *job) (*azure.Document, error)) (int, any, error) {
	if q.Method == http.MethodPut && !azure.NameForm.MatchString(q.Job) {
		return 0, nil, badName("job", q.Job)
	}
	early, err := f.ahead(q, document)
	if err != nil {
		return 0, nil, err
	}
	created := false
	err = f.edit(q.Context(), q.actor, q.now, func(e *engine.Edit) error {
		c, err := f.change(e.Tx(), q.place)
		if err != nil {
			return err
		}
		old, err := f.jobOf(e.Tx(), c, q.Job, q.now)
		if absent := (*Refusal)(nil); errors.As(err, &absent) {
			old, err = nil, nil
		}
		if err != nil {
			return err
		}
		created = old == nil
		d := early.document
		if !early.holds(c, old) {
			if d, err = document(old); err != nil {
				return err
			}
			if early.translated, err = translate(d, c, at(c, old, q.Job), e.Now()); err != nil {
				return err
			}
		}
		return f.put(e, c, old, at(c, old, q.Job), d, early.translated)
	})
	if err != nil {
		return 0, nil, err
	}
	status, answer, err := f.getJob(q)
	if created && err == nil {
		status = http.StatusCreated
	}
	return status, answer, err
}

// at is the place of a job: of the one that is there, with its name as first written.
func at(c *collection, old *job, name string) place {
	p := c.place
	p.Job = name
	if old != nil {
		p.Job = old.Job
	}
	return p
}

// An ahead is a document that was translated before the transaction, and what it was translated by.
type ahead struct {
	document   *azure.Document
	translated *translated
	collection []byte // body of its row
	job        []byte // body of its row; nil when there was none
}

// holds reports whether the translation is the one of the rows as they are.
func (a *ahead) holds(c *collection, old *job) bool {
	if a.translated == nil || !bytes.Equal(a.collection, c.row.Body) {
		return false
	}
	if old == nil {
		return a.job == nil
	}
	return bytes.Equal(a.job, old.row.Body)
}

// ahead translates by the rows as they are now, so that the transaction is short.
func (f *Face) ahead(q *request, document func(old *job) (*azure.Document, error)) (*ahead, error) {
	var c *collection
	var old *job
	err := f.read(q, func(v View) (err error) {
		if c, err = f.change(v, q.place); err != nil {
			return err
		}
		old, err = f.jobOf(v, c, q.Job, q.now)
		if absent := (*Refusal)(nil); errors.As(err, &absent) {
			old, err = nil, nil
		}
		if err == nil && old != nil {
			err = old.refuseFinal(v)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	d, err := document(old)
	if err != nil {
		return nil, err
	}
	a := &ahead{document: d, collection: c.row.Body}
	if old != nil {
		a.job = old.row.Body
	}
	a.translated, err = translate(d, c, at(c, old, q.Job), q.now)
	return a, err
}

// put makes the translation current and keeps the resource, in a transaction.
func (f *Face) put(e *engine.Edit, c *collection, old *job, p place, d *azure.Document, t *translated) error {
	id := int64(0)
	var err error
	if old == nil {
		if err = c.refuseFull(e.Tx(), 1); err != nil {
			return err
		}
		if id, err = e.Tx().Reserve(1); err != nil {
			return fmt.Errorf("reserve an id: %w", err)
		}
	} else {
		if err = old.refuseFinal(e.Tx()); err != nil {
			return err
		}
		id = old.row.ID
		if err := old.beginAnew(e, t.translation.Job); err != nil {
			return err
		}
	}
	body, err := f.body(e.Tx(), p, d, t)
	if err != nil {
		return err
	}
	row, err := e.Put(t.translation.Job)
	if err != nil {
		return err
	}
	return e.Tx().PutResource(engine.ResourceRow{Kind: kindJob, Key: p.key(), ID: id, Job: row.ID, Body: body})
}

// body is the body of the row of a job.
func (f *Face) body(tx engine.Tx, p place, d *azure.Document, t *translated) ([]byte, error) {
	public := d.Properties.Public()
	public.Status = nil
	entity, err := json.Marshal(azure.Job{ID: p.id(), Type: azure.JobType, Name: azure.JobName(p.Collection, p.Job), Properties: public})
	if err != nil {
		return nil, fmt.Errorf("write the job %s: %w", t.ref, err)
	}
	stored := storedJob{Ref: t.ref, Entity: entity}
	if len(t.translation.Secrets) > 0 {
		if err := f.Vault.own(tx); err != nil {
			return nil, err
		}
	}
	for _, secret := range t.translation.Secrets {
		if stored.Secrets == nil {
			stored.Secrets = map[string]string{}
		}
		if stored.Secrets[secret.Name], err = f.Vault.seal(secretAt(p.key(), secret.Name), secret.Value); err != nil {
			return nil, err
		}
	}
	body, err := json.Marshal(stored)
	if err != nil {
		return nil, fmt.Errorf("write the job %s: %w", t.ref, err)
	}
	return body, nil
}

// beginAnew lets a job without a start time begin when it is enabled, if it was made disabled and nothing of it was ever planned: "at once" means
// then.
func (j *job) beginAnew(e *engine.Edit, next *engine.Job) error {
	if !j.jobRow.Disabled || next.Disabled || !next.When.Start.IsZero() || j.jobRow.PlannedTo.After(j.jobRow.CreatedAt) {
		return nil
	}
	return e.Remove(j.Ref)
}

// counter is a Tx that counts resources without reading them.
type counter interface {
	CountResources(kind, prefix string) (int, error)
}

// refuseFull refuses more jobs than the collection may have.
func (c *collection) refuseFull(v engine.View, more int) error {
	n := 0
	if x, ok := v.(counter); ok {
		var err error
		if n, err = x.CountResources(kindJob, c.key()+"/"); err != nil {
			return err
		}
	} else {
		rows, err := all(v, kindJob, c.key()+"/")
		if err != nil {
			return err
		}
		n = len(rows)
	}
	if most := c.Entity.Properties.Quota.MaxJobCount; n+more > most {
		return refuse(codeConflict, "The job collection '%s' has %d jobs; its maxJobCount allows %d.", c.Collection, n, most)
	}
	return nil
}

func badName(what, name string) *Refusal {
	return refuse(codeBadRequest, "The %s name '%s' is not valid; it must begin with a letter and have at most 100 letters, digits and the characters _ and -.",
		what, strings.ToValidUTF8(name, "?"))
}
