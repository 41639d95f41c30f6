import { useVirtualizer } from "@tanstack/react-virtual";
import { type FormEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { ApiError } from "../api/client";
import { useT } from "../i18n/language";
import { ProblemView } from "../parts/problem";
import { bytes as sized } from "../parts/time";
import { toast } from "../shell/toasts";
import "./log.css";
import { pieces } from "./ansi";
import { find, mostHits } from "./find";
import { fetcher, LogFile, part } from "./logfile";

const lineHeight = 20;
const longest = 4_096; // characters of a line that are shown
const askEvery = 1_000; // ms, while the log grows

/** LogView shows the log of an attempt: its end at first, any part of it as somebody goes there, and what is written while it is followed. */
export function LogView({ attempt, number, truncated }: { attempt: string; number: number; truncated: boolean }) {
  const t = useT();
  const fetch = useMemo(() => fetcher(attempt), [attempt]);
  const [log] = useState(() => new LogFile());
  const place = useRef<HTMLElement>(null);
  const busy = useRef(false);
  const [, setVersion] = useState(0);
  const [follow, setFollow] = useState(true);
  const [error, setError] = useState<Error | null>(null);
  const search = useSearch(fetch);
  const virtual = useVirtualizer({ count: log.lines, getScrollElement: () => place.current, estimateSize: () => lineHeight, overscan: 20 });

  /** act does one thing with the log at a time; what comes meanwhile is not done. */
  const act = useCallback(
    async (what: (signal: AbortSignal) => Promise<unknown>, signal: AbortSignal) => {
      if (busy.current) return;
      busy.current = true;
      try {
        await what(signal);
        setError(null);
      } catch (cause) {
        if (!signal.aborted && cause instanceof Error) setError(cause);
      } finally {
        busy.current = false;
        setVersion(log.version);
      }
    },
    [log],
  );

  const [life, setLife] = useState(() => new AbortController());
  useEffect(() => {
    const mine = new AbortController();
    busy.current = false;
    setLife(mine);
    const end = async (signal: AbortSignal) => {
      const { size } = await fetch(0, 1, signal);
      await log.jump(Math.max(0, size - part), fetch, signal);
    };
    void act(end, mine.signal);
    return () => mine.abort();
  }, [log, fetch, act]);

  // While it grows, and somebody looks at its end, what was written is fetched.
  useEffect(() => {
    if (!follow) return;
    const timer = setInterval(() => {
      if (!log.complete && document.visibilityState === "visible") void act((signal) => log.grow(fetch, signal), life.signal);
    }, askEvery);
    return () => clearInterval(timer);
  }, [follow, log, fetch, act, life]);

  const { lines } = log;
  useEffect(() => {
    if (follow && lines > 0) virtual.scrollToIndex(lines - 1, { align: "end" });
  }, [follow, lines, virtual]);

  const onScroll = () => {
    const box = place.current;
    if (!box || busy.current) return;
    const atEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 4;
    if (follow && !atEnd && box.scrollTop + box.clientHeight < box.scrollHeight - 200) setFollow(false);
    if (box.scrollTop < 400 && log.from > 0) {
      void act(async (signal) => {
        const added = await log.back(fetch, signal);
        box.scrollTop += added * lineHeight;
      }, life.signal);
    } else if (atEnd && log.to < log.size) {
      void act((signal) => log.grow(fetch, signal), life.signal);
    }
  };

  const goTo = (offset: number) =>
    act(async (signal) => {
      setFollow(false);
      if (log.indexOf(offset) < 0) await log.jump(Math.max(0, offset - (part >> 1)), fetch, signal);
      const index = log.indexOf(offset);
      setVersion(log.version);
      requestAnimationFrame(() => virtual.scrollToIndex(Math.max(0, index), { align: "center" }));
    }, life.signal);

  const toEnd = () => {
    setFollow(true);
    if (log.to < log.size) {
      void act((signal) => log.jump(Math.max(0, log.size - part), fetch, signal), life.signal);
    }
  };
  const current = search.hits[search.at];
  const hits = useMemo(() => new Set(search.hits), [search.hits]);

  return (
    <section className="log" aria-label={t("log.of", { n: number })}>
      <form
        className="row"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          void search.run().then((first) => (first === undefined ? undefined : goTo(first)));
        }}
      >
        <input
          type="search"
          aria-label={t("log.search")}
          placeholder={t("log.search")}
          value={search.words}
          onChange={(event) => search.setWords(event.target.value)}
        />
        <button type="submit" disabled={search.words === ""}>
          {t("log.find")}
        </button>
        <button type="button" disabled={search.hits.length === 0} onClick={() => void goTo(search.move(-1))} aria-label={t("log.previous")}>
          ↑
        </button>
        <button type="button" disabled={search.hits.length === 0} onClick={() => void goTo(search.move(1))} aria-label={t("log.next")}>
          ↓
        </button>
        <span className="soft small" role="status">
          {search.words_}
        </span>
        <span className="grow" />
        <span className="soft small">
          {t("log.size", { size: sized(log.size), state: log.complete ? t("log.complete") : t("log.growing") })}
        </span>
        <button type="button" onClick={() => void goTo(0)}>
          {t("log.start")}
        </button>
        <button type="button" aria-pressed={follow} onClick={() => (follow ? setFollow(false) : toEnd())}>
          {log.complete ? t("log.end") : t("log.follow")}
        </button>
        <button
          type="button"
          onClick={() => void save(fetch, attempt, life.signal).catch((cause: Error) => toast({ text: cause.message, bad: true }))}
        >
          {t("log.save")}
        </button>
      </form>
      {truncated && <p className="soft">{t("log.truncated")}</p>}
      {error && !(error instanceof ApiError && error.problem.status === 401) && <ProblemView error={error} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section className="text" ref={place} onScroll={onScroll} tabIndex={0} aria-label={t("log.lines")}>
        {lines === 0 ? (
          <p className="line soft">{log.complete ? t("log.empty") : t("log.emptyYet")}</p>
        ) : (
          <div className="inner" style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map((row) => {
              const { bytes, offset } = log.line(row.index);
              const classes = `line${hits.has(offset) ? " hit" : ""}${offset === current ? " current" : ""}`;
              return (
                <div key={row.key} className={classes} style={{ transform: `translateY(${row.start}px)` }}>
                  <Line bytes={bytes} />
                </div>
              );
            })}
          </div>
        )}
      </section>
    </section>
  );
}

const decoder = new TextDecoder();

function Line({ bytes }: { bytes: Uint8Array }) {
  const t = useT();
  const whole = decoder.decode(bytes.length > 4 * longest ? bytes.subarray(0, 4 * longest) : bytes);
  const left = bytes.length > 4 * longest ? bytes.length - longest : whole.length - longest;
  let at = 0;
  return (
    <>
      {pieces(whole.length > longest ? whole.slice(0, longest) : whole).map((piece) => {
        const key = at;
        at += piece.text.length;
        return piece.classes === "" ? (
          piece.text
        ) : (
          <span key={key} className={piece.classes}>
            {piece.text}
          </span>
        );
      })}
      {left > 0 && <span className="soft"> {t("log.clipped", { n: left })}</span>}
    </>
  );
}

function useSearch(fetch: ReturnType<typeof fetcher>) {
  const t = useT();
  const [words, setWords] = useState("");
  const [hits, setHits] = useState<number[]>([]);
  const [at, setAt] = useState(0);
  const [told, setTold] = useState("");
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  return {
    words,
    setWords,
    hits,
    at,
    words_: told,
    run: async () => {
      running.current?.abort();
      const mine = new AbortController();
      running.current = mine;
      try {
        const all = await find(words, fetch, mine.signal, (_, share) => setTold(t("log.searching", { percent: Math.floor(share * 100) })));
        setHits(all);
        setAt(0);
        setTold(all.length === 0 ? t("log.hitsNone") : t(all.length === mostHits ? "log.hitsMost" : "log.hits", { n: all.length }));
        return all[0];
      } catch (cause) {
        if (!mine.signal.aborted && cause instanceof Error) setTold(cause.message);
        return undefined;
      }
    },
    move: (step: number): number => {
      const next = (at + step + hits.length) % hits.length;
      setAt(next);
      return hits[next] ?? 0;
    },
  };
}

/** save hands the whole log to the browser as a file. A link would not do: it cannot carry the token. */
async function save(fetch: ReturnType<typeof fetcher>, attempt: string, signal: AbortSignal): Promise<void> {
  const parts: BlobPart[] = [];
  for (let at = 0; ; ) {
    const got = await fetch(at, 16 << 20, signal);
    at += got.bytes.length;
    parts.push(got.bytes as Uint8Array<ArrayBuffer>);
    if (got.bytes.length === 0 || at >= got.size) break;
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type: "text/plain" }));
  link.download = `attempt-${attempt}.log`;
  link.click();
  URL.revokeObjectURL(link.href);
}
