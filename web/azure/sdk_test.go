package azure_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/services/scheduler/mgmt/2016-03-01/scheduler" //nolint:staticcheck // deprecated with its service; it is what people have
	"github.com/Azure/go-autorest/autorest"
	"github.com/Azure/go-autorest/autorest/date"
	"github.com/stretchr/testify/require"
)

func ptr[T any](v T) *T { return &v }

// bearer signs requests as a client does that was given a token.
type bearer string

func (b bearer) WithAuthorization() autorest.PrepareDecorator {
	return autorest.WithBearerAuthorization(string(b))
}

// clients are those of the Azure SDK for Go, unmodified but for the address and the token.
func (d *desk) clients() (scheduler.JobCollectionsClient, scheduler.JobsClient) {
	collections := scheduler.NewJobCollectionsClientWithBaseURI(d.server.URL, subscription)
	jobs := scheduler.NewJobsClientWithBaseURI(d.server.URL, subscription)
	collections.Authorizer, jobs.Authorizer = bearer(d.secret), bearer(d.secret)
	collections.RetryAttempts, jobs.RetryAttempts = 1, 1
	return collections, jobs
}

func TestTheGoSDKDoesEveryOperation(t *testing.T) {
	d, s := newDesk(t), newSink(t)
	ctx := t.Context()
	collections, jobs := d.clients()

	c, err := collections.CreateOrUpdate(ctx, group, "jc1", scheduler.JobCollectionDefinition{
		Location: ptr("South Central US"),
		Properties: &scheduler.JobCollectionProperties{
			Sku: &scheduler.Sku{Name: scheduler.Standard}, State: scheduler.Enabled,
			Quota: &scheduler.JobCollectionQuota{MaxJobCount: ptr(int32(20)), MaxRecurrence: &scheduler.JobMaxRecurrence{Frequency: scheduler.Minute, Interval: ptr(int32(1))}},
		},
	})
	require.NoError(t, err)
	require.Equal(t, 201, c.StatusCode)
	require.Equal(t, "jc1", *c.Name)
	require.Equal(t, int32(20), *c.Properties.Quota.MaxJobCount)
	c, err = collections.Patch(ctx, group, "jc1", scheduler.JobCollectionDefinition{Tags: map[string]*string{"k": ptr("v")}})
	require.NoError(t, err)
	require.Equal(t, "v", *c.Tags["k"])
	c, err = collections.Get(ctx, group, "jc1")
	require.NoError(t, err)
	require.Equal(t, scheduler.Standard, c.Properties.Sku.Name)
	for page, err := collections.ListByResourceGroup(ctx, group); page.NotDone(); err = page.NextWithContext(ctx) {
		require.NoError(t, err)
		require.Len(t, page.Values(), 1)
	}
	bySubscription, err := collections.ListBySubscription(ctx)
	require.NoError(t, err)
	require.Len(t, bySubscription.Values(), 1)

	request := func(uri string) *scheduler.HTTPRequest {
		return &scheduler.HTTPRequest{URI: ptr(s.URL + uri), Method: ptr("POST"), Body: ptr("body"), Headers: map[string]*string{"X-One": ptr("1")}}
	}
	start := d.now.Add(time.Hour)
	definition := scheduler.JobDefinition{Properties: &scheduler.JobProperties{
		StartTime: &date.Time{Time: start},
		Action: &scheduler.JobAction{
			Type: scheduler.HTTP, Request: request("/sdk"),
			RetryPolicy: &scheduler.RetryPolicy{RetryType: scheduler.Fixed, RetryInterval: ptr("PT1M"), RetryCount: ptr(int32(2))},
			ErrorAction: &scheduler.JobErrorAction{Type: scheduler.HTTP, Request: request("/error"), RetryPolicy: &scheduler.RetryPolicy{RetryType: scheduler.None}},
		},
		Recurrence: &scheduler.JobRecurrence{Frequency: scheduler.Hour, Interval: ptr(int32(1)), Count: ptr(int32(3))},
		State:      scheduler.JobStateEnabled,
	}}
	j, err := jobs.CreateOrUpdate(ctx, group, "jc1", "j1", definition)
	require.NoError(t, err)
	require.Equal(t, 201, j.StatusCode)
	require.Equal(t, "jc1/j1", *j.Name)
	require.Equal(t, "PT1M", *j.Properties.Action.RetryPolicy.RetryInterval)
	require.True(t, j.Properties.Status.NextExecutionTime.Equal(start))
	j, err = jobs.Patch(ctx, group, "jc1", "j1", scheduler.JobDefinition{Properties: &scheduler.JobProperties{Recurrence: &scheduler.JobRecurrence{Frequency: scheduler.Hour, Interval: ptr(int32(2))}}})
	require.NoError(t, err)
	require.Equal(t, int32(2), *j.Properties.Recurrence.Interval)
	require.Equal(t, int32(3), *j.Properties.Recurrence.Count, "a patch leaves what it does not name")
	j, err = jobs.Get(ctx, group, "jc1", "j1")
	require.NoError(t, err)
	require.Equal(t, "body", *j.Properties.Action.Request.Body)

	run, err := jobs.Run(ctx, group, "jc1", "j1")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, run.StatusCode)
	s.status = 500
	d.settle()
	d.pass(time.Minute, 30*time.Second)
	require.Equal(t, []string{"/sdk", "/sdk"}, s.paths(), "an attempt, and another a minute later")
	d.pass(10*time.Minute, 30*time.Second)
	require.Equal(t, []string{"/sdk", "/sdk", "/sdk", "/error"}, s.paths(), "the last attempt, and then the error action, once")
	history, err := jobs.ListJobHistory(ctx, group, "jc1", "j1", nil, nil, "")
	require.NoError(t, err)
	var told []string
	for history.NotDone() {
		for _, h := range history.Values() {
			told = append(told, fmt.Sprintf("%s %s, retry %d of occurrence %d", h.Properties.ActionName, h.Properties.Status, *h.Properties.RetryCount, *h.Properties.RepeatCount))
			require.Contains(t, *h.Properties.Message, "'Internal Server Error'")
		}
		require.NoError(t, history.NextWithContext(ctx))
	}
	require.Equal(t, []string{
		"ErrorAction failed, retry 0 of occurrence 1", "MainAction failed, retry 2 of occurrence 1", "MainAction failed, retry 1 of occurrence 1", "MainAction failed, retry 0 of occurrence 1",
	}, told)
	j, err = jobs.Get(ctx, group, "jc1", "j1")
	require.NoError(t, err)
	require.Equal(t, []int32{3, 3, 1}, []int32{*j.Properties.Status.ExecutionCount, *j.Properties.Status.FailureCount, *j.Properties.Status.FaultedCount}, "attempts of the action, those that failed, and occurrences that did")
	history, err = jobs.ListJobHistory(ctx, group, "jc1", "j1", ptr(int32(1)), ptr(int32(0)), "status eq Failed")
	require.NoError(t, err)
	for n := 1; history.NotDone(); n++ {
		require.Len(t, history.Values(), 1)
		require.LessOrEqual(t, n, 4)
		require.NoError(t, history.NextWithContext(ctx))
	}

	list, err := jobs.List(ctx, group, "jc1", ptr(int32(10)), nil, "state eq Enabled")
	require.NoError(t, err)
	require.Len(t, list.Values(), 1)
	list, err = jobs.List(ctx, group, "jc1", nil, nil, "state eq Faulted")
	require.NoError(t, err)
	require.Empty(t, list.Values())

	disabled, err := collections.Disable(ctx, group, "jc1")
	require.NoError(t, err)
	require.NoError(t, disabled.WaitForCompletionRef(ctx, collections.Client))
	c, err = collections.Get(ctx, group, "jc1")
	require.NoError(t, err)
	require.Equal(t, scheduler.Disabled, c.Properties.State)
	enabled, err := collections.Enable(ctx, group, "jc1")
	require.NoError(t, err)
	require.NoError(t, enabled.WaitForCompletionRef(ctx, collections.Client))

	deleted, err := jobs.Delete(ctx, group, "jc1", "j1")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, deleted.StatusCode)
	_, err = jobs.Get(ctx, group, "jc1", "j1")
	require.ErrorContains(t, err, `Code="ResourceNotFound"`)
	gone, err := collections.Delete(ctx, group, "jc1")
	require.NoError(t, err)
	require.NoError(t, gone.WaitForCompletionRef(ctx, collections.Client))
	_, err = collections.Get(ctx, group, "jc1")
	require.ErrorContains(t, err, `Code="ResourceNotFound"`)
}

func (s *sink) paths() (paths []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		paths = append(paths, r.URL.Path)
	}
	return paths
}

func TestTheGoSDKPutsEveryTypeOfAction(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	collections, jobs := d.clients()
	_, err := collections.CreateOrUpdate(ctx, group, "jc1", scheduler.JobCollectionDefinition{Properties: &scheduler.JobCollectionProperties{Sku: &scheduler.Sku{Name: scheduler.P10Premium}}})
	require.NoError(t, err)
	request := func(auth scheduler.BasicHTTPAuthentication) *scheduler.HTTPRequest {
		return &scheduler.HTTPRequest{URI: ptr("https://example.com/"), Method: ptr("GET"), Authentication: auth}
	}
	bus := func() *scheduler.ServiceBusAuthentication {
		return &scheduler.ServiceBusAuthentication{SasKey: ptr("TOPSECRET"), SasKeyName: ptr("policy"), Type: scheduler.SharedAccessKey}
	}
	brokered := &scheduler.ServiceBusBrokeredMessageProperties{ContentType: ptr("text/plain"), TimeToLive: ptr("P1D"), ForcePersistence: ptr(true), ScheduledEnqueueTimeUtc: &date.Time{Time: d.now}}
	for name, action := range map[string]*scheduler.JobAction{
		"basic": {Type: scheduler.HTTPS, Request: request(scheduler.BasicAuthentication{Username: ptr("u"), Password: ptr("TOPSECRET"), Type: scheduler.TypeBasic})},
		"oauth": {Type: scheduler.HTTPS, Request: request(scheduler.OAuthAuthentication{Tenant: ptr("t"), Audience: ptr("a"), ClientID: ptr("c"), Secret: ptr("TOPSECRET"), Type: scheduler.TypeActiveDirectoryOAuth})},
		"queue": {Type: scheduler.StorageQueue, QueueMessage: &scheduler.StorageQueueMessage{StorageAccount: ptr("acc"), QueueName: ptr("q"), SasToken: ptr("TOPSECRET"), Message: ptr("m")}},
		"busQueue": {Type: scheduler.ServiceBusQueue, ServiceBusQueueMessage: &scheduler.ServiceBusQueueMessage{QueueName: ptr("q"), Namespace: ptr("ns"), TransportType: scheduler.ServiceBusTransportTypeAMQP,
			Authentication: bus(), Message: ptr("m"), BrokeredMessageProperties: brokered, CustomMessageProperties: map[string]*string{"k": ptr("v")}}},
		"busTopic": {Type: scheduler.ServiceBusTopic, ServiceBusTopicMessage: &scheduler.ServiceBusTopicMessage{TopicPath: ptr("t"), Namespace: ptr("ns"), TransportType: scheduler.ServiceBusTransportTypeNetMessaging,
			Authentication: bus(), Message: ptr("m")}},
	} {
		t.Run(name, func(t *testing.T) {
			put, err := jobs.CreateOrUpdate(ctx, group, "jc1", name, scheduler.JobDefinition{Properties: &scheduler.JobProperties{StartTime: &date.Time{Time: d.now.Add(time.Hour)}, Action: action}})
			require.NoError(t, err)
			got, err := jobs.Get(ctx, group, "jc1", name)
			require.NoError(t, err)
			require.Equal(t, action.Type, got.Properties.Action.Type)
			_, err = jobs.Patch(ctx, group, "jc1", name, scheduler.JobDefinition{Properties: &scheduler.JobProperties{State: scheduler.JobStateDisabled}})
			require.NoError(t, err)
			put.Response, got.Response = autorest.Response{}, autorest.Response{}
			require.Equal(t, put, got)
			switch name {
			case "basic":
				auth, ok := got.Properties.Action.Request.Authentication.AsBasicAuthentication()
				require.True(t, ok)
				require.Equal(t, "u", *auth.Username)
				require.Nil(t, auth.Password)
			case "oauth":
				auth, ok := got.Properties.Action.Request.Authentication.AsOAuthAuthentication()
				require.True(t, ok)
				require.Nil(t, auth.Secret)
			case "queue":
				require.Nil(t, got.Properties.Action.QueueMessage.SasToken)
			case "busQueue":
				m := got.Properties.Action.ServiceBusQueueMessage
				require.Nil(t, m.Authentication.SasKey)
				require.Equal(t, scheduler.ServiceBusTransportTypeAMQP, m.TransportType)
				require.Equal(t, "P1D", *m.BrokeredMessageProperties.TimeToLive)
				require.Equal(t, "v", *m.CustomMessageProperties["k"])
			}
		})
	}
}
