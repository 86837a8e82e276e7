// Messages between machines over ENet (ordered UDP). The singleton `net` declares whether to listen and where to
// connect. Received messages become net_message events in the tick of their arrival. The plugin sends the messages of
// net_send events. All input goes through shoal_read_external and is recorded, so a replay opens no sockets and
// computes the same world.
//
// Sockets are used only when a tick is simulated for the first time (`poll_wire` and `send_queued_messages` below). The
// state of the sockets is derived from the singleton `net`. For example, after a rewind to a time at which the game did
// not listen, the next tick closes the socket. A reload hands the sockets over to the next instance.
#include <shoal/external_resources.h>

#include "net_wire.h"

#include <stdlib.h>

#define NET_FIELDS(F)                                                                                                  \
  F(bool, listen, 0, .doc = "accepts connections")                                                                     \
  F(u32, port, 0, .doc = "port to listen on; 0 for any free port")                                                     \
  F(u32, bound, 0, .flags = SHOAL_READ_ONLY, .doc = "actual port; 0 if not listening")                                 \
  F(string, address, "", .doc = "HOST:PORT to connect to; not connected if empty")                                     \
  F(bool, connected, 0, .flags = SHOAL_READ_ONLY)                                                                      \
  F(u32, peers, 0, .flags = SHOAL_READ_ONLY, .doc = "number of connected peers")                                       \
  F(bool, echo, 0, .doc = "sends received messages back")
SHOAL_SINGLE(net, NET_FIELDS)

#define MESSAGE_FIELDS(F)                                                                                              \
  F(u32, peer, 0, .doc = "sender: a number from 1; 0 for the peer at `address`") F(string, text, "")
SHOAL_EVENT(net_message, MESSAGE_FIELDS)
#define PEER_FIELDS(F) F(u32, peer, 0) F(bool, here, 1, .doc = "true if the peer connected, false if it disconnected")
SHOAL_EVENT(net_peer, PEER_FIELDS)
#define SEND_FIELDS(F)                                                                                                 \
  F(u32, peer, 0, .doc = "receiver, as in net_message; 4294967295 for all peers") F(string, text, "")
SHOAL_EVENT(net_send, SEND_FIELDS)

// Takes over the sockets and connections of a compatible previous instance. Otherwise, starts without sockets.
static void *open(shoal_context *c, const shoal_handover *previous) {
  wire_o *wire = previous ? wire_take_over(previous->bytes, previous->size) : NULL;
  wire = wire ? wire : wire_create();
  if (!wire)
    shoal_fail(c, "out of memory");
  return wire;
}

static void close(shoal_context *c, void *state) {
  (void)c;
  wire_release(state);
}

static size_t save_handover(shoal_context *c, void *state, void *bytes, size_t capacity) {
  (void)c;
  return wire_hand_over(state, bytes, capacity);
}

// --- receiving

typedef struct receive_context_t {
  wire_o *wire;
  wire_settings_t settings;
} receive_context_t;

static size_t poll_wire(void *data, void *bytes, size_t capacity) {
  const receive_context_t *context = data;
  return wire_poll(context->wire, &context->settings, bytes, capacity);
}

static void emit_message(shoal_context *c, uint32_t peer, const char *text, bool echo) {
  shoal_world *w = shoal_get_world(c);
  const net_message_columns *message_columns = SHOAL_EMIT(w, net_message, 1);
  message_columns->peer[0] = peer;
  message_columns->text[0] = shoal_intern(w, text);
  shoal_emit_end(w, &net_message_component);
  if (!echo || peer == 0)
    return;
  const net_send_columns *send_columns = SHOAL_EMIT(w, net_send, 1);
  send_columns->peer[0] = peer;
  send_columns->text[0] = shoal_intern(w, text);
  shoal_emit_end(w, &net_send_component);
}

static void emit_peer(shoal_context *c, const net_columns *net, uint32_t peer, bool is_connected) {
  shoal_world *w = shoal_get_world(c);
  const net_peer_columns *peer_columns = SHOAL_EMIT(w, net_peer, 1);
  peer_columns->peer[0] = peer;
  peer_columns->here[0] = is_connected;
  shoal_emit_end(w, &net_peer_component);
  if (peer == 0)
    net->connected[0] = is_connected;
  else
    net->peers[0] = is_connected ? net->peers[0] + 1 : net->peers[0] > 0 ? net->peers[0] - 1 : 0;
}

static void emit_item(shoal_context *c, const net_columns *net, const wire_item_t *item) {
  switch (item->kind) {
  case WIRE_JOINED:
  case WIRE_LEFT: emit_peer(c, net, item->peer, item->kind == WIRE_JOINED); break;
  case WIRE_MESSAGE: emit_message(c, item->peer, item->text, net->echo[0]); break;
  case WIRE_BOUND:
    net->bound[0] = item->peer;
    net->peers[0] = 0;
    break;
  case WIRE_TROUBLE: shoal_log(c, SHOAL_LOG_WARN, "%s", item->text); break;
  case WIRE_NONE: break;
  }
}

static void receive_items(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_world *w = shoal_get_world(c);
  const net_columns *net = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &net_component), net);
  receive_context_t context = {.wire = shoal_plugin_state(c)};
  size_t size = 0, offset = 0;
  wire_item_t item;
  (void)v, (void)dt_s;
  context.settings = (wire_settings_t){
      .listen = net->listen[0], .connected = net->connected[0], .port = net->port[0] ? net->port[0] : net->bound[0]};
  (void)snprintf(context.settings.address, sizeof context.settings.address, "%s", shoal_string(w, net->address[0]));
  const void *bytes = shoal_read_external(c, "came", poll_wire, &context, WIRE_MAX_BYTES, &size);
  while (wire_read(bytes, size, &offset, &item))
    emit_item(c, net, &item);
}

// --- sending

typedef struct send_context_t {
  wire_o *wire;
  shoal_context *c;
  shoal_rows rows;
} send_context_t;

// Sends the messages. Called through shoal_read_external, although it reads nothing, so that a tick that is simulated
// again does not send them again.
static size_t send_queued_messages(void *data, void *bytes, size_t capacity) {
  const send_context_t *context = data;
  const net_send_columns *columns = SHOAL_ROWS_COLUMNS(context->rows, net_send);
  (void)bytes, (void)capacity;
  for (uint32_t i = 0; i < context->rows.count; ++i)
    wire_send(context->wire, columns->peer[i], shoal_string(shoal_get_world(context->c), columns->text[i]));
  wire_flush(context->wire);
  return 0;
}

static void send_messages(shoal_context *c, const shoal_view *v, float dt_s) {
  send_context_t context = {
      .wire = shoal_plugin_state(c), .c = c, .rows = shoal_read_events(shoal_get_world(c), &net_send_component)};
  size_t size;
  (void)v, (void)dt_s;
  (void)shoal_read_external(c, "went", send_queued_messages, &context, 1, &size);
}

static void send_text(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  shoal_world *w = shoal_get_world(c);
  const double peer = arguments[0].number;
  (void)results;
  if (!(peer >= 0 && peer <= UINT32_MAX))
    shoal_fail(c,
               "peer must be the `peer` of a net_message, 0 for the peer at `address`, or 4294967295 for all, got %g",
               peer);
  else if (strlen(arguments[1].string) > WIRE_MAX_TEXT)
    shoal_fail(c, "the message is too long: %zu bytes (at most %d)", strlen(arguments[1].string), WIRE_MAX_TEXT);
  else {
    const net_send_columns *columns = SHOAL_EMIT(w, net_send, 1);
    if (!columns)
      return;
    columns->peer[0] = shoal_to_u32(peer);
    columns->text[0] = shoal_intern(w, arguments[1].string);
    shoal_emit_end(w, &net_send_component);
  }
}

SHOAL_PLUGIN(.name = "net", .version = 2, .compatible_version = 1, .doc = "messages between machines, by ENet",
             .components = SHOAL_COMPONENTS(net, net_message, net_peer, net_send),
             .systems = SHOAL_SYSTEMS(
                 {.name = "hear", .phase = SHOAL_PHASE_INPUT, .priority = -1000, .run = receive_items},
                 {.name = "say", .phase = SHOAL_PHASE_POST_UPDATE, .priority = 1000, .run = send_messages}),
             .functions = SHOAL_FUNCTIONS({.name = "send",
                                           .parameters = "peer:number text:string",
                                           .doc = "Sends a message to a peer in this tick.",
                                           .call = send_text}),
             .close = close, .reopen = open, .save_handover = save_handover)
