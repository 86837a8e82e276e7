// Dialogue boxes.
#ifndef SHOAL_UI_DIALOGUE_H
#define SHOAL_UI_DIALOGUE_H

#include "ui/state.h"

void ui_update_dialogues(ui_o *ui);
void ui_run_typewriters(ui_o *ui, double dt_s);
void ui_continue_dialogue(ui_o *ui, const ui_node_t *n); // shows the rest of the text, or ends the dialogue
bool ui_move_choice(ui_o *ui, const ui_node_t *n, int step);
void ui_click_dialogue(ui_o *ui, const ui_node_t *n, float y);

#endif
