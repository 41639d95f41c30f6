package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/services/scheduler/mgmt/2016-03-01/scheduler" //nolint:staticcheck // deprecated with its service; it is what people have
	"github.com/Azure/go-autorest/autorest"
	"github.com/Azure/go-autorest/autorest/date"
	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/action/actiontest"
)

func ptr[T any](v T) *T { return &v }

// bearer signs requests as a client does that was given a token.
type bearer string

func (b bearer) WithAuthorization() autorest.PrepareDecorator {
	return autorest.WithBearerAuthorization(string(b))
}

// heard sends the requests of a client, and keeps all that it is answered.
type heard struct{ bytes.Buffer }

func (h *heard) Do(r *http.Request) (*http.Response, error) {
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	_ = answer.Header.Write(h)
	h.Write(body)
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return answer, err
}

// A ledOutServer is the real program, that clients of Azure Scheduler reach with a token and whose actions reach this machine.
type ledOutServer struct {
	file   serverFile
	data   string
	output *bytes.Buffer // complete when stop has returned
	stop   func()
}

func startLedOut(t *testing.T, trust string, flags ...string) *ledOutServer {
	t.Helper()
	dir := t.TempDir()
	roots := filepath.Join(dir, "roots.pem")
	require.NoError(t, os.WriteFile(roots, []byte(trust), 0o600))
	s := &ledOutServer{data: filepath.Join(dir, "data"), output: new(bytes.Buffer)}
	c := exec.Command(builtProgram(t), append([]string{"serve", "--data", s.data, "--listen", "127.0.0.1:0", "--allow-network", "127.0.0.0/8"}, flags...)...)
	c.Env = append(os.Environ(), "SSL_CERT_FILE="+roots, "SSL_CERT_DIR="+dir)
	c.Stdout, c.Stderr = s.output, s.output
	require.NoError(t, c.Start())
	s.stop = func() {
		require.NoError(t, c.Process.Signal(os.Interrupt))
		require.NoError(t, c.Wait())
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
		if t.Failed() {
			t.Logf("the server:\n%s", s.output)
		}
	})
	poll(t, "the server", func() bool {
		var ok bool
		s.file, ok = readServerFile(s.data)
		return ok && s.file.PID == c.Process.Pid && answers(s.file.Address+"/readyz")
	})
	return s
}

// Each type of action by the unmodified SDK, from the definition to what arrives: a real server, a real queue, a real broker. Whatever was secret in a
// definition comes back in no answer, though the targets repeat what they are sent, and is not to be read in the server's files and words either.
//
// Not beside other tests, some of which measure time: the components take the machine to themselves while they start.
func TestTheSDKDrivesEveryTypeOfAction(t *testing.T) {
	ca := actiontest.NewAuthority(t)
	queues := actiontest.StartAzurite(t)
	queues.Create(t, "myqueue")
	broker := actiontest.StartRabbit(t, ca)
	const (
		password, pfxPassword, oauthSecret = "TOPSECRETpassword", "TOPSECRETofThePFX", "TOPSECRETofTheClient"
		token, busKey                      = "TOPSECRETtoken", "TOPSECRETkeyOfTheBusByREST"
	)
	anybody := func(*http.Request) string { return "" }
	plain := newTarget(t, nil, http.StatusOK, anybody)
	basic := newTarget(t, ca.TLS(t, false), http.StatusOK, func(r *http.Request) string {
		if user, given, _ := r.BasicAuth(); user != "user" || given != password {
			return "not the user, or not the password"
		}
		return ""
	})
	demanding := newTarget(t, ca.TLS(t, true), http.StatusAccepted, func(r *http.Request) string {
		if name := r.TLS.PeerCertificates[0].Subject.CommonName; name != "the scheduler" {
			return "the certificate of " + name
		}
		return ""
	})
	service := newTarget(t, ca.TLS(t, false), http.StatusNoContent, func(r *http.Request) string {
		if r.Header.Get("Authorization") != "Bearer "+token {
			return "not the token"
		}
		return ""
	})
	bus := newTarget(t, ca.TLS(t, false), http.StatusCreated, func(r *http.Request) string { return unsigned(r, "https", "RootPolicy", busKey) })
	tokens := tokenEndpoint(t, ca.TLS(t, false), "contoso.example", "https://management/", "app", oauthSecret, token)
	pfx := ca.PFX(t, "the scheduler", pfxPassword, time.Hour)
	sas := queues.SAS("myqueue", "a", actiontest.Later)
	_, sig, _ := strings.Cut(sas, "sig=")

	s := startLedOut(t, ca.PEM(), "--azure-queues", "http://"+queues.Address+"/{account}", "--azure-bus", bus.URL, "--azure-bus-amqp", "amqps://"+broker.Secure, "--azure-authority", tokens.URL)
	const subscription, group = "00000000-0000-0000-0000-000000000000", "almanac"
	ctx, answers := t.Context(), new(heard)
	collections := scheduler.NewJobCollectionsClientWithBaseURI(s.file.Address, subscription)
	jobs := scheduler.NewJobsClientWithBaseURI(s.file.Address, subscription)
	collections.Authorizer, jobs.Authorizer = bearer(s.file.Token), bearer(s.file.Token)
	collections.Sender, jobs.Sender = answers, answers
	_, err := collections.CreateOrUpdate(ctx, group, "jc1", scheduler.JobCollectionDefinition{Location: ptr("West Europe"),
		Properties: &scheduler.JobCollectionProperties{Sku: &scheduler.Sku{Name: scheduler.Standard}}})
	require.NoError(t, err)

	request := func(s *target, authentication scheduler.BasicHTTPAuthentication) *scheduler.HTTPRequest {
		return &scheduler.HTTPRequest{URI: ptr(s.URL + "/path"), Method: ptr("POST"), Body: ptr("the message"), Headers: map[string]*string{"X-One": ptr("1")}, Authentication: authentication}
	}
	signed := func(name, key string) *scheduler.ServiceBusAuthentication {
		return &scheduler.ServiceBusAuthentication{Type: scheduler.SharedAccessKey, SasKeyName: &name, SasKey: &key}
	}
	properties := &scheduler.ServiceBusBrokeredMessageProperties{ContentType: ptr("text/plain"), Label: ptr("label"), MessageID: ptr("m1"), TimeToLive: ptr("PT1H")}
	custom := map[string]*string{"appname": ptr("FromScheduler")}
	rest := func(entity string) func(t *testing.T) string {
		return func(t *testing.T) string {
			a := bus.one(t)
			require.Equal(t, entity+"/messages", a.URL.Path)
			require.Equal(t, "text/plain", a.Header.Get("Content-Type"))
			require.Equal(t, `"FromScheduler"`, a.Header.Get("appname"))
			require.JSONEq(t, `{"Label": "label", "MessageId": "m1", "TimeToLive": 3600}`, a.Header.Get("BrokerProperties"))
			return a.body
		}
	}
	amqp := func(queue string) func(t *testing.T) string {
		return func(t *testing.T) string {
			m := broker.Receive(t, queue)
			require.Equal(t, []any{"m1", "text/plain", "label"}, []any{m.Properties.MessageID, *m.Properties.ContentType, *m.Properties.Subject})
			require.Equal(t, "FromScheduler", m.ApplicationProperties["appname"])
			require.Equal(t, time.Hour, m.Header.TTL)
			return string(m.GetData())
		}
	}
	called := func(s *target) func(t *testing.T) string {
		return func(t *testing.T) string {
			a := s.one(t)
			require.Equal(t, "POST /path 1", a.Method+" "+a.URL.Path+" "+a.Header.Get("X-One"))
			return a.body
		}
	}

	for _, c := range []struct {
		name    string
		action  *scheduler.JobAction
		arrived func(t *testing.T) string // the message
		tells   string                    // the history
	}{
		{"http", &scheduler.JobAction{Type: scheduler.HTTP, Request: request(plain, nil)}, called(plain), "Http Action - Response from host '127.0.0.1': 'OK' "},
		{"https-basic", &scheduler.JobAction{Type: scheduler.HTTPS, Request: request(basic, scheduler.BasicAuthentication{Username: ptr("user"), Password: ptr(password)})},
			called(basic), "Http Action - Response from host '127.0.0.1': 'OK' "},
		{"https-certificate", &scheduler.JobAction{Type: scheduler.HTTPS, Request: request(demanding, scheduler.ClientCertAuthentication{Pfx: &pfx, Password: ptr(pfxPassword)})},
			called(demanding), "Http Action - Response from host '127.0.0.1': 'Accepted' "},
		{"https-oauth", &scheduler.JobAction{Type: scheduler.HTTPS, Request: request(service, scheduler.OAuthAuthentication{Tenant: ptr("contoso.example"),
			Audience: ptr("https://management/"), ClientID: ptr("app"), Secret: ptr(oauthSecret)})}, called(service), "Http Action - Response from host '127.0.0.1': 'No Content' "},
		{"storage-queue", &scheduler.JobAction{Type: scheduler.StorageQueue, QueueMessage: &scheduler.StorageQueueMessage{StorageAccount: &queues.Account,
			QueueName: ptr("myqueue"), SasToken: &sas, Message: ptr("the message")}}, func(t *testing.T) string {
			text := queues.Take(t, "myqueue")
			require.Contains(t, text, "<SchedulerJobId>storage-queue</SchedulerJobId>")
			require.Contains(t, text, "<SchedulerJobCollectionId>jc1</SchedulerJobCollectionId>")
			_, text, _ = strings.Cut(text, "<Message>")
			text, _, _ = strings.Cut(text, "</Message>")
			return text
		}, "StorageQueue Action - "},
		{"bus-queue-amqp", &scheduler.JobAction{Type: scheduler.ServiceBusQueue, ServiceBusQueueMessage: &scheduler.ServiceBusQueueMessage{Namespace: ptr("ns"), QueueName: ptr("q1"),
			TransportType: scheduler.ServiceBusTransportTypeAMQP, Authentication: signed(broker.User, broker.Key), Message: ptr("the message"),
			BrokeredMessageProperties: properties, CustomMessageProperties: custom}}, amqp("q1"), "ServiceBusQueue Action - "},
		{"bus-queue-rest", &scheduler.JobAction{Type: scheduler.ServiceBusQueue, ServiceBusQueueMessage: &scheduler.ServiceBusQueueMessage{Namespace: ptr("ns"), QueueName: ptr("q1"),
			TransportType: scheduler.ServiceBusTransportTypeNetMessaging, Authentication: signed("RootPolicy", busKey), Message: ptr("the message"),
			BrokeredMessageProperties: properties, CustomMessageProperties: custom}}, rest("/q1"), "ServiceBusQueue Action - "},
		{"bus-topic-amqp", &scheduler.JobAction{Type: scheduler.ServiceBusTopic, ServiceBusTopicMessage: &scheduler.ServiceBusTopicMessage{Namespace: ptr("ns"), TopicPath: ptr("/topic/t1"),
			TransportType: scheduler.ServiceBusTransportTypeAMQP, Authentication: signed(broker.User, broker.Key), Message: ptr("the message"),
			BrokeredMessageProperties: properties, CustomMessageProperties: custom}}, amqp("topics"), "ServiceBusTopic Action - "},
		{"bus-topic-rest", &scheduler.JobAction{Type: scheduler.ServiceBusTopic, ServiceBusTopicMessage: &scheduler.ServiceBusTopicMessage{Namespace: ptr("ns"), TopicPath: ptr("topics/t1"),
			TransportType: scheduler.ServiceBusTransportTypeNetMessaging, Authentication: signed("RootPolicy", busKey), Message: ptr("the message"),
			BrokeredMessageProperties: properties, CustomMessageProperties: custom}}, rest("/topics/t1"), "ServiceBusTopic Action - "},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now().UTC().Truncate(time.Second).AddDate(0, 0, 1)
			put, err := jobs.CreateOrUpdate(ctx, group, "jc1", c.name, scheduler.JobDefinition{Properties: &scheduler.JobProperties{StartTime: &date.Time{Time: start},
				Action: c.action, Recurrence: &scheduler.JobRecurrence{Frequency: scheduler.Day}}})
			require.NoError(t, err)
			require.Equal(t, http.StatusCreated, put.StatusCode)
			got, err := jobs.Get(ctx, group, "jc1", c.name)
			require.NoError(t, err)
			require.Equal(t, "jc1/"+c.name, *got.Name)
			require.Equal(t, c.action.Type, got.Properties.Action.Type)
			list, err := jobs.List(ctx, group, "jc1", nil, nil, "state eq Enabled")
			require.NoError(t, err)
			require.Len(t, list.Values(), 1)
			require.Equal(t, *got.Name, *list.Values()[0].Name)
			patched, err := jobs.Patch(ctx, group, "jc1", c.name, scheduler.JobDefinition{Properties: &scheduler.JobProperties{Recurrence: &scheduler.JobRecurrence{Interval: ptr(int32(2))}}})
			require.NoError(t, err)
			require.Equal(t, int32(2), *patched.Properties.Recurrence.Interval)
			require.Equal(t, got.Properties.Action, patched.Properties.Action)
			require.True(t, start.Equal(patched.Properties.Status.NextExecutionTime.Time))

			_, err = jobs.Run(ctx, group, "jc1", c.name)
			require.NoError(t, err)
			var entries []scheduler.JobHistoryDefinition
			poll(t, "the history", func() bool {
				history, err := jobs.ListJobHistory(ctx, group, "jc1", c.name, nil, nil, "")
				require.NoError(t, err)
				entries = history.Values()
				return len(entries) > 0
			})
			require.Len(t, entries, 1)
			h := entries[0].Properties
			require.Equal(t, []any{scheduler.JobExecutionStatus("completed"), scheduler.MainAction, int32(0), int32(1)}, []any{h.Status, h.ActionName, *h.RetryCount, *h.RepeatCount}, *h.Message)
			require.Contains(t, *h.Message, c.tells)
			require.Equal(t, "the message", c.arrived(t))
			got, err = jobs.Get(ctx, group, "jc1", c.name)
			require.NoError(t, err)
			require.Equal(t, []int32{1, 0, 0}, []int32{*got.Properties.Status.ExecutionCount, *got.Properties.Status.FailureCount, *got.Properties.Status.FaultedCount})
			require.True(t, start.Equal(got.Properties.Status.NextExecutionTime.Time), "a run leaves the schedule alone")

			_, err = jobs.Delete(ctx, group, "jc1", c.name)
			require.NoError(t, err)
			_, err = jobs.Get(ctx, group, "jc1", c.name)
			require.ErrorContains(t, err, `Code="ResourceNotFound"`)
		})
	}

	s.stop()
	kept := answers.String() + s.output.String()
	require.Contains(t, kept, `"certificateSubjectName":"CN=the scheduler"`)
	for _, masked := range []string{"X-You-Sent: Basic ***", "you sent Basic *** to /path", "X-You-Sent: Bearer ***"} {
		require.Contains(t, kept, masked, "what a target repeats is shown without the secret")
	}
	require.NoError(t, filepath.WalkDir(s.data, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		kept += string(text)
		return err
	}))
	for _, secret := range []string{"TOPSECRET", pfx[:64], pfx[len(pfx)-64:], sig, sig[:20]} {
		at := strings.Index(kept, secret)
		require.Equal(t, -1, at, "%q", kept[max(0, at-200):min(len(kept), max(at, 0)+200)])
	}
}
