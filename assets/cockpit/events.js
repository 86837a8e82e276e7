// Event log: the events of each tick, filtered by words, kinds and conditions.
import { follow } from "./wire.js";
import { world, pick } from "./world.js";
import { $, make, refill, show } from "./kit.js";

const MAX = 1500;
let end,
  lines = [],
  stopped = false;

// Parses a filter such as "collision power>0.5 a=12": words in the kind or a value, and conditions on fields.
export function fits(text) {
  const tests = text
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => {
      const condition = /^([\w.]+)(<=|>=|!=|=|<|>)(.+)$/.exec(word);
      if (!condition) {
        const low = word.toLowerCase();
        return (line) => line.text.includes(low);
      }
      const [, field, compares, raw] = condition,
        number = Number(raw);
      return ({ fields }) => {
        const value = fields[field];
        if (value === undefined) return false;
        if (compares === "=") return String(value) === raw || value === number;
        if (compares === "!=") return String(value) !== raw && value !== number;
        return compares === "<"
          ? value < number
          : compares === ">"
            ? value > number
            : compares === "<="
              ? value <= number
              : value >= number;
      };
    });
  return (line) => tests.every((test) => test(line));
}

function row({ tick, kind, fields }) {
  const schema = world.schema.events.find((x) => x.name === kind);
  return make(
    "div.line",
    null,
    make("span.at", null, String(tick)),
    make("span.event-kind", null, kind),
    make(
      "span.text",
      null,
      Object.entries(fields).flatMap(([key, value]) => {
        const entity = schema?.fields.find((x) => x.name === key)?.type === "entity" && value > 0;
        return [
          make("span.dim", null, ` ${key} `),
          entity ? make("a.link", { onclick: () => pick(value) }, `#${value}`) : show(value),
        ];
      }),
    ),
  );
}

function draw() {
  const test = fits($("event-filter").value),
    found = lines.filter(test);
  const box = $("event-lines"),
    low = box.scrollTop + box.clientHeight >= box.scrollHeight - 30;
  refill(box, ...found.slice(-400).map(row));
  $("event-count").textContent = `${found.length} of ${lines.length} events`;
  if (low) box.scrollTop = box.scrollHeight;
}

function hear(found) {
  for (const [, tick, kind, fields] of found)
    lines.push({ tick, kind, fields, text: `${kind} ${Object.values(fields).join(" ")}`.toLowerCase() });
  lines = lines.slice(-MAX);
  if (!stopped) draw();
}

export function panel() {
  const stop = make(
    "button",
    {
      onclick: () => {
        stopped = !stopped;
        stop.textContent = stopped ? "Resume" : "Stop";
        draw();
      },
    },
    "Stop",
  );
  return make(
    "div.panel",
    null,
    make(
      "div.bar",
      null,
      make("input.wide", {
        id: "event-filter",
        type: "search",
        placeholder: "kind, a=12, power>0.5",
        ariaLabel: "filter events",
        oninput: draw,
      }),
      stop,
      make(
        "button",
        {
          onclick: () => {
            lines = [];
            draw();
          },
        },
        "Clear",
      ),
    ),
    make("div.scroll", { id: "event-lines" }),
    make("footer.dim", { id: "event-count" }),
  );
}
export function shown() {
  if (!end) lines = []; // the game sends its log again
  end ??= follow({ what: "events", hz: 10 }, (found) => {
    if (found) hear(found);
  });
  draw();
}
export function hidden() {
  end?.();
  end = null;
}
