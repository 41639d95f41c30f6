package action

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"

	"github.com/wneessen/go-mail"

	"github.com/almanac-sched/almanac/engine"
)

// mail sends a message by SMTP. The connection is made by the guarded dialer. A certificate that is not trusted is refused.
func (k *sink) mail(ctx context.Context, q *requests, m engine.AlertMessage, hidden *mask) error {
	letter := mail.NewMsg(mail.WithNoDefaultUserAgent())
	if err := errors.Join(letter.From(k.From), letter.To(k.To...)); err != nil {
		return &finalError{err}
	}
	letter.Subject(strings.Join(strings.Fields(cut(m.Title, 300)), " "))
	letter.SetDateWithValue(m.At)
	// The same id whenever it is repeated: mail programs show one.
	_, domain, _ := strings.Cut(strings.Trim(k.From[strings.LastIndex(k.From, " ")+1:], "<>"), "@")
	letter.SetMessageIDWithValue("almanac-" + m.ID + "@" + domain)
	letter.SetGenHeader("X-Almanac-Delivery", m.ID)
	letter.SetGenHeader("Auto-Submitted", "auto-generated")
	text := m.Text
	if k.template != nil {
		body, err := k.body(m)
		if err != nil {
			return &finalError{err}
		}
		text = string(body)
	}
	letter.SetBodyString(mail.TypeTextPlain, text)
	options := []mail.Option{
		mail.WithPort(k.Port), mail.WithTimeout(sinkPatience), mail.WithDialContextFunc(q.dialer.DialContext),
		mail.WithTLSConfig(&tls.Config{ServerName: k.Host, RootCAs: q.config.Roots, MinVersion: tls.VersionTLS12}),
	}
	switch k.TLS {
	case "tls":
		dial := &tls.Dialer{NetDialer: q.dialer, Config: &tls.Config{ServerName: k.Host, RootCAs: q.config.Roots, MinVersion: tls.VersionTLS12}}
		options = append(options, mail.WithSSL(), mail.WithDialContextFunc(dial.DialContext))
	case "none":
		options = append(options, mail.WithTLSPolicy(mail.NoTLS))
	default:
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if k.Password != nil {
		password, err := k.secret(*k.Password)
		if err != nil {
			return fmt.Errorf("its password: %w", err)
		}
		hidden.hide(password)
		login := mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover)
		if k.TLS == "tls" { // the library does not know that a connection that we dialled is encrypted
			login = mail.WithOpportunisticSMTPAuth(mail.SMTPAuthSCRAMSHA256, mail.SMTPAuthPlainNoEnc, mail.SMTPAuthLoginNoEnc)
		}
		options = append(options, login, mail.WithUsername(k.Username), mail.WithPassword(password))
	}
	client, err := mail.NewClient(k.Host, options...)
	if err != nil {
		return &finalError{err}
	}
	if err := client.DialAndSendWithContext(ctx, letter); err != nil {
		return judgeMail(k.Host, err)
	}
	return nil
}

// judgeMail tells refusals for good from those that may pass: a mail server says which it is.
func judgeMail(host string, err error) error {
	said := fmt.Errorf("%s: %w", host, err)
	var refused *mail.SendError
	if errors.As(err, &refused) && !refused.IsTemp() && refused.ErrorCode() >= 500 {
		return &finalError{said}
	}
	return said
}
