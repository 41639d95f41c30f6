package azure

import (
	"crypto/sha1" //nolint:gosec // the thumbprint of a certificate is its SHA-1; nothing is secured by it
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"software.sslmate.com/src/go-pkcs12"
)

// A Certificate is what the service shows of a client certificate.
type Certificate struct {
	Thumbprint string // SHA-1, upper case
	Subject    string // such as CN=contoso.com
	Expires    time.Time
}

// ReadCertificate reads the facts of a certificate out of a PKCS #12 in base64. The error never holds the password or the key.
func ReadCertificate(pfx, password string) (Certificate, error) {
	data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(pfx), ""))
	if err != nil {
		return Certificate{}, errors.New("it is not base64")
	}
	_, c, _, err := pkcs12.DecodeChain(data, password)
	switch {
	case errors.Is(err, pkcs12.ErrIncorrectPassword):
		return Certificate{}, errors.New("the password does not fit")
	case err != nil:
		return Certificate{}, errors.New("it is no PKCS #12 with a certificate and its key")
	}
	return Certificate{Thumbprint: fmt.Sprintf("%X", sha1.Sum(c.Raw)), Subject: c.Subject.String(), Expires: c.NotAfter}, nil
}
