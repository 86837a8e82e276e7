// Storage of a game's input actions, which scripts and plugins read through ui.h.
#ifndef SHOAL_UI_ACTIONS_H
#define SHOAL_UI_ACTIONS_H

#include "base/alloc.h"

typedef struct actions_o actions_o;

actions_o *actions_create(allocator_t *a);
void actions_destroy(actions_o *x);
const char *actions_get_name(const actions_o *x, uint32_t index); // NULL if there are at most `index` actions; borrowed

#endif
