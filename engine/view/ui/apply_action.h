// Applies the actions of players on widgets. In a game without players, an action takes effect immediately. In a game
// that declares players, the machine queues it for the tick's input, and all machines apply it in the tick.
#ifndef SHOAL_UI_APPLY_ACTION_H
#define SHOAL_UI_APPLY_ACTION_H

#include "ui/state.h"
#include "ui/widget_action.h"

// Applies or queues an action on the node, unless the host of a match could apply it to a different node
// (ui_set_confirmed). Ignores the entity of `action`. Commands must be deferred unless the action is queued.
void ui_act(ui_o *ui, const ui_node_t *n, const widget_action_t *action);
// Applies the actions in the tick's sample, in the order of the players. Ignores malformed actions, and actions that
// the player's machine could not have sent; logs one warning for each player. Commands must be deferred.
void ui_apply_actions(ui_o *ui);

#endif
