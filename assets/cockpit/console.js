// Lua and SQL, answered by the game between two ticks.
import { ask } from "./wire.js";
import { world, pick } from "./world.js";
import { $, make, grid } from "./kit.js";

const past = JSON.parse(localStorage.getItem("console") ?? "[]");
let at = past.length;
const SQL = /^\s*(select|with|insert|update|delete|replace|explain|values)\b/i;

// `e` is what is picked.
async function lua(text) {
  if (!world.picked || !/\be\b/.test(text)) return ask("lua", { text });
  const begins = `local e = world.sql("SELECT entity FROM entities WHERE entity = ${world.picked}")[1].entity\n`;
  try { return await ask("lua", { text: `${begins}return ${text}` }); } catch (error) {
    if (!/expected|unexpected|near/.test(error.message)) throw error;
    return ask("lua", { text: begins + text });
  }
}

export async function run(text) {
  const entry = make("div.entry", null, make("div.asked", null, text)), out = $("console-out");
  out.append(entry);
  try {
    const answer = SQL.test(text) ? await ask("sql", { text, limit: 500 }) : await lua(text);
    if (answer.columns) entry.append(make("div.dim", null, `${answer.rows.length}${answer.more ? " of more" : ""} row${answer.rows.length === 1 ? "" : "s"}`), make("div.grid", null, grid(answer.columns, answer.rows, pick)));
    else if (answer.result) entry.append(make("pre", null, answer.result));
    else entry.append(make("div.dim", null, "done"));
  } catch (error) { entry.append(make("div.error", null, error.message)); }
  while (out.children.length > 100) out.firstChild.remove();
  out.scrollTop = out.scrollHeight;
}

function keys(event) {
  const input = event.target, one = !input.value.includes("\n");
  if (event.key === "Enter" && !event.shiftKey) {
    event.preventDefault();
    if (!input.value.trim()) return;
    past.push(input.value);
    localStorage.setItem("console", JSON.stringify(past.slice(-100)));
    at = past.length;
    run(input.value);
    input.value = "";
  } else if (one && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
    at = Math.max(0, Math.min(past.length, at + (event.key === "ArrowUp" ? -1 : 1)));
    input.value = past[at] ?? "";
    event.preventDefault();
  }
}

export function panel() {
  return make("div.panel", null, make("div.scroll", { id: "console-out" }),
    make("textarea", { id: "console-in", onkeydown: keys, spellcheck: false, ariaLabel: "Lua or SQL",
      placeholder: "Lua or SQL; e is what is picked. Enter runs it, Shift+Enter is a new line, ↑ what was before." }));
}
export const shown = () => $("console-in").focus();
