// Inputs of a match tick: copies the inputs of its record to the sample of the game's next tick.
#ifndef SHOAL_MATCH_MATCH_INPUTS_H
#define SHOAL_MATCH_MATCH_INPUTS_H

#include "journal/record.h"

typedef struct game_o game_o;

// Applies a record to the next tick: adds its commands, names the joining players, and sets the inputs.
void match_inputs_apply(game_o *g, const record_t *record);

#endif
