// Inputs of a match tick: copies the inputs of its record to the sample of the game's next tick.
#ifndef SHOAL_MATCH_MATCH_INPUTS_H
#define SHOAL_MATCH_MATCH_INPUTS_H

#include "journal/record.h"

typedef struct game_o game_o;

// Adds the commands of a record, describes the players that join in it, and sets the inputs of the next tick.
void match_inputs_apply(game_o *g, const record_t *record);

#endif
