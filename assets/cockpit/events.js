// Event log: the events of each tick, filtered by substrings and conditions on fields.
import { follow } from "./wire.js";
import { world, pick } from "./world.js";
import { $, make, updateChildren, format } from "./kit.js";

const MAX = 1500;
let end,
  lines = [],
  stopped = false;

// Compiles a filter such as "collision power>0.5 a=12" to a predicate: substrings of the event's kind or of a value,
// and conditions on fields.
export function parseFilter(text) {
  const tests = text
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => {
      const condition = /^([\w.]+)(<=|>=|!=|=|<|>)(.+)$/.exec(word);
      if (!condition) {
        const atEnd = word.toLowerCase();
        return (line) => line.text.includes(atEnd);
      }
      const [, field, operator, raw] = condition,
        number = Number(raw);
      return ({ fields }) => {
        const value = fields[field];
        if (value === undefined) return false;
        if (operator === "=") return String(value) === raw || value === number;
        if (operator === "!=") return String(value) !== raw && value !== number;
        return operator === "<"
          ? value < number
          : operator === ">"
            ? value > number
            : operator === "<="
              ? value <= number
              : value >= number;
      };
    });
  return (line) => tests.every((test) => test(line));
}

function eventRow({ tick, kind, fields }) {
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
          entity ? make("a.link", { onclick: () => pick(value) }, `#${value}`) : format(value),
        ];
      }),
    ),
  );
}

function draw() {
  const test = parseFilter($("event-filter").value),
    matches = lines.filter(test);
  const box = $("event-lines"),
    atEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 30;
  updateChildren(box, ...matches.slice(-400).map(eventRow));
  $("event-count").textContent = `${matches.length} of ${lines.length} events`;
  if (atEnd) box.scrollTop = box.scrollHeight;
}

function append(matches) {
  for (const [, tick, kind, fields] of matches)
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
  if (!end) lines = []; // a new subscription resends the whole log
  end ??= follow({ what: "events", hz: 10 }, (matches) => {
    if (matches) append(matches);
  });
  draw();
}
export function hidden() {
  end?.();
  end = null;
}
