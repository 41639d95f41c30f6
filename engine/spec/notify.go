package spec

import "github.com/almanac-sched/almanac/engine"

// notifyShape is one line of notify. Its short form is the name of the sink alone.
var notifyShape = newShape("notify", "A sink, and what it is told.",
	field{name: "sink", typ: nameType, required: true, doc: "Name of a sink of the server."},
	field{name: "kinds", typ: items(words(classWords()...)), doc: "What it is told of.", def: "all of them"},
	field{name: "interval", typ: durationType, doc: "At least so long between two messages of one kind about one cause.", def: "none"},
)

var notifyType = &typ{
	kind: listKind, single: true, empty: true, elem: &typ{kind: objectKind, shape: notifyShape, short: nameType},
}

func classWords() (words []string) {
	for _, c := range engine.AlertClasses {
		words = append(words, string(c))
	}
	return words
}

// notifyList is where it stands whom a job tells: in itself, else in `defaults`, else in the workflow; nil is nowhere.
func (d *decoder) notifyList(job *value) *value {
	if list := job.field("notify"); list != nil {
		return list
	}
	return d.told
}

// notifyLines reads whom a job tells; nil is that nobody says.
func (d *decoder) notifyLines(list *value) []engine.Notify {
	if !list.ok() {
		return nil
	}
	lines := []engine.Notify{}
	told := map[string]bool{}
	for _, item := range list.items() {
		if item.bad {
			continue
		}
		named := item
		if item.fields != nil {
			named = item.field("sink")
		}
		n := engine.Notify{Sink: named.str(), Interval: d.duration(item.field("interval"), 0)}
		for _, kind := range item.field("kinds").items() {
			n.Kinds = append(n.Kinds, engine.AlertClass(kind.text))
		}
		if told[n.Sink] {
			d.fail(named, "write all its kinds in one line", "the sink %s stands here twice", n.Sink)
		}
		told[n.Sink] = true
		lines = append(lines, n)
	}
	return lines
}

func notifyMembers(n engine.Notify) members {
	m := members{"sink": n.Sink}
	putList(m, "kinds", n.Kinds)
	putDuration(m, "interval", n.Interval, 0)
	return m
}
