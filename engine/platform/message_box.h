// A sentence for a player before there is a game's window, or behind it, where SDL has no box for it.
#ifndef SHOAL_PLATFORM_MESSAGE_BOX_H
#define SHOAL_PLATFORM_MESSAGE_BOX_H

#include <stdbool.h>

// A window with the text (UTF-8, of which the font has ASCII and a few signs; lines break by themselves) and a button;
// returns when it is answered, false at once where there is no screen. Main thread.
bool message_box_show(const char *title, const char *text);

#endif
