// The process of the bots.
#include "serve/world_bots.h"

#include "base/alloc.h"
#include "base/now.h"
#include "serve/world_bot.h"

#include <stdio.h>
#include <time.h>

#define HOST_IP 0x7f000001u // address 127.0.0.1: the bots run on the same machine as the world
#define JOIN_US 25000       // time between the joins of two bots
// Time between the joins of two bots that share an address: the seal limits the joins per address.
#define SHARED_JOIN_US (1000000 / SEAL_MAX_ADDRESS_EXCHANGES)
#define ADDRESS_BYTES 20u
#define REPORT_US 10000000 // time between two lines about bots that do not play
#define TRAFFIC_US 2000000 // time between two lines about the traffic

typedef struct world_bots_t {
  const world_bots_desc_t *desc;
  log_o *log;
  served_room_t rooms[WORLD_MAX_BOTS];
  char addresses[WORLD_MAX_BOTS][ADDRESS_BYTES]; // own addresses of the bots, unless they share one
  world_bot_o *bots[WORLD_MAX_BOTS];
  uint32_t playing; // number of bots that play
  int64_t report_us;
  seal_session_counts_t counts[WORLD_MAX_BOTS]; // datagrams of the bots at `traffic_us`
  int64_t traffic_us;
  int64_t silence_us; // longest silence of a room since `traffic_us`; hostile bots excluded
} world_bots_t;

static int64_t get_now_us(void) {
  return now_ns() / 1000;
}

// Returns the number of bots that are not hostile. They precede the hostile bots.
static uint32_t count_honest(const world_bots_t *w) {
  return w->desc->count - w->desc->hostile_count;
}

// --- rooms

static bool can_enter(const served_room_t *room, uint32_t round) {
  return room->kind->enter && room->players > round;
}

uint32_t world_bots_count_places(const vm_game_t *config) {
  served_room_t rooms[SERVED_MAX_ROOMS];
  uint32_t count = served_rooms_list(config, rooms), places = 0;
  for (uint32_t i = 0; i < count; ++i)
    places += rooms[i].kind->enter ? rooms[i].players : 0;
  return places;
}

// Distributes the bots in rounds: each round adds one bot to every room with a free place.
void world_bots_find_room(const vm_game_t *config, uint32_t bot, served_room_t *out) {
  served_room_t rooms[SERVED_MAX_ROOMS];
  uint32_t count = served_rooms_list(config, rooms), next = 0;
  *out = rooms[0];
  for (uint32_t round = 0; round < PLAYER_MAX; ++round) {
    for (uint32_t i = 0; i < count; ++i) {
      if (!can_enter(&rooms[i], round))
        continue;
      *out = rooms[i];
      if (next++ == bot)
        return;
    }
  }
}

// --- the process

// Gives each bot its own loopback address, as the seal limits the joins of an address. Returns true on success, or
// false if the system has only one loopback address.
static bool choose_addresses(world_bots_t *w) {
  error_info_t error = {0};
  for (uint32_t i = 0; i < w->desc->count; ++i)
    (void)snprintf(w->addresses[i], ADDRESS_BYTES, "127.0.%u.%u", 1 + i / 250, 1 + i % 250);
  link_udp_o *udp = link_udp_create(&(link_udp_desc_t){.address = w->addresses[0]}, &error);
  link_udp_destroy(udp);
  return udp != NULL;
}

static bool is_watcher(const world_bots_t *w, uint32_t bot) {
  return bot < count_honest(w) && bot + w->desc->watcher_count >= count_honest(w);
}

static bool create_bots(world_bots_t *w, error_info_t *error) {
  const world_bots_desc_t *d = w->desc;
  int64_t now_us = get_now_us();
  bool has_addresses = choose_addresses(w);
  int64_t join_us = has_addresses ? JOIN_US : SHARED_JOIN_US;
  for (uint32_t i = 0; i < d->count; ++i) {
    world_bots_find_room(d->config, i, &w->rooms[i]);
    w->bots[i] = world_bot_create(&(world_bot_desc_t){.number = i + 1,
                                                      .world = link_address_from_ipv4(HOST_IP, d->port),
                                                      .address = has_addresses ? w->addresses[i] : NULL,
                                                      .room = w->rooms[i].name,
                                                      .identity = d->identity,
                                                      .tick_us = 1000000 / d->config->tick_rate,
                                                      .max_players = served_rooms_max_players(d->config),
                                                      .action_count = d->action_count,
                                                      .stick_actions = d->stick_actions,
                                                      .watches = is_watcher(w, i),
                                                      .is_hostile = i >= count_honest(w),
                                                      .network = d->network,
                                                      .begin_us = now_us + (i + 1) * join_us,
                                                      .log = w->log},
                                  now_us, error);
    if (!w->bots[i])
      return false;
  }
  return true;
}

// Stores in `out` which bots have readable sockets.
static void find_readable(const world_bots_t *w, bool out[WORLD_MAX_BOTS]) {
  static wait_t handles[WORLD_MAX_BOTS * 2];
  static uint32_t owners[WORLD_MAX_BOTS * 2];
  wait_handle_t sockets[LINK_UDP_MAX_SOCKETS];
  uint32_t count = 0;
  for (uint32_t i = 0; i < w->desc->count; ++i) {
    out[i] = false;
    uint32_t own = link_udp_list_sockets(world_bot_get_udp(w->bots[i]), sockets);
    for (uint32_t k = 0; k < own && count < WORLD_MAX_BOTS * 2; ++k) {
      owners[count] = i;
      handles[count++] = (wait_t){.handle = sockets[k], .requested = WAIT_READ};
    }
  }
  if (wait_for_any(handles, count, 0) <= 0)
    return;
  for (uint32_t i = 0; i < count; ++i)
    out[owners[i]] |= handles[i].ready != 0;
}

// Logs the number of playing bots when it changes, at most once per REPORT_US, and immediately once all bots play.
// Hostile bots do not count.
static void report(world_bots_t *w, int64_t now_us) {
  uint32_t playing = 0, count = count_honest(w);
  for (uint32_t i = 0; i < count; ++i)
    playing += world_bot_is_playing(w->bots[i]);
  if (playing == w->playing || (playing < count && now_us - w->report_us < REPORT_US))
    return;
  w->playing = playing;
  w->report_us = now_us;
  log_info(w->log, "%u of %u bots play", playing, count);
}

// Logs a connected bot's mean traffic, and the longest silence of a room, every TRAFFIC_US. Hostile bots do not count.
static void report_traffic(world_bots_t *w, int64_t now_us) {
  uint64_t received = 0, sent = 0;
  uint32_t count = 0;
  double seconds = (double)(now_us - w->traffic_us) * 1e-6;
  for (uint32_t i = 0; i < count_honest(w); ++i) {
    int64_t silence_us = world_bot_get_silence_us(w->bots[i], now_us);
    w->silence_us = silence_us > w->silence_us ? silence_us : w->silence_us;
  }
  if (now_us - w->traffic_us < TRAFFIC_US)
    return;
  for (uint32_t i = 0; i < count_honest(w); ++i) {
    seal_session_counts_t now = {0}, *last = &w->counts[i];
    if (world_bot_get_counts(w->bots[i], &now) && now.sent_bytes >= last->sent_bytes && last->sent_bytes > 0) {
      received += now.received_bytes - last->received_bytes;
      sent += now.sent_bytes - last->sent_bytes;
      ++count;
    }
    *last = now;
  }
  w->traffic_us = now_us;
  if (count > 0)
    log_debug(w->log, "bots: %.2f KB/s to a bot, %.2f KB/s from a bot, longest silence %u ms",
              (double)received / count / seconds / 1000, (double)sent / count / seconds / 1000,
              (uint32_t)(w->silence_us / 1000));
  w->silence_us = 0;
}

// Sleeps until the next frame. Two frames per tick halve the time for which datagrams wait.
static void wait_for_frame(int64_t *frame_us, int64_t interval_us) {
  int64_t now_us = get_now_us();
  *frame_us += interval_us;
  if (*frame_us < now_us) // the machine was busy
    *frame_us = now_us;
  int64_t pause_us = *frame_us - now_us;
  nanosleep(&(struct timespec){.tv_sec = pause_us / 1000000, .tv_nsec = (long)(pause_us % 1000000) * 1000}, NULL);
}

// Runs until a signal ends the process. Returns only if the bots cannot start.
static void run_bots(const world_bots_desc_t *desc) {
  static world_bots_t w; // static, because it is large
  static bool has_datagrams[WORLD_MAX_BOTS];
  error_info_t error = {0};
  int64_t frame_us = get_now_us();
  w = (world_bots_t){.desc = desc};
  w.log = log_create(w.desc->log_level);
  if (!create_bots(&w, &error)) {
    log_error(w.log, "the bots cannot start: %s", error.text);
    return;
  }
  for (;;) {
    int64_t now_us = get_now_us();
    find_readable(&w, has_datagrams);
    for (uint32_t i = 0; i < w.desc->count; ++i)
      world_bot_update(w.bots[i], now_us, has_datagrams[i]);
    report(&w, now_us);
    report_traffic(&w, now_us);
    wait_for_frame(&frame_us, 500000 / w.desc->config->tick_rate);
  }
}

bool world_bots_start(const world_bots_desc_t *desc, child_service_t *out, error_info_t *error) {
  int process = child_fork_service(out, error);
  if (process == 0) {
    run_bots(desc);
    child_exit(1);
  }
  return process > 0;
}
