import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A Asked is a request that came from the browser. */
export interface Asked {
  path: string; // with its query
  token: string; // of its header; "" is none
}

/** A Front stands before a server: a test counts what is asked there, and has what it chooses answered otherwise. */
export class Front {
  readonly asked: Asked[] = [];
  readonly streams = new Map<ServerResponse, string>(); // those that are open, with the token of each
  most = 0; // streams at once
  /** answer answers in the server's place; false leaves it to the server. */
  answer: (from: IncomingMessage, to: ServerResponse) => boolean = () => false;
  /** edit changes what the server answers with, and says under which status. */
  edit: ((path: string, body: string) => string) | undefined;
  #behind: string;
  #server: Server;
  #sockets = new Set<Socket>();

  constructor(behind: string) {
    this.#behind = behind;
    this.#server = createServer((from, to) => this.#take(from, to));
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** times is how often a path that begins so was asked for. */
  times(begin: string): number {
    return this.asked.filter(({ path }) => path.startsWith(begin)).length;
  }

  #take(from: IncomingMessage, to: ServerResponse): void {
    const path = from.url ?? "";
    const token = (from.headers.authorization ?? "").replace(/^Bearer /, "");
    this.asked.push({ path, token });
    if (this.answer(from, to)) return;
    if (path.startsWith("/api/v1/stream")) {
      this.streams.set(to, token);
      this.most = Math.max(this.most, this.streams.size);
      to.once("close", () => this.streams.delete(to));
    }
    const at = from.url ?? path; // an answer may have sent it elsewhere
    const headers: Record<string, unknown> = { ...from.headers, host: new URL(this.#behind).host };
    if (this.edit) delete headers["accept-encoding"];
    if (this.edit) delete headers["if-none-match"];
    const forward = request(this.#behind + at, { method: from.method, headers: headers as Record<string, string> }, (answer) => {
      const text = /html|javascript|css/.test(answer.headers["content-type"] ?? "");
      if (this.edit === undefined || !text) {
        to.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(to);
        return;
      }
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => {
        const body = Buffer.from(this.edit?.(path, Buffer.concat(parts).toString()) ?? "");
        const { etag: _, ...rest } = answer.headers;
        to.writeHead(answer.statusCode ?? 502, { ...rest, "content-length": String(body.length) });
        to.end(body);
      });
    });
    forward.on("error", () => to.destroy());
    to.once("close", () => forward.destroy());
    from.pipe(forward);
  }
}
