import { type ComponentType, lazy } from "react";
import { Home } from "./home/home";
import type { Key } from "./i18n/en";
import { code } from "./parts/code";

/** A Page is a path of the UI. The server must know each path too: web/ui.go has the same list, and a test holds them together. */
export interface Page {
  path: string; // as the router has it, :name stands for one segment
  title: Key;
  component: ComponentType;
  nav?: { icon: string; key: string }; // in the navigation; g and this key go there
  full?: boolean; // the page fills the window and scrolls inside
}

export const pages: Page[] = [
  { path: "/", title: "nav.home", component: Home, nav: { icon: "M2 8l6-5.6L14 8M4 6.6V14h8V6.6", key: "h" } },
  {
    path: "/incidents",
    title: "nav.incidents",
    component: lazy(() => code(() => import("./incidents/incidents"))),
    nav: { icon: "M8 2.2 14.4 13.6H1.6zM8 6.6v3.2M8 11.6v.3", key: "n" },
    full: true,
  },
  { path: "/incidents/:id", title: "incident.title", component: lazy(() => code(() => import("./incidents/incident"))) },
  {
    path: "/day",
    title: "nav.day",
    component: lazy(() => code(() => import("./board/board"))),
    nav: { icon: "M2 3.5h6M5 8h8M3 12.5h5M11 2v3.5M10.5 10.5v4", key: "d" },
    full: true,
  },
  { path: "/day/:date", title: "nav.day", component: lazy(() => code(() => import("./board/board"))), full: true },
  {
    path: "/instances",
    title: "nav.instances",
    component: lazy(() => code(() => import("./instances/instances"))),
    nav: { icon: "M2 3.6h12M2 8h12M2 12.4h12", key: "i" },
    full: true,
  },
  { path: "/instances/:id", title: "instance.title", component: lazy(() => code(() => import("./instance/instance"))) },
  { path: "/planned", title: "ahead.title", component: lazy(() => code(() => import("./instance/planned"))) },
  { path: "/instances/:id/graph", title: "graph.title", component: lazy(() => code(() => import("./graph/graph"))), full: true },
  { path: "/graph", title: "graph.title", component: lazy(() => code(() => import("./graph/graph"))), full: true },
  {
    path: "/jobs",
    title: "nav.jobs",
    component: lazy(() => code(() => import("./jobs/jobs"))),
    nav: { icon: "M2 5h12v9H2zM5.6 5V2.4h4.8V5M2 9h12", key: "j" },
    full: true,
  },
  { path: "/jobs/:workflow/:job", title: "job.title", component: lazy(() => code(() => import("./jobs/job"))) },
  {
    path: "/definitions/:workflow",
    title: "definition.title",
    component: lazy(() => code(() => import("./definition/definition"))),
    full: true,
  },
  {
    path: "/backfills",
    title: "backfills.title",
    component: lazy(() => code(() => import("./backfills/backfills"))),
    nav: { icon: "M7.6 4 3 8l4.6 4zM13 4 8.4 8l4.6 4z", key: "b" },
    full: true,
  },
  { path: "/backfills/new", title: "wizard.title", component: lazy(() => code(() => import("./backfills/new"))) },
  { path: "/backfills/:id", title: "backfill.title", component: lazy(() => code(() => import("./backfills/backfill"))) },
  {
    path: "/simulate",
    title: "nav.simulate",
    component: lazy(() => code(() => import("./simulate/simulate"))),
    nav: { icon: "M2 3.6h6M5 8h7M9 12.4h5", key: "s" },
    full: true,
  },
  {
    path: "/admin",
    title: "nav.admin",
    component: lazy(() => code(() => import("./admin/admin"))),
    nav: {
      icon: "M2 4.6h6M12 4.6h2M8.4 4.6a1.8 1.8 0 1 0 3.6 0 1.8 1.8 0 0 0-3.6 0M2 11.4h2M8 11.4h6M4.4 11.4a1.8 1.8 0 1 0 3.6 0 1.8 1.8 0 0 0-3.6 0",
      key: "a",
    },
    full: true,
  },
];
