// How the next game is created: what the command line, the recording and the defaults say about seed, budgets, memory
// and checks.
#ifndef SHOAL_HOST_GAME_OPTIONS_H
#define SHOAL_HOST_GAME_OPTIONS_H

#include "game/game.h"

typedef struct host_o host_o;

game_desc_t game_options_describe(host_o *h); // for h->session.folder
bool game_options_watched(const host_o *h);   // a developer is at work: files are watched

#endif
