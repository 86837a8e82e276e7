// Commands, names and inputs of a record.
#include "match/match_inputs.h"

#include "game/game.h"
#include "game/players.h"
#include "match/match.h"
#include "platform/player_name.h"

#include <string.h>

static void add_command(game_o *g, const record_t *record, const record_item_t *item) {
  if (!players_add_actions(g, item->player, item->bytes, item->size))
    log_warn(g->desc.log, "match: player %u sent too many actions in tick %llu", item->player + 1u,
             (unsigned long long)record->tick);
}

// The name follows the digest of the player's token.
static void describe_player(game_o *g, const record_t *record, const record_item_t *item) {
  player_info_t info = {0};
  if (item->size > MATCH_TOKEN_BYTES)
    player_name_clean((const char *)item->bytes + MATCH_TOKEN_BYTES, item->size - MATCH_TOKEN_BYTES, info.name);
  players_describe(g, item->player + 1u, &info);
  info.colour = players_find_free_colour(g, item->player + 1u, record->inputs.present);
  players_describe(g, item->player + 1u, &info);
}

void match_inputs_apply(game_o *g, const record_t *record) {
  for (uint32_t i = 0; i < record->item_count; ++i) {
    const record_item_t *item = &record->items[i];
    if (item->kind == RECORD_ITEM_COMMAND)
      add_command(g, record, item);
    else if (item->kind == RECORD_ITEM_JOIN)
      describe_player(g, record, item);
  }
  players_set_inputs(g, &record->inputs, NULL);
}
