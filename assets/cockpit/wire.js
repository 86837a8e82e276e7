// WebSocket connection to the game: requests and answers, and subscriptions. Reconnects automatically and then renews
// the subscriptions.
const waiting = new Map();
const followed = new Map(); // by the number assigned by the game
const wanted = new Set();
let socket,
  number = 0,
  told = false;

export const events = new EventTarget();
const CHANGES = /^(set|add|remove|destroy|undo|lua|move|revert|press|command)$/;

function say(name, detail) {
  events.dispatchEvent(new CustomEvent(name, { detail }));
}

export function ask(what, more = {}) {
  return new Promise((resolve, reject) => {
    if (!socket || socket.readyState !== WebSocket.OPEN) return reject(new Error("the game is not connected"));
    const id = ++number;
    const done = (message) => {
      resolve(message);
      if (CHANGES.test(what)) say("changed");
    };
    waiting.set(id, { resolve: done, reject });
    socket.send(JSON.stringify({ v: 1, id, do: what, ...more }));
  });
}

// A subscribed table: rows by index, patched with changes.
function patch(table, message) {
  if (message.columns) {
    table.columns = message.columns;
    table.rows = [];
  }
  for (const [place, row] of message.rows) table.rows[place] = row;
  table.rows.length = message.count;
  table.more = message.more;
}

async function begin(x) {
  try {
    const answer = await ask("follow", x.request);
    if (x.ended) return ask("unfollow", { follow: answer.follow }).catch(() => {});
    x.number = answer.follow;
    followed.set(x.number, x);
  } catch (error) {
    x.told(null, error.message);
  }
}

// follow({ what, text, … }, (value, error) => …) → a function that unsubscribes
export function follow(request, told) {
  const x = { request, told, table: { columns: [], rows: [] } };
  wanted.add(x);
  if (socket?.readyState === WebSocket.OPEN) begin(x);
  return () => {
    x.ended = true;
    wanted.delete(x);
    if (x.number) {
      followed.delete(x.number);
      ask("unfollow", { follow: x.number }).catch(() => {});
    }
  };
}

function hear(message) {
  const x = followed.get(message.follow);
  if (!x) return;
  if (message.error) {
    x.number = 0;
    followed.delete(message.follow);
    return x.told(null, message.error);
  }
  if (message.rows) {
    patch(x.table, message);
    return x.told(x.table, null, message);
  }
  x.told(
    message.state ??
      message.errors ??
      message.memory ??
      message.ghosts ??
      message.panel ??
      message.frames ??
      message.lines,
    null,
    message,
  );
}

function receive(event) {
  const message = JSON.parse(event.data);
  if (message.follow !== undefined && message.id === undefined) return hear(message);
  const x = waiting.get(message.id);
  waiting.delete(message.id);
  if (!x) return;
  if (message.ok) x.resolve(message);
  else x.reject(new Error(message.error));
}

export function connect() {
  socket = new WebSocket(new URL("socket", location.href).href.replace(/^http/, "ws"));
  socket.onmessage = receive;
  socket.onopen = () => {
    told = false;
    say("open");
    for (const x of wanted) {
      x.number = 0;
      x.table = { columns: [], rows: [] };
      begin(x);
    }
  };
  socket.onclose = () => {
    followed.clear();
    for (const x of waiting.values()) x.reject(new Error("the game closed the connection"));
    waiting.clear();
    if (!told) say("close");
    told = true;
    setTimeout(connect, 1000);
  };
}
