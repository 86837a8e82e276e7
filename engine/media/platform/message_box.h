// A message box for players. Works without a game window, and on systems on which SDL's own message box fails.
#ifndef SHOAL_PLATFORM_MESSAGE_BOX_H
#define SHOAL_PLATFORM_MESSAGE_BOX_H

#include <stdbool.h>

// Shows the text in a window with a button, and returns when the window is dismissed. The text is UTF-8 and wrapped
// automatically. Most characters outside of ASCII are displayed as '?'. Returns true after the window was dismissed, or
// false immediately if there is no display or the window cannot be created. Main thread only. SDL must be loaded
// (sdl.h).
bool message_box_show(const char *title, const char *text);

#endif
