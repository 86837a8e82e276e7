// Widgets: entities that are laid out in rows and columns, take the focus by keys, pad and mouse, and say what happened
// with events. All of their state is columns (widgets.h); what is kept here can be calculated from them at any time.
//
// A step reads the tick's input sample, before any other system; the layout follows when something that it depends on
// has changed, and lies in the columns at_x … at_height, in logical pixels. Drawing reads the world, never writes it.
// Main thread.
#ifndef SHOAL_UI_UI_H
#define SHOAL_UI_UI_H

#include "platform/audio.h"
#include "platform/input.h"
#include "platform/platform.h"
#include "render/draw.h"
#include "schedule/schedule.h"
#include "text/typesetter.h"
#include "ui/theme.h"

typedef struct ui_o ui_o;

typedef struct ui_desc_t {
  world_o *world;
  const input_state_t *input, *input_before; // borrowed: of the tick
  audio_o *audio;                            // borrowed; NULL: silent
  typesetter_o *type;                        // borrowed; measures texts
} ui_desc_t;

// Declares the components of widgets. One per world, before rows are there, behind the built-in components. NULL with a
// message.
ui_o *ui_create(const ui_desc_t *desc, error_t *error);
void ui_destroy(ui_o *ui);                           // NULL is fine
void ui_use_type(ui_o *ui, typesetter_o *type);      // another one from here on
void ui_use_words(ui_o *ui);                         // its typesetter shows the texts of ui_word_put, from here on
void ui_set_screen(ui_o *ui, int width, int height); // logical pixels
// shoal.widgets in phase input, before all others, and shoal.layout in phases input and post_update, behind all others.
bool ui_schedule(ui_o *ui, schedule_o *s, error_t *error);
// Tells `platform`, where it is not NULL, whether somebody writes, and where. `dt_s`: since the last frame, for
// highlights that fade; also while the game is paused.
void ui_draw(ui_o *ui, draw_o *draw, platform_o *platform, float dt_s);

// The step and the layout by themselves, for tests. Nothing may be deferred.
void ui_step(ui_o *ui, double dt_s);
void ui_lay_out(ui_o *ui);

// --- what the engine's Lua calls

typedef enum ui_action_t {
  UI_UP,
  UI_DOWN,
  UI_LEFT,
  UI_RIGHT,
  UI_ACCEPT,
  UI_BACK,
  UI_NEXT,
  UI_PREVIOUS,
  UI_ACTIONS
} ui_action_t;

// What of the input the game does not hear in this tick.
enum { UI_TAKES_KEYS = 1, UI_TAKES_MOUSE = 2, UI_TAKES_ALL = 7 };
// The bindings of an action, in place of those that it has by itself.
void ui_bind(world_o *w, uint32_t action, const input_binding_t *bindings, uint32_t count);
// Declares bindings of an action of input.lua. `part`: 0 the list of an action or the axis, 1 what counts as -1, 2 what
// counts as 1.
void ui_action_put(world_o *w, const char *name, uint32_t part, const input_binding_t *bindings, uint32_t count);
// Returns the bindings in use: those that players chose, else the declared ones. Valid until the next call of ui/.
const input_binding_t *ui_action_bindings(world_o *w, const char *name, uint32_t part, uint32_t *count);
// What [prompt=ACTION] in texts with tags stands for (text/markup.h).
void ui_prompt(world_o *w, const char *action, const char *shows);
// Of the theme: what is not put stays as it is by default (theme.h).
void ui_theme_put(world_o *w, const char *style, uint32_t state, uint32_t key, const float *numbers, const char *text);

// A text of the game's strings (text/game_strings.h), in the order of the languages, the first one first.
void ui_words_begin(world_o *w); // there are none
void ui_word_put(world_o *w, const char *language, const char *key, uint32_t form, const char *text);
// What a reference stands for now: good until the next call. Itself, in a game without strings.
const char *ui_words(world_o *w, const char *reference);

// --- for scripts and plugins

// -1 … 1 in the sample of the tick and in the one before it. `player`: -1 for anybody, else 0 … 3. False: there is no
// such action. Any thread while nobody writes the single shoal.input, once it was asked on the main one in this tick.
bool ui_action(world_o *w, const char *name, int32_t player, float *now, float *before);
// ": did you mean NAME?", or that there are none, or "".
const char *ui_action_hint(world_o *w, const char *name, char *out, uint32_t bytes);

#endif
