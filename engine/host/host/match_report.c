// Collects the numbers of a match for tools.
#include "host/match_report.h"

#include "base/assert.h"
#include "game/players.h"
#include "host/match_play_internal.h"

#include <stdio.h>
#include <string.h>

#define HEAD_BYTES 28u // size of the IPv4 and UDP headers of a datagram

struct match_lines_o {
  match_line_t items[MATCH_REPORT_LINES]; // a ring buffer
  uint32_t count;                         // number of lines added so far
};

void match_report_add_line(match_play_o *p, match_line_kind_t kind, uint64_t tick, const char *text) {
  if (!p->lines)
    p->lines = alloc_object(sizeof *p->lines);
  match_line_t *line = &p->lines->items[p->lines->count++ % MATCH_REPORT_LINES];
  line->kind = kind;
  line->tick = tick;
  (void)snprintf(line->text, sizeof line->text, "%s", text);
}

static const char *get_state(const match_play_o *p, const match_status_t *status) {
  bool has_joined = status->players != 0 && (status->present & status->players) == status->players;
  switch (p->phase) {
  case MATCH_PHASE_LOST: return "lost";
  case MATCH_PHASE_FAILED: return "failed";
  case MATCH_PHASE_ENDED: return "ended";
  case MATCH_PHASE_PLAYING: break;
  default: return "joining";
  }
  if (status->role == MATCH_HOST)
    return !p->has_begun ? "waiting" : status->is_paused ? "paused" : "playing";
  if (!status->is_playing)
    return "loading";
  return !has_joined ? "waiting" : status->is_paused ? "paused" : "playing";
}

// --- links

static void format_machine(const match_play_o *p, const match_status_t *status, const link_address_t *address,
                           char out[MATCH_REPORT_MACHINE_BYTES]) {
  char text[LINK_ADDRESS_TEXT_BYTES];
  if (p->twin)
    (void)snprintf(out, MATCH_REPORT_MACHINE_BYTES, "host in this process");
  else
    (void)snprintf(out, MATCH_REPORT_MACHINE_BYTES, "%s%s", status->role == MATCH_HOST ? "" : "host ",
                   link_address_format(address, text));
}

static void add_links(const match_play_o *p, match_report_t *out) {
  match_link_machine_t machines[MATCH_MAX_CONNECTIONS];
  out->link_count = p->link ? match_link_list_machines(p->link, machines) : 0;
  for (uint32_t i = 0; i < out->link_count; ++i) {
    const seal_session_counts_t *counts = &machines[i].counts;
    out->links[i] = (match_report_link_t){.connection = machines[i].connection,
                                          .counts = *counts,
                                          .sent_bytes = counts->sent_bytes + counts->sent * HEAD_BYTES,
                                          .received_bytes = counts->received_bytes + counts->received * HEAD_BYTES};
    format_machine(p, &out->status, &machines[i].address, out->links[i].machine);
  }
}

// --- players

// Returns the link to a player's machine, or NULL if that machine is not connected. A peer reaches all other machines
// through its link to the host.
static const match_report_link_t *find_link(const match_report_t *r, uint32_t index) {
  for (uint32_t i = 0; i < r->link_count; ++i)
    if (r->status.role != MATCH_HOST || (r->links[i].connection.players >> index & 1))
      return &r->links[i];
  return NULL;
}

static void add_player(const match_play_o *p, int64_t now_us, uint32_t index, match_report_t *out) {
  const match_status_t *status = &out->status;
  const match_report_link_t *link = find_link(out, index);
  match_report_player_t *player = &out->players[out->player_count++];
  *player = (match_report_player_t){.number = index + 1,
                                    .info = players_get_info(p->host->session.game, index + 1),
                                    .is_local = status->players >> index & 1,
                                    .is_joining = !(status->present >> index & 1),
                                    .is_connected = !(status->present >> index & 1) || (status->connected >> index & 1),
                                    .absent_us = match_get_absent_us(p->match, index, now_us)};
  bool is_remote = !player->is_local && link;
  player->round_trip_us = is_remote ? link->connection.round_trip_us : 0;
  player->jitter_us = is_remote ? link->connection.jitter_us : 0;
  (void)snprintf(player->machine, sizeof player->machine, "%s",
                 player->is_local                          ? "this machine"
                 : p->twin                                 ? "host in this process"
                 : is_remote && status->role == MATCH_HOST ? link->machine
                                                           : "another machine");
}

bool match_report_get(const host_o *h, match_report_t *out) {
  const match_play_o *p = h->match;
  memset(out, 0, sizeof *out);
  if (!p || !p->match || !h->session.game)
    return false;
  int64_t now_us = match_play_now_us(p);
  out->status = match_get_status(p->match, now_us);
  out->state = get_state(p, &out->status);
  out->has_host = p->twin || out->status.role == MATCH_HOST;
  out->late_inputs =
      p->twin ? match_get_status(match_twin_get_match(p->twin), now_us).late_inputs : out->status.late_inputs;
  out->awaited = p->awaited;
  out->lost_us = p->phase == MATCH_PHASE_LOST ? now_us - p->lost_us : 0;
  out->failure = p->failure;
  out->shares_code = h->session.options.share_code;
  out->has_network = p->has_network;
  out->network = p->network;
  add_links(p, out);
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if ((out->status.present | out->status.joining) >> i & 1)
      add_player(p, now_us, i, out);
  uint32_t count = p->lines ? p->lines->count : 0;
  out->line_count = count < MATCH_REPORT_LINES ? count : MATCH_REPORT_LINES;
  for (uint32_t i = 0; i < out->line_count; ++i)
    out->lines[i] = &p->lines->items[(count - out->line_count + i) % MATCH_REPORT_LINES];
  return true;
}

// --- the simulated network

bool match_report_set_network(host_o *h, int64_t round_trip_us, int64_t jitter_us, double loss, error_info_t *error) {
  match_play_o *p = h->match;
  if (!p || !p->has_network)
    return error_set(error, "the network is not simulated: start the game with --net-sim 120ms,40ms,5%%");
  shoal_assert(round_trip_us >= 0 && round_trip_us <= MATCH_REPORT_MAX_ROUND_TRIP_MS * INT64_C(1000) &&
                   jitter_us >= 0 && jitter_us <= round_trip_us && loss >= 0 && loss <= 1,
               "the conditions are out of range");
  p->network.round_trip_us = round_trip_us;
  p->network.jitter_us = jitter_us;
  p->network.loss = loss;
  if (p->twin)
    match_twin_set_conditions(p->twin, &p->network);
  else if (p->bridge)
    link_bridge_set_conditions(p->bridge, &p->network);
  return true;
}
