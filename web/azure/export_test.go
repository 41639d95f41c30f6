package azure

import "github.com/almanac-sched/almanac/engine"

func (v *Vault) Own(tx engine.Tx) error { return v.own(tx) }
