// The state of widgets that belongs to one machine, in a game that declares players: layout, hover, focus and scroll of
// the widgets, one focus for each local player, and the queued widget actions. None of this state is part of the world:
// in the world's columns, derived fields keep their defaults and the values that scripts wrote. The functions of ui/
// access a derived field through ui->columns, which points to the values of the machine except while the simulation
// runs.
//
// Scripts request the focus by setting widget.focused. In the tick, the request becomes a value of focus_request: twice
// the number of the tick, plus 1, or plus 2 if the focus is removed. A repeated request is therefore noticed.
#ifndef SHOAL_UI_MACHINE_H
#define SHOAL_UI_MACHINE_H

#include "ui/state.h"
#include "ui/widget_action.h"

// Creates the state for the world's widgets. Freed by ui_destroy.
ui_machine_o *machine_create(ui_o *ui);
// Returns a copy of `from`, the widget state of `ui` or of a different world. Release it with machine_free.
ui_machine_o *machine_copy(ui_o *ui, const ui_machine_o *from);
void machine_free(ui_o *ui, ui_machine_o *machine);
// Replaces the state with a copy of `from`: after a reload, or when an earlier state of the world is restored with
// its focus. The next step moves the values to the world's rows.
void machine_replace(ui_o *ui, const ui_machine_o *from);

// Makes the machine's values follow the world's rows: an entity keeps its values when its row moves, and after a
// restore. Adopts values that scripts changed, requests for the focus and, after a load, the focus of the saved world.
void machine_synchronize(ui_o *ui);
// Makes ui->columns point to the machine's values. Fields with a value for each local player use the current player's
// value.
void machine_redirect_columns(ui_o *ui);

// Selects the local player whose focus ui->columns contains.
void machine_select_player(ui_o *ui, uint32_t local);
// Among the widgets that all players share, gives the current local player's focus to the remaining local players, too,
// so that a shared menu has one focus.
void machine_share_focus(ui_o *ui);
// Selects the focus of all local players, for drawing.
void machine_select_all_players(ui_o *ui);
// Returns true if the current local player uses the node or, if no local player is selected, if any of them does.
bool machine_can_use(const ui_o *ui, const ui_node_t *n);
// Returns true if the host knows this entity by the same id (ui_set_confirmed).
bool machine_is_confirmed(const ui_o *ui, shoal_entity entity);
// Returns true if the host would apply the action to the same widget and line.
bool machine_can_send(const ui_o *ui, const widget_action_t *action);
bool machine_shows(const ui_o *ui, uint32_t player); // returns true if a local player sees this player's widgets

// machine_publish writes the machine's values to the world's columns, so that systems in phase render can read them.
// machine_unpublish restores the columns.
void machine_publish(ui_o *ui);
void machine_unpublish(ui_o *ui);

// Queues an action of the current local player.
void machine_queue(ui_o *ui, const widget_action_t *action);
// Returns the node's value that was sent but that the match has not applied yet, or `value` if there is no such value.
// The next key press must change the returned value.
double machine_get_sent(const ui_o *ui, const ui_node_t *n, double value);
void machine_set_sent(ui_o *ui, const ui_node_t *n, double value);

#define MACHINE_TEXT_BYTES 16400u

// Returns the text of an entry with the edits that have been sent but not applied yet.
const char *machine_get_entry_text(const ui_o *ui, const ui_node_t *n);
// Begins a step of the machine. `dt_s`: time since the previous step, in seconds.
void machine_begin_step(ui_o *ui, const uint8_t *numbers, uint32_t count, double dt_s);
// Allows the first local player to edit the entry in this step. `composing`: text of the input method.
void machine_begin_edit(ui_o *ui, const ui_node_t *n, const char *composing);
void machine_end_step(ui_o *ui); // discards the text of an entry that is no longer edited
const char *machine_get_composing(const ui_o *ui, const ui_node_t *n);
// Replaces the text of the edited entry, and queues the change as a widget action. Does nothing for other entries.
void machine_edit(ui_o *ui, const ui_node_t *n, const char *text);

#endif
