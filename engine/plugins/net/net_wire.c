// Opens, drains and closes ENet sockets, serializes the received items, and sends messages (net_wire.h).
#include "net_wire.h"

#include "net_process.h"

#include <enet/enet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PEERS 32
#define RETRY_POLLS 30 // number of polls between two attempts to connect
// Version of the layout of wire_o. A library with a different version opens new sockets.
#define LAYOUT_VERSION 1u

struct wire_o {
  uint32_t owners;
  ENetHost *server, *client;
  ENetPeer *server_peer;            // the peer to which `client` is or will be connected
  bool is_connected, listen_failed; // is_connected: true if `client` is connected
  uint32_t port, retry_countdown;
  char address[256];
  long process; // id of the creating process: forked children must close sockets without notifying peers
};

wire_o *wire_create(void) {
  wire_o *wire = calloc(1, sizeof *wire);
  if (!wire)
    return NULL;
  wire->owners = 1;
  wire->process = net_process_id();
  return wire;
}

// --- handover

typedef struct handover_t {
  uint32_t layout, enet; // versions of wire_o and of ENet's structs
  wire_o *wire;
} handover_t;

size_t wire_hand_over(wire_o *wire, void *bytes, size_t capacity) {
  const handover_t handover = {.layout = LAYOUT_VERSION, .enet = enet_linked_version(), .wire = wire};
  if (capacity >= sizeof handover)
    memcpy(bytes, &handover, sizeof handover);
  return sizeof handover;
}

wire_o *wire_take_over(const void *bytes, size_t size) {
  handover_t handover;
  if (!bytes || size != sizeof handover)
    return NULL;
  memcpy(&handover, bytes, sizeof handover);
  if (handover.layout != LAYOUT_VERSION || handover.enet != enet_linked_version() || !handover.wire)
    return NULL;
  ++handover.wire->owners;
  return handover.wire;
}

// --- sockets

static void disconnect_peers(const wire_o *wire, ENetPeer *peer) {
  if (wire->process == net_process_id())
    enet_peer_disconnect_now(peer, 0);
}

static void stop_server(wire_o *wire) {
  for (size_t i = 0; wire->server && i < wire->server->peerCount; ++i)
    if (wire->server->peers[i].state == ENET_PEER_STATE_CONNECTED)
      disconnect_peers(wire, &wire->server->peers[i]);
  if (wire->server)
    enet_host_destroy(wire->server);
  wire->server = NULL;
}

static void disconnect_client(wire_o *wire) {
  if (wire->server_peer && wire->is_connected)
    disconnect_peers(wire, wire->server_peer);
  if (wire->client)
    enet_host_destroy(wire->client);
  wire->client = NULL;
  wire->server_peer = NULL;
  wire->is_connected = false;
}

void wire_release(wire_o *wire) {
  if (!wire || --wire->owners > 0)
    return;
  stop_server(wire);
  disconnect_client(wire);
  free(wire);
}

static void append_error(wire_log_t *log, const char *format, const char *argument) {
  char text[400];
  int length = snprintf(text, sizeof text, format, argument);
  wire_append(log, WIRE_TROUBLE, 0, text, (size_t)length);
}

static void update_server(wire_o *wire, const wire_settings_t *settings, wire_log_t *log) {
  char port_text[16];
  if (wire->server && (!settings->listen || (settings->port != 0 && settings->port != wire->port))) {
    stop_server(wire);
    wire_append(log, WIRE_BOUND, 0, NULL, 0);
  }
  wire->listen_failed = wire->listen_failed && settings->listen && settings->port == wire->port;
  if (wire->server || !settings->listen || wire->listen_failed)
    return;
  ENetAddress address = {.host = ENET_HOST_ANY, .port = (enet_uint16)settings->port};
  wire->port = settings->port;
  wire->server = settings->port <= UINT16_MAX ? enet_host_create(&address, MAX_PEERS, 1, 0, 0) : NULL;
  wire->listen_failed = !wire->server;
  snprintf(port_text, sizeof port_text, "%u", (unsigned)settings->port);
  if (!wire->server) {
    append_error(log, "cannot listen on port %s: use a free port from 1024 to 65535, or 0 for any free port",
                 port_text);
    return;
  }
  wire->port = wire->server->address.port; // if `port` was 0, the system has chosen a port
  wire_append(log, WIRE_BOUND, wire->port, NULL, 0);
}

static bool read_address(const char *text, ENetAddress *out) {
  char host[256];
  const char *colon = strrchr(text, ':');
  char *end = NULL;
  unsigned long port = colon ? strtoul(colon + 1, &end, 10) : 0;
  if (port == 0 || port > UINT16_MAX || *end)
    return false;
  snprintf(host, sizeof host, "%.*s", (int)(colon - text), text);
  out->port = (enet_uint16)port;
  return enet_address_set_host(out, host) == 0;
}

static void update_client(wire_o *wire, const wire_settings_t *settings, wire_log_t *log) {
  ENetAddress address;
  if (strcmp(wire->address, settings->address) != 0) {
    disconnect_client(wire);
    wire->retry_countdown = 0;
    snprintf(wire->address, sizeof wire->address, "%s", settings->address);
    if (wire->address[0] && !read_address(wire->address, &address))
      append_error(log, "invalid address “%s”: expected HOST:PORT, such as localhost:4000", wire->address);
  }
  // Reports a lost connection if the client is connected according to the world, but its socket is not, because the
  // server closed the connection, or because a reloaded plugin could not take over the sockets (wire_take_over).
  if (settings->connected && !wire->is_connected)
    wire_append(log, WIRE_LEFT, 0, NULL, 0);
  if (!wire->address[0] || wire->server_peer || (wire->retry_countdown > 0 && --wire->retry_countdown > 0) ||
      !read_address(wire->address, &address))
    return;
  wire->retry_countdown = RETRY_POLLS;
  if (!wire->client)
    wire->client = enet_host_create(NULL, 1, 1, 0, 0);
  wire->server_peer = wire->client ? enet_host_connect(wire->client, &address, 1, 0) : NULL;
}

// --- receiving

static bool handle_event(wire_o *wire, const ENetEvent *event, bool is_client, wire_log_t *log) {
  uint32_t peer = is_client ? 0 : (uint32_t)event->peer->incomingPeerID + 1;
  bool appended = true;
  switch (event->type) {
  case ENET_EVENT_TYPE_CONNECT:
    wire->is_connected = wire->is_connected || is_client;
    appended = wire_append(log, WIRE_JOINED, peer, NULL, 0);
    break;
  case ENET_EVENT_TYPE_DISCONNECT:
    // The client's own disconnection is reported by update_client in the next poll.
    if (!is_client)
      appended = wire_append(log, WIRE_LEFT, peer, NULL, 0);
    if (is_client) {
      wire->server_peer = NULL;
      wire->is_connected = false;
    }
    break;
  case ENET_EVENT_TYPE_RECEIVE:
    if (event->packet->dataLength <= WIRE_MAX_TEXT)
      appended = wire_append(log, WIRE_MESSAGE, peer, event->packet->data, event->packet->dataLength);
    else
      append_error(log, "%s: longer than 4000 bytes", "dropped a message");
    enet_packet_destroy(event->packet);
    break;
  case ENET_EVENT_TYPE_NONE: break;
  }
  return appended;
}

// Reads events until no event is left, or until a message of maximum length would not fit into the log.
static void drain_events(wire_o *wire, ENetHost *host, wire_log_t *log) {
  ENetEvent event;
  while (log->capacity - log->used > WIRE_MAX_TEXT + 512 && enet_host_service(host, &event, 0) > 0)
    handle_event(wire, &event, host == wire->client, log);
}

size_t wire_poll(wire_o *wire, const wire_settings_t *settings, void *bytes, size_t capacity) {
  wire_log_t log = {.bytes = bytes, .capacity = capacity};
  update_server(wire, settings, &log);
  update_client(wire, settings, &log);
  if (wire->server)
    drain_events(wire, wire->server, &log);
  if (wire->client)
    drain_events(wire, wire->client, &log);
  return log.used;
}

// --- sending

static void send_to_peer(ENetPeer *peer, const char *text) {
  if (peer->state == ENET_PEER_STATE_CONNECTED)
    enet_peer_send(peer, 0, enet_packet_create(text, strlen(text), ENET_PACKET_FLAG_RELIABLE));
}

void wire_send(wire_o *wire, uint32_t peer, const char *text) {
  if (peer == 0 || peer == WIRE_ALL_PEERS) {
    if (wire->server_peer && wire->is_connected)
      send_to_peer(wire->server_peer, text);
  }
  for (uint32_t i = 0; peer > 0 && wire->server && i < wire->server->peerCount; ++i)
    if (peer == WIRE_ALL_PEERS || i + 1 == peer)
      send_to_peer(&wire->server->peers[i], text);
}

void wire_flush(wire_o *wire) {
  if (wire->server)
    enet_host_flush(wire->server);
  if (wire->client)
    enet_host_flush(wire->client);
}
