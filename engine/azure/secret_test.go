package azure_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha1"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"software.sslmate.com/src/go-pkcs12"

	"github.com/almanac-sched/almanac/engine/azure"
)

func marshal(t require.TestingT, v any) string {
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

// clientCertificate makes a certificate of its own, as PKCS #12 in base64.
func clientCertificate(t *testing.T, password string) (pfx, thumbprint string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "contoso.com"}, NotBefore: created, NotAfter: created.AddDate(1, 0, 0)}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	certificate, err := x509.ParseCertificate(raw)
	require.NoError(t, err)
	data, err := pkcs12.Modern.Encode(key, certificate, nil, password)
	require.NoError(t, err)
	return base64.StdEncoding.EncodeToString(data), fmt.Sprintf("%X", sha1.Sum(raw))
}

// An answer shows no secret of any action; of a certificate it shows what it is.
func TestAnAnswerShowsNoSecret(t *testing.T) {
	pfx, thumbprint := clientCertificate(t, "s3cret")
	d, mistakes := azure.ReadJob([]byte(`{"properties": {"action": {"type": "https", "request": {"uri": "https://a", "method": "GET",
		"authentication": {"type": "ClientCertificate", "pfx": "` + pfx + `", "password": "s3cret"}},
		"errorAction": {"type": "serviceBusQueue", "serviceBusQueueMessage": {"queueName": "q", "namespace": "n", "message": "m", "authentication": {"type": "sharedAccessKey", "sasKeyName": "k", "sasKey": "s3cret"}}}}}}`))
	require.NoError(t, mistakes.Err())
	public := marshal(t, d.Properties.Public())
	require.NotContains(t, public, "s3cret")
	require.NotContains(t, public, pfx)
	require.Contains(t, public, `"authentication":{"type":"ClientCertificate","certificateThumbprint":"`+thumbprint+`","certificateSubjectName":"CN=contoso.com",`+
		`"certificateExpiration":"2027-03-04T12:25:30Z","certificateExpirationDate":"2027-03-04T12:25:30Z"}`)
	require.Contains(t, public, `"authentication":{"sasKeyName":"k","type":"sharedAccessKey"}`)
	require.Equal(t, pfx, d.Properties.Action.Request.Authentication.PFX, "the properties themselves are as they were")

	clean, secrets := d.Properties.TakeSecrets()
	require.Equal(t, map[string]string{"pfx": pfx, "pfxPassword": "s3cret", "errorSasKey": "s3cret"}, secrets)
	require.NotContains(t, marshal(t, clean), "s3cret")
	require.Equal(t, d.Properties, clean.PutSecrets(secrets))

	translation, mistakes := d.Translate(azure.Target{Workflow: "jc1", Job: "j1"})
	require.NoError(t, mistakes.Err())
	require.Len(t, translation.Secrets, 3)
	require.NotContains(t, string(translation.Job.Definition), "s3cret")
	require.NotContains(t, string(translation.Job.Definition), pfx)
	require.Equal(t, "JC1_J1_ERROR_SAS_KEY", translation.Job.Secrets["errorSasKey"].Env)
}

func TestReadCertificate(t *testing.T) {
	pfx, thumbprint := clientCertificate(t, "open")
	c, err := azure.ReadCertificate(pfx, "open")
	require.NoError(t, err)
	require.Equal(t, azure.Certificate{Thumbprint: thumbprint, Subject: "CN=contoso.com", Expires: created.AddDate(1, 0, 0)}, c)
	for _, wrong := range []struct{ pfx, password, want string }{
		{pfx, "sesame", "the password does not fit"}, {"%", "", "it is not base64"}, {"bm9uZQ==", "", "it is no PKCS #12 with a certificate and its key"},
	} {
		_, err := azure.ReadCertificate(wrong.pfx, wrong.password)
		require.EqualError(t, err, wrong.want)
	}
}

// The properties of all types show nothing when they are printed.
func TestEveryPlaceOfASecretIsEmptied(t *testing.T) {
	for _, action := range []string{
		`"type": "storageQueue", "queueMessage": {"storageAccount": "a", "queueName": "q", "sasToken": "s3cret", "message": "m"}`,
		`"type": "serviceBusTopic", "serviceBusTopicMessage": {"topicPath": "t", "namespace": "n", "message": "m", "authentication": {"sasKeyName": "k", "sasKey": "s3cret"}}`,
		`"type": "http", "request": {"uri": "http://a", "method": "GET", "authentication": {"type": "basic", "username": "u", "password": "s3cret"}}`,
		`"type": "http", "request": {"uri": "http://a", "method": "GET", "authentication": {"type": "ActiveDirectoryOAuth", "tenant": "t", "audience": "a", "clientId": "c", "secret": "s3cret"}}`,
		`"type": "http", "request": {"uri": "http://a", "method": "GET", "authentication": {"type": "ClientCertificate", "pfx": "s3cret", "password": "s3cret"}}`,
	} {
		for _, text := range []string{`{"properties": {"action": {` + action + `}}}`,
			`{"properties": {"action": {"type": "http", "request": {"uri": "http://a", "method": "GET"}, "errorAction": {` + action + `}}}}`} {
			d, mistakes := azure.ReadJob([]byte(text))
			require.NoError(t, mistakes.Err())
			require.Contains(t, marshal(t, d.Properties), "s3cret")
			require.NotContains(t, marshal(t, d.Properties.Public()), "s3cret")
			require.NotContains(t, fmt.Sprint(d.Properties), "s3cret")
			imported, mistakes := azure.ReadJob([]byte(marshal(t, azure.Job{Properties: d.Properties.Public()})))
			require.NoError(t, mistakes.Err(), "what the service shows can be imported")
			translation, mistakes := imported.Translate(azure.Target{Workflow: "w", Job: "j", Import: true})
			require.NoError(t, mistakes.Err())
			require.NotEmpty(t, translation.Secrets)
			require.Empty(t, translation.Secrets[0].Value)
		}
	}
}
