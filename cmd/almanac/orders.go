package main

import (
	"fmt"

	"github.com/almanac-sched/almanac/web"
	"github.com/spf13/cobra"
)

func (a *app) ordersCommand() *cobra.Command {
	c := a.reading("orders", "list what is ordered ahead of instances to come",
		`List what people ordered of instances whose time is still to come: frozen, boosted or rescheduled. The planner obeys it whenever it plans the instance.
An order whose due time no definition has any more is kept, without an instance; unfreeze, boost and reschedule --to plan take it back.
Without a running server it reads the data directory.`,
		"orders", func() (any, func() error) {
			list := &web.OrderList{}
			return list, func() error { return a.printOrders(list) }
		})
	lists(c)
	return c
}

func (a *app) printOrders(list *web.OrderList) error {
	if len(list.Items) == 0 {
		_, err := fmt.Fprintln(a.stderr, "nothing is ordered ahead")
		return err
	}
	rows := make([][]string, len(list.Items))
	for n := range list.Items {
		o := &list.Items[n]
		id := "without an instance"
		if o.Instance != nil {
			id = o.Instance.String()
		}
		rows[n] = []string{o.Workflow + "/" + o.Job, a.view.clock(o.PlanTime), o.Text, o.By, id, o.Note}
	}
	return a.view.table(a.stdout, []string{"job", "plan time", "order", "by", "instance", "note"}, rows, nil)
}
