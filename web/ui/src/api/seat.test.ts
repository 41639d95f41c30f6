import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Channel, type News, Seat } from "./seat";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A Room is what all tabs of a browser hear. */
class Room {
  readonly #all = new Set<Channel>();

  open(): Channel {
    const channel: Channel = {
      onmessage: null,
      postMessage: (data) => {
        for (const other of this.#all)
          if (other !== channel) setTimeout(() => this.#all.has(other) && other.onmessage?.({ data } as MessageEvent), 1);
      },
      close: () => this.#all.delete(channel),
    };
    this.#all.add(channel);
    return channel;
  }

  /** crash is the end of a tab that says nothing any more. */
  crash(channel: Channel): void {
    this.#all.delete(channel);
    channel.postMessage = () => {};
  }
}

class Tab {
  readonly channel: Channel;
  readonly seat: Seat;
  readonly heard: News[] = [];
  readonly #stop = new AbortController();
  has = false;
  times = 0;

  constructor(room: Room, id: string) {
    this.channel = room.open();
    this.seat = new Seat(this.channel, id, (news) => this.heard.push(news));
    void this.#run(this.#stop.signal);
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const mine = await this.seat.taken(signal);
      if (signal.aborted) return;
      this.has = true;
      this.times++;
      await new Promise<void>((resolve) => mine.addEventListener("abort", () => resolve()));
      this.has = false;
    }
  }

  close(): void {
    this.#stop.abort();
    this.seat.leave();
    this.has = false;
  }
}

const having = (tabs: Tab[]) => tabs.filter((tab) => tab.has);

test("of tabs that open at once one has the seat, and no two ever had it", async () => {
  const room = new Room();
  const tabs = ["d", "b", "a", "c", "e", "h", "g", "f"].map((id) => new Tab(room, id));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(having(tabs)).toHaveLength(1);
  expect(tabs.reduce((sum, tab) => sum + tab.times, 0)).toBe(1);
});

test("a tab that opens later does not take it, and hears the news", async () => {
  const room = new Room();
  const first = new Tab(room, "z");
  await vi.advanceTimersByTimeAsync(1_000);
  const second = new Tab(room, "a");
  await vi.advanceTimersByTimeAsync(1_000);
  expect([first.has, second.has]).toEqual([true, false]);
  for (let id = 1; id <= 1_000; id++) first.seat.tell({ link: "stream", last: String(id), polled: 0 });
  const before = second.heard.length;
  await vi.advanceTimersByTimeAsync(150);
  expect(second.heard.slice(before).map((news) => news.last)).toEqual(["1000"]); // one word for all of them
});

test("when the one who has it leaves, another has it at once; when it crashes, within seconds", async () => {
  const room = new Room();
  const tabs = ["a", "b", "c"].map((id) => new Tab(room, id));
  await vi.advanceTimersByTimeAsync(1_000);
  const [first] = having(tabs) as [Tab];
  first.close();
  await vi.advanceTimersByTimeAsync(1_500);
  const [second] = having(tabs) as [Tab];
  expect(second).toBeDefined();
  expect(having(tabs)).toHaveLength(1);
  room.crash(second.channel);
  const left = tabs.filter((tab) => tab !== first && tab !== second);
  await vi.advanceTimersByTimeAsync(12_000);
  expect(having(left)).toHaveLength(1);
});

test("two that had it without knowing of one another agree on the one who had it first", async () => {
  const [one, other] = [new Room(), new Room()];
  const first = new Tab(one, "z");
  await vi.advanceTimersByTimeAsync(500);
  const second = new Tab(other, "a");
  await vi.advanceTimersByTimeAsync(500);
  expect([first.has, second.has]).toEqual([true, true]);
  // From now on they hear one another.
  const cross = (from: Channel, to: Channel) => {
    from.postMessage = (data) => setTimeout(() => to.onmessage?.({ data } as MessageEvent), 1);
  };
  cross(first.channel, second.channel);
  cross(second.channel, first.channel);
  await vi.advanceTimersByTimeAsync(5_000);
  expect([first.has, second.has]).toEqual([true, false]);
});

test("who has left takes nothing any more", async () => {
  const room = new Room();
  const tab = new Tab(room, "a");
  await vi.advanceTimersByTimeAsync(20);
  tab.close();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(tab.times).toBe(0);
});
