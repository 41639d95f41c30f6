import { expect, test } from "vitest";
import { mostExpanded, mostHops, type Place, readPlace, toggled, writePlace } from "./state";

test("a place is in the address and comes back from it, beside what others keep there", () => {
  const place: Place = {
    up: 4,
    down: 0,
    expanded: [
      { way: "up", key: "12" },
      { way: "down", key: "w/a@2026-11-20T03:00:00Z" },
    ],
    open: ["w/q~2026-11-20T00:00:00Z~2026-11-20T23:45:00Z"],
    shut: ["w/q~a,b~c"],
    jobs: ["*"],
    selected: "12 → range w/q",
    list: true,
    limit: 1000,
    at: "2026-11-20T03:00:00+01:00",
  };
  const search = writePlace(new URLSearchParams("do=rerun&i=w/a@x&up=9&sel=old"), place);
  expect(readPlace(search)).toEqual(place);
  expect([search.get("do"), search.get("i")]).toEqual(["rerun", "w/a@x"]);
  expect(writePlace(new URLSearchParams("do=rerun"), readPlace(new URLSearchParams())).toString()).toBe("do=rerun");
});

test("what an address asks for in vain is left out, and nothing is without bounds", () => {
  const many = Array.from({ length: 200 }, (_, n) => `x=u${n}`).join("&");
  const place = readPlace(new URLSearchParams(`up=999&down=-3&limit=5000&at=yesterday&view=cake&x=q7&x=&open=${"a".repeat(700)}&${many}`));
  expect(place).toMatchObject({ up: mostHops, down: 1, limit: 300, at: "", list: false, open: [] });
  expect(place.expanded.length).toBeLessThanOrEqual(mostExpanded);
  expect(readPlace(new URLSearchParams("up=1e3&at=2026-99-99T00:00")).up).toBeNull();
  expect(readPlace(new URLSearchParams("at=2026-99-99T00:00")).at).toBe("");
});

test("toggled adds and takes away", () => {
  expect(toggled(toggled(["a"], "b"), "a")).toEqual(["b"]);
});
