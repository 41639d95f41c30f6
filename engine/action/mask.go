package action

import (
	"encoding/base64"
	"io"
	"net/url"
	"strings"
)

// shortestSecret is the length below which a secret is not masked: so short a text would be found in words that have nothing to do with it.
const shortestSecret = 6

// A mask is a log that shows *** where a secret would stand: an answer may repeat what it was asked with.
type mask struct {
	to      io.Writer
	secrets []string
	longest int
	held    string // the end of what was written, as long as a secret may begin in it
}

// hide adds secrets.
func (m *mask) hide(secrets ...string) {
	for _, s := range secrets {
		if len(s) >= shortestSecret {
			m.secrets = append(m.secrets, s)
			m.longest = max(m.longest, len(s))
		}
	}
}

// hideAll adds the secrets that an attempt was given, in the forms in which they are likely to be repeated: as they are, line by line, in base64, and escaped
// for a URL or for JSON.
func (m *mask) hideAll(secrets []string) {
	for _, s := range secrets {
		if len(s) < shortestSecret {
			continue
		}
		m.hide(s, url.QueryEscape(s), url.PathEscape(s), strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `"`, `\"`))
		m.hide(base64.StdEncoding.EncodeToString([]byte(s)), base64.URLEncoding.EncodeToString([]byte(s)), base64.RawStdEncoding.EncodeToString([]byte(s)))
		if strings.Contains(s, "\n") {
			m.hide(strings.Split(s, "\n")...)
		}
		if u, err := url.Parse(s); err == nil && u.User != nil {
			if password, given := u.User.Password(); given {
				m.hide(password, url.QueryEscape(password), url.PathEscape(password))
			}
		}
	}
}

// hiddenValues are outputs with their secrets masked.
func (m *mask) hiddenValues(values map[string]string) map[string]string {
	for name, value := range values {
		values[name] = m.hidden(value)
	}
	return values
}

// Write implements io.Writer. It reports p as written whole when the log took what of it could be shown already.
func (m *mask) Write(p []byte) (int, error) {
	if m.longest == 0 {
		return m.to.Write(p)
	}
	text := m.held + string(p)
	var shown strings.Builder
	for {
		at, length := m.find(text)
		if at < 0 || m.goesOn(text[at:]) {
			break
		}
		shown.WriteString(text[:at])
		shown.WriteString("***")
		text = text[at+length:]
	}
	keep := m.begins(text)
	shown.WriteString(text[:keep])
	m.held = text[keep:]
	if _, err := io.WriteString(m.to, shown.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// begins returns where in a text a secret may begin whose end has not come yet: its length when none does.
func (m *mask) begins(text string) int {
	for at := max(0, len(text)-m.longest+1); at < len(text); at++ {
		if m.goesOn(text[at:]) {
			return at
		}
	}
	return len(text)
}

// goesOn reports that a text is the beginning of a longer secret.
func (m *mask) goesOn(text string) bool {
	for _, s := range m.secrets {
		if len(s) > len(text) && strings.HasPrefix(s, text) {
			return true
		}
	}
	return false
}

// flush writes what was held back.
func (m *mask) flush() {
	_, _ = io.WriteString(m.to, m.hidden(m.held))
	m.held = ""
}

// hidden is a text with its secrets masked.
func (m *mask) hidden(text string) string {
	for {
		at, length := m.find(text)
		if at < 0 {
			return text
		}
		text = text[:at] + "***" + text[at+length:]
	}
}

// find returns the first secret in a text, of two at one place the longer, and -1 when there is none.
func (m *mask) find(text string) (at, length int) {
	at = -1
	for _, s := range m.secrets {
		i := strings.Index(text, s)
		if i >= 0 && (at < 0 || i < at || i == at && len(s) > length) {
			at, length = i, len(s)
		}
	}
	return at, length
}
