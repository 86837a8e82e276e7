// A game as the world of a match.
#include "match/match_game.h"

#include "base/assert.h"
#include "ecs/world_hash.h"
#include "game/game.h"
#include "game/players.h"
#include "snapshot/state.h"

#include <stdlib.h>
#include <string.h>

struct match_game_o {
  allocator_t memory;
  game_o *game;
  snapshot_o *slots[MATCH_SLOTS];
  snapshot_o *sent;
  uint64_t shown_tick; // latest tick whose outputs have appeared
};

match_game_o *match_game_create(game_o *game) {
  match_game_o *mg = alloc_object(sizeof *mg);
  shoal_assert(players_are_declared(game), "the game declares no players");
  mg->game = game;
  mg->shown_tick = world_tick(game->world);
  mg->sent = snapshot_create(&mg->memory);
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i) {
    mg->slots[i] = snapshot_create(&mg->memory);
    snapshot_take(mg->slots[i], game->world, NULL);
  }
  players_set_match(game, true);
  return mg;
}

void match_game_destroy(match_game_o *mg) {
  if (!mg)
    return;
  players_set_match(mg->game, false);
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i)
    snapshot_release(mg->slots[i]);
  snapshot_release(mg->sent);
  shoal_assert(mg->memory.bytes == 0, "%zu bytes of the match's game were not freed", mg->memory.bytes);
  free(mg);
}

static void mute(match_game_o *mg, bool is_muted) {
  log_mute(mg->game->desc.log, is_muted);
  audio_mute(mg->game->desc.audio, is_muted);
}

static bool run_tick(void *context, record_t *record, match_run_t mode, uint64_t *hash) {
  match_game_o *mg = context;
  bool is_repeated = record->tick <= mg->shown_tick;
  script_requests_t requests = mg->game->requests;
  (void)mode;
  players_set_inputs(mg->game, &record->inputs, NULL);
  if (is_repeated)
    mute(mg, true);
  game_tick(mg->game);
  if (is_repeated) {
    mute(mg, false);
    mg->game->requests = requests;
  } else {
    mg->shown_tick = record->tick;
  }
  *hash = world_hash(mg->game->world);
  return true;
}

static void save_state(void *context, uint32_t slot) {
  match_game_o *mg = context;
  bool ok = snapshot_take(mg->slots[slot], mg->game->world, NULL);
  (void)ok;
  shoal_assert(ok, "the state of tick %llu cannot be taken", (unsigned long long)world_tick(mg->game->world));
}

static void restore_state(void *context, uint32_t slot) {
  match_game_o *mg = context;
  bool ok = snapshot_restore(mg->slots[slot], mg->game->world, NULL);
  (void)ok;
  shoal_assert(ok, "slot %u cannot be restored", slot);
}

static void apply_record(void *context, const record_t *record) {
  match_game_o *mg = context;
  // The record comes from another machine, so it must not end this one. If the host has applied it, the next hashes
  // differ, and the host's snapshot replaces this state.
  log_error(mg->game->desc.log, "match: records of kind %d are not supported", (int)record->kind);
}

static size_t write_snapshot(void *context, const uint8_t **bytes) {
  match_game_o *mg = context;
  size_t size = 0;
  snapshot_take(mg->sent, mg->game->world, NULL);
  *bytes = snapshot_bytes(mg->sent, &size);
  return size;
}

static bool read_snapshot(void *context, const uint8_t *bytes, size_t size, uint64_t *hash, error_info_t *error) {
  match_game_o *mg = context;
  snapshot_o *received = snapshot_create_from_bytes(&mg->memory, bytes, size);
  bool ok = snapshot_restore(received, mg->game->world, error);
  snapshot_release(received);
  *hash = ok ? world_hash(mg->game->world) : 0;
  mg->shown_tick = world_tick(mg->game->world);
  return ok;
}

match_world_t match_game_get_world(match_game_o *mg) {
  return (match_world_t){.context = mg,
                         .run = run_tick,
                         .save = save_state,
                         .restore = restore_state,
                         .apply = apply_record,
                         .write_snapshot = write_snapshot,
                         .read_snapshot = read_snapshot};
}
