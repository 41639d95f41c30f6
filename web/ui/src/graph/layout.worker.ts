import { arrange, type Plan } from "./layout";

/** The worker lays graphs out beside the page. It has no access to the server: its own policy allows nothing. */
addEventListener("message", (event: MessageEvent<{ id: number; plan: Plan }>) => {
  const { id, plan } = event.data;
  try {
    postMessage({ id, laid: arrange(plan) });
  } catch (error) {
    postMessage({ id, failed: String(error) });
  }
});
