package main

import (
	"context"
	"log/slog"
	"net"
	"net/url"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/web/azure"
)

// A serveConfig is what the user typed.
type serveConfig struct {
	folder    string // "" serves what is recorded
	data      string
	listen    string
	dev       bool
	outbound  outbound
	noShell   bool
	newKey    bool
	own       *certificate // nil is no TLS
	azure     azureGroup
	alerts    string // file of them; "" tells nobody
	slots     int
	logFormat string
	logLevel  slog.Level
	quiet     bool
	page      string        // address at which people reach the server
	clock     time.Duration // by how much the clock may jump ahead unasked

	metricsListen  string
	metricsPublic  bool
	workflowLabels int
}

func (a *app) serveCommand() *cobra.Command {
	var cfg serveConfig
	own := new(certificate)
	c := &cobra.Command{
		Use:   "serve [FOLDER]",
		Short: "plan each day ahead and run what is due, with an API",
		Long: `Load the folder's workflows into the data directory, write each natural day down before it begins, run what is due, and answer the API.
Without FOLDER it serves the definitions that were loaded last.

The first start on a new directory prints an admin token, once; only its hash is kept. Commands of the same user on the same machine need none: they
find the running server through the data directory. With --dev, on a loopback address only, nobody needs a token, and actions may reach loopback
addresses.

SIGHUP loads the folder again: when a definition is invalid nothing changes, and the mistakes are logged. A start is another matter: one bad file
stops one workflow, which runs as it was recorded last, and almanac status says so. SIGTERM and SIGINT end the server; shell
attempts that run go on, and the next start takes them over with their true outcome. So it is after a crash.

A clock that jumps ahead by more than --clock-limit is not believed until a second source agrees: the machine's clock since its start, a time
server, or a person who runs almanac clock confirm. Until then nothing is planned or started, and status says so.

On an address that others reach, give --tls-cert and --tls-key: requests carry tokens. SIGHUP reads both files again.`,
		Example: `  almanac serve pipelines --dev
  almanac serve pipelines --data /var/lib/almanac --listen 10.0.0.5:8443 --tls-cert cert.pem --tls-key key.pem
  kill -HUP $(pidof almanac)      # load pipelines again`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("%s does not take %q", c.CommandPath(), args[1])
			}
			return nil
		},
		ValidArgsFunction: completeFolders,
	}
	exits(c, exitFailed, exitInvalid, exitUnusable)
	data := a.addData(c)
	c.Flags().StringVar(&cfg.listen, "listen", "127.0.0.1:8080", "address of the API")
	c.Flags().StringVar(&cfg.page, "url", a.env["ALMANAC_URL"], "address at which people reach this server, such as https://almanac.example: alerts link to it (env ALMANAC_URL)")
	c.Flags().StringVar(&own.cert, "tls-cert", "", "file of the server's certificate, PEM, with those between it and its root behind it")
	c.Flags().StringVar(&own.key, "tls-key", "", "file of the certificate's key, PEM")
	c.Flags().BoolVar(&cfg.dev, "dev", false, "no token needed, and actions may reach loopback addresses; on a loopback address only")
	c.Flags().BoolVar(&cfg.noShell, "no-shell", false, "run no shell actions: they fail. Else whoever may write a job can run any program as this server's user")
	c.Flags().BoolVar(&cfg.newKey, "new-secret-key", false, "make a new key for the secrets that clients of Azure Scheduler put, in the place of a lost one")
	slots := addSlots(c)
	out := addOutbound(c)
	alerts := a.addAlerts(c)
	addAzureGroup(c, &cfg.azure)
	format := addChoice(c, "log-format", "", "lines for people, or one JSON object a line", "text", "json")
	level := addChoice(c, "log-level", "", "the least that is logged; debug has each request and each attempt", "info", "debug", "warn", "error")
	c.Flags().StringVar(&cfg.metricsListen, "metrics-listen", "", "address of its own for /metrics, /livez and /readyz; the API has them too")
	c.Flags().BoolVar(&cfg.metricsPublic, "metrics-public", false, "no token needed for /metrics at --metrics-listen")
	c.Flags().IntVar(&cfg.workflowLabels, "metrics-workflows", 0, "label counters with the workflow, for so many of them; the others share \"other\"")
	cfg.clock = time.Hour
	addLength(c, &cfg.clock, "clock-limit",
		"a clock that jumps ahead by more is not believed before a second source agrees; 0 believes every clock")
	c.Flags().BoolVar(&cfg.quiet, "quiet", false, "print warnings and errors only")
	c.RunE = func(c *cobra.Command, args []string) error {
		cfg.data, cfg.logFormat, cfg.alerts = *data, format.value, *alerts
		if err := cfg.logLevel.UnmarshalText([]byte(level.value)); err != nil {
			return err
		}
		if cfg.page != "" {
			if at, err := url.Parse(cfg.page); err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Host == "" || at.RawQuery != "" {
				return usagef("--url %q is no address; write https://almanac.example", cfg.page)
			}
		}
		if (own.cert == "") != (own.key == "") {
			return usagef("--tls-cert and --tls-key belong together; give both or none")
		}
		if own.cert != "" {
			cfg.own = own
		}
		if cfg.metricsPublic && cfg.metricsListen == "" {
			return usagef("--metrics-public is about an address of its own; name it with --metrics-listen")
		}
		if cfg.clock < 0 {
			return usagef("--clock-limit is %s; it is at least 0, which believes every clock", cfg.clock)
		}
		if cfg.workflowLabels < 0 || cfg.workflowLabels > maxWorkflowLabels {
			return usagef("--metrics-workflows is %d; 0 to %d can be had", cfg.workflowLabels, maxWorkflowLabels)
		}
		if len(args) > 0 {
			cfg.folder = args[0]
		}
		var err error
		if cfg.slots, err = slotsOf(c, *slots); err != nil {
			return err
		}
		if cfg.outbound, err = out.value(); err != nil {
			return err
		}
		if err := azure.CheckGroup(cfg.azure.subscription, cfg.azure.group); err != nil {
			return usagef("--azure-subscription, --azure-resource-group: %v", err)
		}
		ctx, stop := signal.NotifyContext(c.Context(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		context.AfterFunc(ctx, stop) // a second signal ends the process at once
		return (&server{app: a, cfg: cfg}).serve(ctx)
	}
	return c
}

// maxWorkflowLabels keeps what a monitoring system has to store within bounds.
const maxWorkflowLabels = 500

// isLoopback reports whether everything that the address listens on is a loopback address.
func isLoopback(ctx context.Context, address string) (bool, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false, usagef("--listen %q: %v; write host:port", address, err)
	}
	if host == "" {
		return false, nil
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return false, usagef("--listen %q: %v", address, err)
	}
	for _, ip := range ips {
		if !ip.Unmap().IsLoopback() {
			return false, nil
		}
	}
	return len(ips) > 0, nil
}
