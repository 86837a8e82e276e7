// Applies a record's commands, player names and inputs to a game.
#include "match/match_inputs.h"

#include "game/game.h"
#include "game/players.h"
#include "match/match.h"

#include <string.h>

static void add_command(game_o *g, const record_t *record, const record_item_t *item) {
  if (!players_add_actions(g, item->player, item->bytes, item->size))
    log_warn(g->desc.log, "match: player %u sent too many actions in tick %llu", item->player + 1u,
             (unsigned long long)record->tick);
}

// Adds the player of a JOIN item, which contains the digest of the player's token, then the name.
static void add_player(game_o *g, const record_t *record, const record_item_t *item) {
  size_t start = item->size < MATCH_TOKEN_BYTES ? item->size : MATCH_TOKEN_BYTES;
  players_add(g, item->player + 1u, (const char *)item->bytes + start, item->size - start, record->inputs.present);
}

void match_inputs_apply(game_o *g, const record_t *record) {
  for (uint32_t i = 0; i < record->item_count; ++i) {
    const record_item_t *item = &record->items[i];
    if (item->kind == RECORD_ITEM_COMMAND)
      add_command(g, record, item);
    else if (item->kind == RECORD_ITEM_JOIN)
      add_player(g, record, item);
  }
  players_set_inputs(g, &record->inputs, NULL);
}
