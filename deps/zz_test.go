package deps_test
import ("testing";"pgregory.net/rapid";"fmt")
func TestZZ(t *testing.T){
 reasons:=map[string]int{}; due:=0; sets:=0; ranges:=0
 rapid.Check(t, func(t *rapid.T){
  _,p,b:=drawEdge(t)
  for _,at:=range p.dueThatDay(){ due++; g:=b.Bind(at); reasons[g.Reason.String()]++; sets+=g.Len(); if len(g.Ranges)>0{ranges++} }
 })
 fmt.Println(due,sets,ranges,reasons)
}
