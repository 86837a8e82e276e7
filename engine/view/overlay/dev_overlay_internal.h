// State shared by the files of the overlay. Private to engine/view/overlay.
#ifndef SHOAL_OVERLAY_DEV_OVERLAY_INTERNAL_H
#define SHOAL_OVERLAY_DEV_OVERLAY_INTERNAL_H

#include "base/array.h"
#include "overlay/gui.h"
#include "overlay/dev_overlay.h"
#include "overlay/line_edit.h"

#define DEV_OVERLAY_LINES 10u   // output lines shown above the console
#define DEV_OVERLAY_HISTORY 32u // maximum number of console lines in the history
#define DEV_OVERLAY_FOLDED 32u  // maximum number of folded panels
#define DEV_OVERLAY_MOVES 64u   // maximum number of entities that can be dragged together

typedef struct dev_overlay_line_t {
  char text[256];
  gui_look_t look;
  double printed_s;
} dev_overlay_line_t;

typedef enum dev_overlay_drag_t {
  DRAG_NONE,
  DRAG_TIME,
  DRAG_FIELD,
  DRAG_PRESS, // the button was pressed on the game's image; the mouse has not moved yet
  DRAG_MOVE,
  DRAG_BOX,
  DRAG_SLIDER,
  DRAG_ELSEWHERE // the button was pressed on a panel; ignored by the game's image
} dev_overlay_drag_t;

typedef struct dev_overlay_moved_t {
  shoal_entity entity;
  double x, y; // position of the entity's transform when the drag began
} dev_overlay_moved_t;

struct dev_overlay_o {
  bool is_open, shows_keys, palette_open;
  bool is_focused;      // true if only the time bar is shown, without panels and console
  bool console_focused; // true if the console has the keyboard focus
  bool held, read_only; // values of the last dev_overlay_view_t
  line_edit_t line, search;
  char history[DEV_OVERLAY_HISTORY][LINE_EDIT_BYTES];
  uint32_t history_count, history_index;
  dev_overlay_line_t lines[DEV_OVERLAY_LINES]; // ring buffer of output lines
  uint32_t line_count;
  uint32_t palette_row; // selected row of the palette
  float scroll;         // scroll offset of the fields, in units
  float wheel;          // wheel movement since the last frame
  dev_overlay_drag_t drag;
  bool drag_sent;         // true if the drag's first request was sent; later requests extend the same undo step
  float press_x, press_y; // position at which the button was pressed, in units
  float last_x, last_y;   // position of the drag's last request; equal to press_x and press_y before the first request
  float click_x, click_y; // position of the last click on the game's image
  shoal_entity field_entity; // entity whose field is dragged
  char field_component[COMPONENT_NAME_MAX], field_instance[64], field_name[FIELD_NAME_MAX];
  double field_start_value, field_step;
  bool field_is_integer;
  uint64_t seek_tick; // tick at the mouse position in the last frame of DRAG_TIME; UINT64_MAX: no tick
  char slider[400];   // request of the slider that is dragged
  // Value last requested by the dragged slider; before the first request, its value when the drag began.
  double slider_value;
  char folded[DEV_OVERLAY_FOLDED][64]; // titles of folded panels
  dev_overlay_moved_t moved_entities[DEV_OVERLAY_MOVES];
  uint32_t moved_count;
  ARRAY(char) requests; // queued requests, each terminated by '\0'
  uint32_t request_offset;
  allocator_t memory;
};

// --- dev_overlay_actions.c

// Queues a request.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void dev_overlay_request(dev_overlay_o *overlay, const char *format, ...);
// Writes `text`, escaped for a JSON string but without quotation marks, to `out`, and returns `out`.
const char *dev_overlay_quote(const char *text, char *out, size_t bytes);
void dev_overlay_run_command(dev_overlay_o *overlay, const dev_overlay_command_t *command);
// Opens the list of commands with a search text.
void dev_overlay_open_palette(dev_overlay_o *overlay, const char *search);
// Returns true if the key is down or was pressed since the last frame, even if it has been released.
bool dev_overlay_is_key_down(const dev_overlay_view_t *view, int key);
bool dev_overlay_is_shift_down(const dev_overlay_view_t *view);

// --- dev_overlay_panels.c

void dev_overlay_draw_bar(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view);
// Draws the list of keys, and returns its right edge; 0 if the list is hidden.
float dev_overlay_draw_keys(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view);
// Draws the console line and its output.
void dev_overlay_draw_console(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view);
// Draws the list of commands and runs the chosen command.
void dev_overlay_draw_palette(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view);

// --- dev_overlay_widgets.c

// Draws the panels from games and plugins to the right of `x`.
void dev_overlay_draw_game_panels(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view, float x);

// --- dev_overlay_fields.c

// Draws the components of the selected entity and handles clicks on their values.
void dev_overlay_draw_fields(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view);
// Requests the new value of the number that is being dragged.
void dev_overlay_drag_field(dev_overlay_o *overlay, gui_t *gui);

// --- dev_overlay_pick.c

// Handles mouse input on the game's image.
void dev_overlay_update_selection(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view);
void dev_overlay_draw_outlines(gui_t *gui, const dev_overlay_view_t *view);

#endif
