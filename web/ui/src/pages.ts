import { type ComponentType, lazy } from "react";
import { Home } from "./home/home";
import type { Key } from "./i18n/en";

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
    path: "/day",
    title: "nav.day",
    component: lazy(() => import("./board/board")),
    nav: { icon: "M2 3.5h6M5 8h8M3 12.5h5M11 2v3.5M10.5 10.5v4", key: "d" },
    full: true,
  },
  { path: "/day/:date", title: "nav.day", component: lazy(() => import("./board/board")), full: true },
  {
    path: "/instances",
    title: "nav.instances",
    component: lazy(() => import("./instances/instances")),
    nav: { icon: "M2 3.6h12M2 8h12M2 12.4h12", key: "i" },
    full: true,
  },
  { path: "/instances/:id", title: "instance.title", component: lazy(() => import("./instance/instance")) },
  {
    path: "/jobs",
    title: "nav.jobs",
    component: lazy(() => import("./jobs/jobs")),
    nav: { icon: "M2 5h12v9H2zM5.6 5V2.4h4.8V5M2 9h12", key: "j" },
    full: true,
  },
  { path: "/jobs/:workflow/:job", title: "job.title", component: lazy(() => import("./jobs/job")) },
];
