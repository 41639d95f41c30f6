import "./graph/worker"; // before all else: the one policy of trusted types
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./design/tokens.css";
import "./design/base.css";
import "./design/shell.css";
import "./design/parts.css";
import { load, preferred } from "./i18n/language";
import { watchTyping } from "./parts/code";
import { App } from "./shell/app";

watchTyping();
const root = document.getElementById("root");
if (root) {
  const show = () =>
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    );
  load(preferred()).then(show, show);
}
