// A message box for players, usable without a game window and where SDL has none.
#ifndef SHOAL_PLATFORM_MESSAGE_BOX_H
#define SHOAL_PLATFORM_MESSAGE_BOX_H

#include <stdbool.h>

// Shows a window with the text (UTF-8, mostly limited to ASCII, wrapped automatically) and a button, and returns when
// it is dismissed. Returns false immediately if there is no display. Main thread only.
bool message_box_show(const char *title, const char *text);

#endif
