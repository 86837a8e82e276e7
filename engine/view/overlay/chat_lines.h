// Chat lines at the left edge of the screen, which disappear after some seconds. Plain data; drawn by overlay.c.
#ifndef SHOAL_OVERLAY_CHAT_LINES_H
#define SHOAL_OVERLAY_CHAT_LINES_H

#include "overlay/gui.h"

#define CHAT_LINES_MAX 6u
#define CHAT_LINES_BYTES 240u      // maximum size of a name and its message, including '\0'
#define CHAT_LINES_DURATION_S 8.0f // seconds for which a line is visible

typedef struct chat_line_t {
  char text[CHAT_LINES_BYTES];
  uint32_t colour; // colour of the speaker, 0xRRGGBB
  float age_s;
} chat_line_t;

// Valid when zeroed. The newest line is last and is drawn at the bottom.
typedef struct chat_lines_t {
  chat_line_t items[CHAT_LINES_MAX];
  uint32_t count;
} chat_lines_t;

// Adds the line "NAME: TEXT"; if the list is full, drops the oldest line.
void chat_lines_add(chat_lines_t *lines, const char *name, uint32_t colour, const char *text);
// Ages the lines and removes expired lines.
void chat_lines_advance(chat_lines_t *lines, float seconds);
void chat_lines_draw(const chat_lines_t *lines, gui_t *gui);

#endif
