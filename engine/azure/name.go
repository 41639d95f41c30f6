package azure

import (
	"regexp"
	"strings"
)

// NameForm is what the service takes as the name of a collection or a job.
var NameForm = regexp.MustCompile(`^[a-zA-Z][-_a-zA-Z0-9]{0,99}$`)

// EnvName is the environment variable that an imported secret is read from: the words of its path in capitals.
func EnvName(parts ...string) string {
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteByte('_')
		}
		lower := false
		for _, c := range part {
			switch {
			case c >= 'A' && c <= 'Z':
				if lower {
					b.WriteByte('_')
				}
				b.WriteRune(c)
			case c >= 'a' && c <= 'z':
				b.WriteRune(c - 'a' + 'A')
			case c >= '0' && c <= '9':
				b.WriteRune(c)
			default:
				b.WriteByte('_')
			}
			lower = c >= 'a' && c <= 'z'
		}
	}
	name := b.String()
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name[:min(len(name), 255)]
}
