// Dialogue boxes.
#ifndef SHOAL_UI_DIALOGUE_H
#define SHOAL_UI_DIALOGUE_H

#include "ui/state.h"

// Assigns waiting lines of sequences to free dialogue boxes, and updates the displayed text.
void ui_update_dialogues(ui_o *ui);
// Advances the number of visible characters of each dialogue.
void ui_run_typewriters(ui_o *ui, double dt_s);
void ui_continue_dialogue(ui_o *ui, const ui_node_t *n); // shows the rest of the text, or ends the dialogue
void ui_end_dialogue(ui_o *ui, const ui_node_t *n, uint32_t choice);
// Highlights the next or previous choice, wrapping around. Returns true.
bool ui_move_choice(ui_o *ui, const ui_node_t *n, int step);
// Handles a click at y: answers with the choice under the pointer, or continues the dialogue if it shows no choices
// yet. Ignores clicks that miss the choices.
void ui_click_dialogue(ui_o *ui, const ui_node_t *n, float y);

#endif
