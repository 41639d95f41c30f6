package azure

import (
	"slices"
	"strings"
)

// A Bundle is a job collection with its jobs, as a file holds them.
type Bundle struct {
	Name       string
	Collection *Collection // nil when the file has the jobs alone
	Jobs       []*BundledJob

	quota bool // the collection states a quota itself
}

// A BundledJob is one job of a bundle.
type BundledJob struct {
	Name     string
	Document *Document
}

// A Source says what a file does not say about itself.
type Source struct {
	Collection string            // of jobs that name none
	Job        string            // of a job that has no name
	Parameters map[string]string // of a template, before their defaults
}

// ReadSource reads whatever holds jobs of the service: a job, its bare properties, a collection with its jobs, a list of either, or a
// resource-group template. Comments and trailing commas are passed over. The bundles are in the order of the file; the notes say what was passed
// over.
func ReadSource(data []byte, src Source) (bundles []*Bundle, notes []string, mistakes Mistakes) {
	root, err := parse(Relaxed(data))
	if err != nil {
		return nil, nil, Mistakes{{Message: "The file cannot be read: " + err.Error() + "."}}
	}
	s := &sourceReader{src: src}
	if isTemplate(root) {
		s.template(root)
	} else {
		s.item(root, "", "")
	}
	if len(s.mistakes) == 0 && len(s.bundles) == 0 {
		s.mistakes.add("", "The file holds no job and no job collection of Azure Scheduler.")
	}
	return s.bundles, s.notes, s.mistakes
}

func isTemplate(n *node) bool {
	schema := n.member("$schema").str()
	return n.member("resources") != nil && (strings.Contains(schema, "deploymentTemplate") || n.member("contentVersion") != nil)
}

type sourceReader struct {
	src      Source
	bundles  []*Bundle
	notes    []string
	mistakes Mistakes
}

// bundle returns the bundle of a collection, whose names are equal in any case.
func (s *sourceReader) bundle(name string) *Bundle {
	for _, b := range s.bundles {
		if strings.EqualFold(b.Name, name) {
			return b
		}
	}
	b := &Bundle{Name: name}
	s.bundles = append(s.bundles, b)
	return b
}

// item reads a value by what it looks like. within is the collection that it stands in.
func (s *sourceReader) item(n *node, path, within string) {
	properties := n.member("properties")
	kind := n.member("type").str()
	switch {
	case n.kind == listNode:
		for i, item := range n.items {
			s.item(item, indexed(path, i), within)
		}
	case n.kind != objectNode:
		s.mistakes.add(path, "The value must be an object and is %s.", kindWords[n.kind])
	case n.member("value") != nil && n.member("value").kind == listNode:
		s.item(n.member("value"), join(path, "value"), within)
	case strings.EqualFold(kind, JobType) || properties.member("action") != nil || n.member("action") != nil:
		s.job(n, path, within)
	case strings.EqualFold(kind, CollectionType) || properties.member("sku") != nil || properties.member("quota") != nil || n.member("jobs") != nil:
		s.collection(n, path)
	default:
		s.mistakes.add(path, "The object is neither a job nor a job collection of Azure Scheduler: it has neither an action nor a sku.")
	}
}

func indexed(path string, i int) string {
	return field{node: &node{kind: listNode, items: make([]*node, i+1)}, path: path}.items()[i].path
}

func (s *sourceReader) collection(n *node, path string) {
	c, mistakes := readCollection(n, path)
	s.mistakes = append(s.mistakes, mistakes...)
	name := lastOf(n.member("name").str())
	if name == "" {
		name = segment(n.member("id").str(), "jobCollections")
	}
	if name == "" {
		name = s.src.Collection
	}
	b := s.bundle(name)
	if b.Collection != nil {
		s.mistakes.add(path, "The job collection '%s' is given twice.", name)
	}
	b.Collection, b.quota = c, !n.member("properties").member("quota").absent()
	for _, member := range []string{"jobs", "resources"} {
		if jobs := n.member(member); !jobs.absent() {
			s.item(jobs, join(path, member), name)
		}
	}
}

// job reads a job with its name, or bare properties.
func (s *sourceReader) job(n *node, path, within string) {
	name := n.member("name").str()
	collection, job, both := strings.Cut(name, "/")
	if !both {
		collection, job = "", name
	}
	id := n.member("id").str()
	first := func(names ...string) string {
		i := slices.IndexFunc(names, func(name string) bool { return name != "" })
		if i < 0 {
			return ""
		}
		return names[i]
	}
	b := s.bundle(first(collection, segment(id, "jobCollections"), within, s.src.Collection))
	job = first(job, segment(id, "jobs"), s.src.Job)
	read := readJob
	if n.member("action") != nil {
		read = readBare
	}
	d, mistakes := read(n, path)
	s.mistakes = append(s.mistakes, mistakes...)
	if d == nil {
		return
	}
	if slices.ContainsFunc(b.Jobs, func(o *BundledJob) bool { return strings.EqualFold(o.Name, job) }) {
		s.mistakes.add(path, "The job '%s' of the job collection '%s' is given twice.", job, b.Name)
		return
	}
	b.Jobs = append(b.Jobs, &BundledJob{Name: job, Document: d})
}

// segment is the part of a resource's id behind a word of its path.
func segment(id, word string) string {
	parts := strings.Split(id, "/")
	for i := range parts[:len(parts)-1] {
		if strings.EqualFold(parts[i], word) {
			return parts[i+1]
		}
	}
	return ""
}

func lastOf(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// MergeBundle adds a bundle of another file: the jobs of a collection may be spread over several.
func MergeBundle(bundles []*Bundle, more *Bundle) ([]*Bundle, Mistakes) {
	i := slices.IndexFunc(bundles, func(b *Bundle) bool { return strings.EqualFold(b.Name, more.Name) })
	if i < 0 {
		return append(bundles, more), nil
	}
	var mistakes Mistakes
	b := bundles[i]
	switch {
	case b.Collection != nil && more.Collection != nil:
		mistakes.add("", "The job collection '%s' is given twice.", more.Name)
	case more.Collection != nil:
		b.Collection, b.quota = more.Collection, more.quota
	}
	for _, j := range more.Jobs {
		if slices.ContainsFunc(b.Jobs, func(o *BundledJob) bool { return strings.EqualFold(o.Name, j.Name) }) {
			mistakes.add("", "The job '%s' of the job collection '%s' is given twice.", j.Name, b.Name)
			continue
		}
		b.Jobs = append(b.Jobs, j)
	}
	return bundles, mistakes
}
