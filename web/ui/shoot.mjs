import { chromium } from "playwright-core";
const [, , ...jobs] = process.argv;
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
for (const spec of jobs) {
  const [name, path, width, scheme, ...acts] = spec.split("|");
  const page = await (await browser.newContext({ viewport: { width: Number(width), height: Number(width) > 1500 ? 1080 : 800 }, colorScheme: scheme })).newPage();
  page.on("console", (m) => m.type() === "error" && console.log(name, m.text()));
  page.on("pageerror", (e) => console.log(name, "ERR", e.message));
  await page.addInitScript(() => addEventListener("securitypolicyviolation", (e) => console.error(`policy: ${e.violatedDirective} ${e.blockedURI}`)));
  await page.goto("http://127.0.0.1:18091" + path);
  await page.waitForTimeout(1500);
  for (const act of acts) { await eval(`(async()=>{${act}})()`); await page.waitForTimeout(900); }
  await page.screenshot({ path: `/tmp/almanac/editor/${name}.png` });
  await page.context().close();
}
await browser.close();
