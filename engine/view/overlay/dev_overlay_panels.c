// Draws the time bar, the list of keys, the console and the palette of commands.
#include "overlay/dev_overlay_internal.h"

#include "base/assert.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define ROW_HEIGHT 21.0f
#define GAP 8.0f
#define BUTTON_WIDTH 112.0f // width of a button at the right end of the time bar
#define LINE_SHOWN_S 8.0    // seconds for which output stays visible while the console is not focused

// --- time bar

static const char *describe_state(const dev_overlay_view_t *view, gui_look_t *look) {
  *look = view->held ? GUI_LOOK_ACCENT : GUI_LOOK_GOOD;
  return !view->world    ? "cannot start"
         : view->held    ? "paused"
         : view->replays ? "replay"
         : view->paused  ? "paused by the game"
                         : "running";
}

static float draw_run_state(gui_t *gui, const dev_overlay_view_t *view, float x, float y) {
  gui_look_t look;
  const char *state = describe_state(view, &look);
  float width = gui_measure_text_width(gui, look, state) + 20;
  gui_fill_rect(gui, (gui_rect_t){x, y - 12, width, 24}, look, 0.18f);
  gui_draw_text(gui, x + 10, y, look, state, 0);
  return width;
}

// Draws a button's symbol as shapes, because fonts may lack the characters. `symbol`: -2 for 60 ticks back, -1 for one
// tick back, 0 for pause, 1 for resume, 2 for one tick forward.
static void draw_symbol(gui_t *gui, gui_rect_t rect, int symbol) {
  float unit = gui->unit, x = (rect.x + rect.width / 2) * unit, y = (rect.y + rect.height / 2) * unit, size = 5 * unit;
  float direction = symbol < 0 ? -1 : 1;
  draw_set_colour(gui->draw, 0.95f, 0.96f, 0.98f, 1);
  if (symbol == 0) {
    draw_rect(gui->draw, x - size, y - size, 0.7f * size, 2 * size, true, 0);
    draw_rect(gui->draw, x + 0.3f * size, y - size, 0.7f * size, 2 * size, true, 0);
    return;
  }
  for (int i = 0; i < (symbol == -2 ? 2 : 1); ++i) {
    float center_x = x - (float)(symbol == -2 ? 4 - 8 * i : 0) * unit;
    const float corners[6] = {center_x - direction * 0.8f * size, y - size, center_x + direction * 0.8f * size, y,
                              center_x - direction * 0.8f * size, y + size};
    draw_polygon(gui->draw, corners, 3, true, 0);
  }
  if (symbol == 2 || symbol == -1)
    draw_rect(gui->draw, x + direction * size - 0.8f * unit, y - size, 1.6f * unit, 2 * size, true, 0);
}

static float draw_buttons(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view, float x, float y) {
  static const char *const requests[] = {
      "{\"do\":\"time\",\"action\":\"step\",\"ticks\":-60}", "{\"do\":\"time\",\"action\":\"step\",\"ticks\":-1}",
      "{\"do\":\"time\",\"action\":\"toggle\"}", "{\"do\":\"time\",\"action\":\"step\",\"ticks\":1}"};
  const int symbols[] = {-2, -1, view->held ? 1 : 0, 2};
  for (int i = 0; i < 4; ++i) {
    gui_rect_t rect = {x + 34 * (float)i, y - 12, 30, 24};
    if (gui_button(gui, rect, "", false))
      dev_overlay_request(overlay, "%s", requests[i]);
    draw_symbol(gui, rect, symbols[i]);
  }
  return 4 * 34;
}

static void draw_scrub_bar(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view, gui_rect_t rect) {
  float unit = gui->unit, y = (rect.y + rect.height / 2) * unit;
  double tick_span = (double)(view->last_tick - view->first_tick);
  double fraction = tick_span > 0 ? (double)(view->tick - view->first_tick) / tick_span : 1;
  float position_x = rect.x + (float)fraction * rect.width;
  gui_fill_rect(gui, (gui_rect_t){rect.x, rect.y + rect.height / 2 - 3, rect.width, 6}, GUI_LOOK_TEXT, 0.14f);
  if (!view->has_past) {
    gui_draw_text(gui, rect.x + 8, rect.y - 1, GUI_LOOK_DIM, "The history is disabled: pass --history MB", rect.width);
    return;
  }
  gui_fill_rect(gui, (gui_rect_t){rect.x, rect.y + rect.height / 2 - 3, position_x - rect.x, 6}, GUI_LOOK_ACCENT,
                0.75f);
  draw_set_colour(gui->draw, 1, 0.80f, 0.45f, 1);
  draw_circle(gui->draw, position_x * unit, y, 6.5f * unit, true, 0);
  if (gui_is_clicked(gui, rect)) {
    overlay->drag = DRAG_TIME;
    overlay->seek_tick = UINT64_MAX;
  }
  if (overlay->drag != DRAG_TIME)
    return;
  float mouse_fraction = fminf(fmaxf((gui->x - rect.x) / rect.width, 0), 1);
  uint64_t tick = view->first_tick + (uint64_t)((double)mouse_fraction * tick_span + 0.5);
  if (tick != overlay->seek_tick && tick != view->tick)
    dev_overlay_request(overlay, "{\"do\":\"time\",\"action\":\"seek\",\"tick\":%llu}", (unsigned long long)tick);
  overlay->seek_tick = tick;
}

// Returns the strip below the picture. The bar's contents have the width of the screen.
static gui_rect_t get_bar(const gui_t *gui) {
  return (gui_rect_t){gui->picture.x, gui->picture.y + gui->picture.height, gui->picture.width, DEV_OVERLAY_BAR_HEIGHT};
}

// Returns the area of a button in the bar. `number` counts the buttons from the right; 0 is the rightmost button.
static gui_rect_t get_bar_button(const gui_t *gui, uint32_t number) {
  float right = gui->width - 12 - (float)number * (BUTTON_WIDTH + GAP);
  return (gui_rect_t){right - BUTTON_WIDTH, get_bar(gui).y + DEV_OVERLAY_BAR_HEIGHT / 2 - 12, BUTTON_WIDTH, 24};
}

// Draws the buttons that open the commands and the console. Returns their left edge.
static float draw_bar_buttons(dev_overlay_o *overlay, gui_t *gui) {
  if (gui_button(gui, get_bar_button(gui, 0), "Commands", overlay->palette_open)) {
    overlay->palette_open = true;
    overlay->palette_row = 0;
    line_edit_set(&overlay->search, "");
  }
  if (gui_button(gui, get_bar_button(gui, 1), "Console", overlay->console_focused)) {
    overlay->is_focused = false;
    overlay->console_focused = true;
  }
  return get_bar_button(gui, 1).x;
}

void dev_overlay_draw_bar(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view) {
  char text[96];
  float y = get_bar(gui).y + DEV_OVERLAY_BAR_HEIGHT / 2, x = 12;
  gui_draw_panel(gui, get_bar(gui));
  x += draw_run_state(gui, view, x, y) + 10;
  x += draw_buttons(overlay, gui, view, x, y) + 8;
  snprintf(text, sizeof text, "tick %llu", (unsigned long long)view->tick);
  gui_draw_text(gui, x, y, GUI_LOOK_MONO, text, 0);
  x += 118;
  float right = draw_bar_buttons(overlay, gui) - 12;
  snprintf(text, sizeof text, "%.0f frames/s, %.0f ticks/s%s", view->frames_per_s, view->ticks_per_s,
           fabs(view->speed - 1) < 1e-6 ? ""
           : view->speed < 1            ? ", slow"
                                        : ", fast");
  right -= gui_draw_text_right(gui, right, y, GUI_LOOK_DIM, text) + 14;
  if (view->has_past && view->tick_rate > 0) {
    snprintf(text, sizeof text, "%.1f s of history", (double)(view->tick - view->first_tick) / view->tick_rate);
    right -= gui_draw_text_right(gui, right, y, GUI_LOOK_DIM, text) + 14;
  }
  draw_scrub_bar(overlay, gui, view, (gui_rect_t){x, y - 12, fmaxf(right - x, 40), 24});
}

// --- list of keys

static uint32_t count_keys(const dev_overlay_view_t *view) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < view->command_count; ++i)
    count += view->commands[i].key[0] || view->commands[i].window[0];
  return count;
}

// Draws the list of keys. Returns its right edge.
static float draw_keys(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view, float y) {
  static const char *const mouse[][2] = {{"select; click again for the one below", "click"},
                                         {"add to selection", "Shift click"},
                                         {"move the selection", "drag it"},
                                         {"select all in a box", "drag"},
                                         {"all commands", "Ctrl+K"}};
  const uint32_t count = sizeof mouse / sizeof *mouse, rows = count + count_keys(view) + 2;
  gui_rect_t rect = {8, y, 300, (float)rows * ROW_HEIGHT + 14};
  gui_draw_panel(gui, rect);
  float row_y = y + 8 + ROW_HEIGHT / 2;
  gui_draw_text(gui, rect.x + 12, row_y, GUI_LOOK_TITLE, "Keys", 0);
  if (gui_button(gui, (gui_rect_t){rect.x + rect.width - 66, row_y - 10, 56, 20}, "hide", false))
    overlay->shows_keys = false;
  for (uint32_t i = 0; i < count + view->command_count; ++i) {
    const dev_overlay_command_t *command = i < count ? NULL : &view->commands[i - count];
    if (command && !command->key[0] && !command->window[0])
      continue;
    row_y += ROW_HEIGHT;
    float right = rect.x + rect.width - 10;
    const char *window = command ? command->window : mouse[i][1], *key = command ? command->key : "";
    right -= window[0] ? gui_draw_key_cap(gui, right, row_y, window) + 5 : 0;
    right -= key[0] ? gui_draw_key_cap(gui, right, row_y, key) + 5 : 0;
    gui_draw_text(gui, rect.x + 12, row_y, GUI_LOOK_TEXT, command ? command->name : mouse[i][0], right - rect.x - 18);
  }
  gui_draw_text(gui, rect.x + 12, row_y + ROW_HEIGHT, GUI_LOOK_DIM,
                view->held ? "The game is paused: all keys go to the overlay."
                           : "The game is running: keys without Ctrl go to the game.",
                rect.width - 20);
  return rect.x + rect.width;
}

float dev_overlay_draw_keys(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view) {
  return overlay->shows_keys ? draw_keys(overlay, gui, view, GAP) : 0;
}

// --- console

#define CONSOLE_X 316.0f // margin on both sides of the console, for the game's panels and the selected entity's fields
#define CONSOLE_HEIGHT 36.0f

static void add_to_history(dev_overlay_o *overlay, const char *text) {
  shoal_assert(text[0], "the line must not be empty");
  memmove(overlay->history[1], overlay->history[0], sizeof overlay->history - sizeof overlay->history[0]);
  snprintf(overlay->history[0], sizeof overlay->history[0], "%s", text);
  overlay->history_count += overlay->history_count < DEV_OVERLAY_HISTORY;
  overlay->history_index = 0;
}

// Runs a line that the overlay itself handles: an overlay action, or `help`, which opens the palette with the text that
// follows. Returns true if it has run the line, or false for any other line.
static bool run_overlay_line(dev_overlay_o *overlay, const dev_overlay_view_t *view) {
  const char *text = overlay->line.text;
  for (uint32_t i = 0; i < view->command_count; ++i)
    if (view->commands[i].is_overlay_action && strcasecmp(view->commands[i].name, text) == 0) {
      dev_overlay_run_command(overlay, &view->commands[i]);
      return true;
    }
  if (strncasecmp(text, "help", 4) != 0 || (text[4] != '\0' && text[4] != ' '))
    return false;
  dev_overlay_open_palette(overlay, text + 4 + strspn(text + 4, " "));
  return true;
}

static void run_console_line(dev_overlay_o *overlay, const dev_overlay_view_t *view) {
  char quoted[3 * LINE_EDIT_BYTES];
  if (overlay->line.text[0] == '\0') {
    overlay->console_focused = false;
    return;
  }
  dev_overlay_print(overlay, false, overlay->line.text);
  overlay->lines[(overlay->line_count - 1) % DEV_OVERLAY_LINES].look = GUI_LOOK_MONO_DIM;
  overlay->lines[(overlay->line_count - 1) % DEV_OVERLAY_LINES].printed_s = view->now_s;
  add_to_history(overlay, overlay->line.text);
  if (!run_overlay_line(overlay, view))
    dev_overlay_request(overlay, "{\"do\":\"console\",\"text\":\"%s\"}",
                        dev_overlay_quote(overlay->line.text, quoted, sizeof quoted));
  line_edit_set(&overlay->line, "");
}

// Completes the line to the longest common prefix of all matching command names.
static void complete_command(dev_overlay_o *overlay, const dev_overlay_view_t *view) {
  size_t bytes = strlen(overlay->line.text), common_bytes = 0;
  const char *match = NULL;
  char text[LINE_EDIT_BYTES];
  for (uint32_t i = 0; i < view->command_count && bytes > 0; ++i) {
    const char *name = view->commands[i].name;
    size_t length = 0;
    if (strncasecmp(name, overlay->line.text, bytes) != 0)
      continue;
    while (match && length < common_bytes && match[length] == name[length])
      ++length;
    common_bytes = match ? length : strlen(name);
    match = match ? match : name;
  }
  if (!match || common_bytes <= bytes || common_bytes >= sizeof text)
    return;
  snprintf(text, sizeof text, "%.*s", (int)common_bytes, match);
  line_edit_set(&overlay->line, text);
}

static void edit_console_line(dev_overlay_o *overlay, const dev_overlay_view_t *view) {
  const uint8_t *keys = view->input->pressed.keys;
  uint32_t index = overlay->history_index;
  shoal_assert(index <= overlay->history_count && overlay->history_count <= DEV_OVERLAY_HISTORY,
               "line %u is out of range (count %u)", index, overlay->history_count);
  line_edit_apply(&overlay->line, view->input);
  if (keys[KEY_UP] && index < overlay->history_count)
    ++index;
  if (keys[KEY_DOWN] && index > 0)
    --index;
  if (index != overlay->history_index)
    line_edit_set(&overlay->line, index > 0 ? overlay->history[index - 1] : "");
  overlay->history_index = index;
  if (keys[KEY_TAB])
    complete_command(overlay, view);
  if (keys[KEY_RETURN])
    run_console_line(overlay, view);
  if (keys[KEY_ESCAPE])
    overlay->console_focused = false;
}

static void draw_caret(gui_t *gui, const line_edit_t *edit, gui_look_t look, float x, float y) {
  char prefix[LINE_EDIT_BYTES];
  snprintf(prefix, sizeof prefix, "%.*s", (int)edit->cursor, edit->text);
  gui_fill_rect(gui, (gui_rect_t){x + gui_measure_text_width(gui, look, prefix), y - 9, 2, 18}, GUI_LOOK_ACCENT, 1);
}

// Draws the most recent output lines above `bottom`. Unless the console is focused, omits lines that have been visible
// for LINE_SHOWN_S seconds.
static void draw_output(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view, float bottom) {
  uint32_t visible_count = overlay->line_count < DEV_OVERLAY_LINES ? overlay->line_count : DEV_OVERLAY_LINES,
           first_line = overlay->line_count - visible_count;
  for (uint32_t i = first_line; i < overlay->line_count; ++i) {
    dev_overlay_line_t *x = &overlay->lines[i % DEV_OVERLAY_LINES];
    x->printed_s = x->printed_s > 0 ? x->printed_s : view->now_s;
  }
  while (first_line < overlay->line_count && !overlay->console_focused &&
         view->now_s - overlay->lines[first_line % DEV_OVERLAY_LINES].printed_s > LINE_SHOWN_S)
    ++first_line;
  float count = (float)(overlay->line_count - first_line);
  if (count < 1)
    return;
  gui_rect_t rect = {CONSOLE_X, bottom - count * ROW_HEIGHT - 12, gui->width - 2 * CONSOLE_X, count * ROW_HEIGHT + 12};
  gui_draw_panel(gui, rect);
  for (uint32_t i = first_line; i < overlay->line_count; ++i)
    gui_draw_text(gui, rect.x + 12, rect.y + 6 + ROW_HEIGHT * ((float)(i - first_line) + 0.5f),
                  overlay->lines[i % DEV_OVERLAY_LINES].look, overlay->lines[i % DEV_OVERLAY_LINES].text,
                  rect.width - 24);
}

static void draw_console_line(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view, gui_rect_t rect) {
  float y = rect.y + rect.height / 2;
  gui_draw_panel(gui, rect);
  if (overlay->console_focused)
    gui_draw_outline(gui, rect, GUI_LOOK_ACCENT);
  gui_set_clip(gui, (gui_rect_t){rect.x + 4, rect.y, rect.width - 8, rect.height});
  float overflow = fmaxf(gui_measure_text_width(gui, GUI_LOOK_MONO, overlay->line.text) - rect.width + 40, 0),
        x = rect.x + 12 - overflow;
  if (overlay->line.text[0])
    gui_draw_text(gui, x, y, GUI_LOOK_MONO, overlay->line.text, 0);
  else
    gui_draw_text(gui, x + 6, y, GUI_LOOK_DIM,
                  view->read_only ? "SQL; this cockpit is read-only" : "a command, Lua or SQL; help lists the commands",
                  0);
  if (overlay->console_focused)
    draw_caret(gui, &overlay->line, GUI_LOOK_MONO, x, y);
  gui_set_clip(gui, (gui_rect_t){0, 0, 0, 0});
  if (!overlay->console_focused)
    gui_draw_key_cap(gui, rect.x + rect.width - 10, y, "Ctrl+L");
}

// Shows the input line while it has the focus or contains text. Lines of output are also shown without it
// (draw_output).
void dev_overlay_draw_console(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view) {
  gui_rect_t rect = {CONSOLE_X, gui->height - GAP - CONSOLE_HEIGHT, gui->width - 2 * CONSOLE_X, CONSOLE_HEIGHT};
  if (overlay->console_focused && !overlay->palette_open)
    edit_console_line(overlay, view);
  bool is_shown = overlay->console_focused || overlay->line.text[0];
  if (gui->pressed && !gui->modal)
    overlay->console_focused = gui_is_over(gui, get_bar_button(gui, 1)) || (is_shown && gui_is_over(gui, rect));
  if (is_shown)
    draw_console_line(overlay, gui, view, rect);
  draw_output(overlay, gui, view, is_shown ? rect.y - 6 : gui->height - GAP);
}

// --- palette

#define PALETTE_ROWS 14u

static bool contains_word(const char *name, const char *word, size_t bytes) {
  for (; *name; ++name) {
    size_t i = 0;
    while (i < bytes && name[i] && (name[i] | 0x20) == (word[i] | 0x20))
      ++i;
    if (i == bytes)
      return true;
  }
  return bytes == 0;
}

// Returns true if the name contains all words of the query, in any order.
static bool matches_words(const char *name, const char *query) {
  while (*query) {
    size_t bytes = strcspn(query, " ");
    if (!contains_word(name, query, bytes))
      return false;
    query += bytes + strspn(query + bytes, " ");
  }
  return true;
}

static uint32_t find_commands(const dev_overlay_view_t *view, const char *query, const dev_overlay_command_t **out,
                              uint32_t max) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < view->command_count && count < max; ++i)
    if (matches_words(view->commands[i].name, query))
      out[count++] = &view->commands[i];
  return count;
}

static void handle_palette_keys(dev_overlay_o *overlay, const dev_overlay_view_t *view, uint32_t count) {
  const uint8_t *keys = view->input->pressed.keys;
  if (line_edit_apply(&overlay->search, view->input))
    overlay->palette_row = 0;
  overlay->palette_row += keys[KEY_DOWN] && overlay->palette_row + 1 < count;
  overlay->palette_row -= keys[KEY_UP] && overlay->palette_row > 0;
  if (keys[KEY_ESCAPE])
    overlay->palette_open = false;
}

static void draw_palette_row(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_command_t *command, gui_rect_t rect,
                             bool is_selected) {
  float y = rect.y + rect.height / 2, right = rect.x + rect.width - 10;
  if (is_selected || gui_is_over(gui, rect))
    gui_fill_rect(gui, rect, is_selected ? GUI_LOOK_ACCENT : GUI_LOOK_TEXT, is_selected ? 0.22f : 0.08f);
  right -= command->window[0] ? gui_draw_key_cap(gui, right, y, command->window) + 5 : 0;
  right -= command->key[0] ? gui_draw_key_cap(gui, right, y, command->key) + 5 : 0;
  float x = rect.x + 12 +
            gui_draw_text(gui, rect.x + 12, y, is_selected ? GUI_LOOK_TITLE : GUI_LOOK_TEXT, command->name,
                          right - rect.x - 20);
  if (command->help && command->help[0] && right - x > 60)
    gui_draw_text(gui, x + 14, y, GUI_LOOK_DIM, command->help, right - x - 20);
  if (gui_is_clicked(gui, rect))
    dev_overlay_run_command(overlay, command);
}

void dev_overlay_draw_palette(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view) {
  const dev_overlay_command_t *matches[512];
  uint32_t count = find_commands(view, overlay->search.text, matches, 512);
  handle_palette_keys(overlay, view, count);
  count = find_commands(view, overlay->search.text, matches, 512);
  overlay->palette_row = count > 0 && overlay->palette_row >= count ? count - 1 : overlay->palette_row;
  uint32_t first_row = overlay->palette_row >= PALETTE_ROWS ? overlay->palette_row - PALETTE_ROWS + 1 : 0;
  uint32_t row_count = count - first_row < PALETTE_ROWS ? count - first_row : PALETTE_ROWS;
  gui_rect_t rect = {gui->width / 2 - 280, 90, 560, 56 + 26 * (float)(row_count > 0 ? row_count : 1)};
  gui_draw_panel(gui, rect);
  float y = rect.y + 24;
  if (overlay->search.text[0])
    gui_draw_text(gui, rect.x + 16, y, GUI_LOOK_TEXT, overlay->search.text, rect.width - 32);
  else
    gui_draw_text(gui, rect.x + 22, y, GUI_LOOK_DIM, "search commands", 0);
  draw_caret(gui, &overlay->search, GUI_LOOK_TEXT, rect.x + 16, y);
  if (count == 0)
    gui_draw_text(gui, rect.x + 16, y + 34, GUI_LOOK_DIM, "no matching command", 0);
  for (uint32_t i = 0; i < row_count; ++i)
    draw_palette_row(overlay, gui, matches[first_row + i],
                     (gui_rect_t){rect.x + 6, rect.y + 46 + 26 * (float)i, rect.width - 12, 25},
                     first_row + i == overlay->palette_row);
  if (overlay->palette_open && count > 0 && view->input->pressed.keys[KEY_RETURN])
    dev_overlay_run_command(overlay, matches[overlay->palette_row]);
  else if (gui->pressed && !gui_is_over(gui, rect))
    overlay->palette_open = false;
}
