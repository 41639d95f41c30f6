package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/web/azure"
)

// expireEvery is how often jobs that ended long ago are looked for.
const expireEvery = 10 * time.Minute

// An azureGroup is where clients of Azure Scheduler find the workflows of the folder.
type azureGroup struct{ subscription, group string }

func addAzureGroup(c *cobra.Command, g *azureGroup) {
	c.Flags().StringVar(&g.subscription, "azure-subscription", "00000000-0000-0000-0000-000000000000",
		"the server's own subscription, for clients of Azure Scheduler")
	c.Flags().StringVar(&g.group, "azure-resource-group", "almanac", "the server's own resource group, for clients of Azure Scheduler")
}

// face is what answers the clients of Azure Scheduler.
func (s *server) face() (*azure.Face, error) {
	return azure.New(azure.Config{
		Rows: s.db, Control: s.engine, Logs: s.runner.Logs(), Vault: s.vault, Decode: spec.DecodeJob,
		Subscription: s.cfg.azure.subscription, Group: s.cfg.azure.group, Now: s.clock, Log: s.log,
	})
}

// expire deletes the jobs of clients of Azure Scheduler that ended long ago.
func (s *server) expire(ctx context.Context) {
	n, err := s.azure.Expire(ctx, s.clock())
	switch {
	case err != nil && ctx.Err() == nil:
		s.log.Warn("jobs that ended long ago could not be deleted; trying again later", "error", err)
	case n > 0:
		s.log.Info("jobs deleted that ended 60 days ago", "jobs", n)
	}
}
