// Gives widgets access to the game's strings (ui.h).
#ifndef SHOAL_UI_UI_STRINGS_H
#define SHOAL_UI_UI_STRINGS_H

#include "ui/ui_types.h"

// Frees the game's strings; references are then displayed literally.
void ui_drop_strings(ui_o *ui);

#endif
