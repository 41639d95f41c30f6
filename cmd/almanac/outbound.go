package main

import (
	"net/netip"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine/action"
)

// outbound is where actions may go, and where those of Azure's types find their services.
type outbound struct {
	azure    action.Azure
	networks []netip.Prefix
}

// outboundFlags are what the user typed of it. They are the same wherever actions are carried out.
type outboundFlags struct {
	azure    action.Azure
	envelope *choice
	networks []string
}

func addOutbound(c *cobra.Command) *outboundFlags {
	f := new(outboundFlags)
	c.Flags().StringSliceVar(&f.networks, "allow-network", nil, "private or loopback network that actions may reach, such as 10.0.0.0/8; may be repeated")
	c.Flags().StringVar(&f.azure.Queue, "azure-queues", action.DefaultQueueEndpoint, "address of storage queues")
	c.Flags().StringVar(&f.azure.Bus, "azure-bus", action.DefaultBusEndpoint, "address of the Service Bus by REST")
	c.Flags().StringVar(&f.azure.BusAMQP, "azure-bus-amqp", action.DefaultBusAMQPEndpoint, "address of the Service Bus by AMQP 1.0; amqp:// is without TLS")
	c.Flags().StringVar(&f.azure.Authority, "azure-authority", action.DefaultAuthority, "who gives tokens to ActiveDirectoryOAuth, at /TENANT/oauth2/token")
	c.Flags().StringVar(&f.azure.Region, "azure-region", action.DefaultRegion, "region that the envelope of a storage queue's message names")
	f.envelope = addChoice(c, "queue-message", "", "form of a storage queue's message: Azure Scheduler's envelope, or plain", action.EnvelopeXML, action.EnvelopePlain)
	return f
}

// value is what was given, judged.
func (f *outboundFlags) value() (outbound, error) {
	o := outbound{azure: f.azure}
	o.azure.Envelope = f.envelope.value
	if err := o.azure.Check(); err != nil {
		return o, usagef("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	for _, text := range f.networks {
		network, err := netip.ParsePrefix(text)
		if address, single := netip.ParseAddr(text); single == nil {
			network, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil || network.Addr().Is4In6() {
			return o, usagef("--allow-network %q is no network such as 10.0.0.0/8 or fd00::/8", text)
		}
		o.networks = append(o.networks, network.Masked())
	}
	return o, nil
}
