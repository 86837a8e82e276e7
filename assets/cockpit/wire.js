// WebSocket connection to the game: requests, answers and subscriptions. Reconnects automatically and then renews the
// subscriptions.
const pending = new Map();
const active = new Map(); // keyed by the subscription's number, which the game assigns
const subscriptions = new Set();
let socket,
  number = 0,
  isCloseReported = false;

export const events = new EventTarget();
const CHANGES = /^(set|add|remove|destroy|undo|lua|move|revert|press|command|console)$/;

function emit(name, detail) {
  events.dispatchEvent(new CustomEvent(name, { detail }));
}

export function request(name, more = {}) {
  return new Promise((resolve, reject) => {
    if (!socket || socket.readyState !== WebSocket.OPEN) return reject(new Error("the game is not connected"));
    const id = ++number;
    const done = (message) => {
      resolve(message);
      if (CHANGES.test(name)) emit("changed");
    };
    pending.set(id, { resolve: done, reject });
    socket.send(JSON.stringify({ v: 1, id, do: name, ...more }));
  });
}

// Applies the changed rows of a message to a subscribed table.
function applyRows(table, message) {
  if (message.columns) {
    table.columns = message.columns;
    table.rows = [];
  }
  for (const [index, row] of message.rows) table.rows[index] = row;
  table.rows.length = message.count;
  table.more = message.more;
}

async function subscribe(x) {
  try {
    const answer = await request("follow", x.query);
    if (x.ended) return request("unfollow", { follow: answer.follow }).catch(() => {});
    x.number = answer.follow;
    active.set(x.number, x);
  } catch (error) {
    x.callback(null, error.message);
  }
}

// Subscribes: follow({ what, text, … }, (value, error, message) => …). Returns a function that unsubscribes.
export function follow(query, callback) {
  const x = { query, callback, table: { columns: [], rows: [] } };
  subscriptions.add(x);
  if (socket?.readyState === WebSocket.OPEN) subscribe(x);
  return () => {
    x.ended = true;
    subscriptions.delete(x);
    if (x.number) {
      active.delete(x.number);
      request("unfollow", { follow: x.number }).catch(() => {});
    }
  };
}

function dispatch(message) {
  const x = active.get(message.follow);
  if (!x) return;
  if (message.error) {
    x.number = 0;
    active.delete(message.follow);
    return x.callback(null, message.error);
  }
  if (message.rows) {
    applyRows(x.table, message);
    return x.callback(x.table, null, message);
  }
  x.callback(
    message.state ??
      message.errors ??
      message.memory ??
      message.ghosts ??
      message.panel ??
      message.match ??
      message.frames ??
      message.lines,
    null,
    message,
  );
}

function receive(event) {
  const message = JSON.parse(event.data);
  if (message.follow !== undefined && message.id === undefined) return dispatch(message);
  const x = pending.get(message.id);
  pending.delete(message.id);
  if (!x) return;
  if (message.ok) x.resolve(message);
  else x.reject(new Error(message.error));
}

export function connect() {
  socket = new WebSocket(new URL("socket", location.href).href.replace(/^http/, "ws"));
  socket.onmessage = receive;
  socket.onopen = () => {
    isCloseReported = false;
    emit("open");
    for (const x of subscriptions) {
      x.number = 0;
      x.table = { columns: [], rows: [] };
      subscribe(x);
    }
  };
  socket.onclose = () => {
    active.clear();
    for (const x of pending.values()) x.reject(new Error("the game closed the connection"));
    pending.clear();
    if (!isCloseReported) emit("close");
    isCloseReported = true;
    setTimeout(connect, 1000);
  };
}
