// What the cockpit owns. Private to engine/cockpit.
#ifndef SHOAL_COCKPIT_COCKPIT_INTERNAL_H
#define SHOAL_COCKPIT_COCKPIT_INTERNAL_H

#include "base/array.h"
#include "base/child.h"
#include "cockpit/cockpit.h"
#include "server/json_text.h"
#include "server/server.h"
#include "host/host_tools.h"
#include "overlay/desk.h"
#include "overlay/scopes.h"

#include <jansson.h>
#include <string.h>

#define PROTOCOL_VERSION 1
#define MOST_FOLLOWED 48u            // by one client
#define MOST_ROWS 5000u              // of an answer
#define FOLLOW_FASTEST_MS 50         // 20 times a second
#define LOG_LINES 512u               // that are kept for whoever comes later
#define QUESTION_STEPS 20000u        // in the frame; a longer question is answered by a copy of the process
#define QUESTION_HELD_STEPS 2000000u // while no tick waits for it
#define QUESTION_COPY_MS 1000        // of processor time, for a copy
#define CONSOLE_BYTES 65536u         // of what a chunk returns

typedef struct log_line_t {
  uint64_t number; // from 1
  uint64_t tick;
  log_level_t level;
  char text[512]; // cut
} log_line_t;

typedef enum follow_kind_t {
  FOLLOW_NONE,
  FOLLOW_SQL,
  FOLLOW_ENTITY,
  FOLLOW_STATE,
  FOLLOW_SYSTEMS,
  FOLLOW_ERRORS,
  FOLLOW_LOG,
  FOLLOW_FRAMES,
  FOLLOW_EVENTS,
  FOLLOW_MEMORY,
  FOLLOW_GHOSTS,
  FOLLOW_PANEL
} follow_kind_t;

// What a client wants to hear of whenever it changes.
typedef struct follow_t {
  follow_kind_t kind;
  uint32_t number; // by which the client knows it
  int64_t period_ms, next_ms;
  char *text; // SQL; the title of a panel
  shoal_entity entity;
  uint32_t most_rows;
  ARRAY(uint64_t) rows; // hashes of those that the client has; of others than tables the one of all of it
  uint64_t head;        // hash of the columns
  uint64_t line;        // LOG, FRAMES, EVENTS: the last that was sent
  bool begun;
} follow_t;

typedef struct client_state_t {
  uint32_t number; // server.h
  follow_t followed[MOST_FOLLOWED];
  uint32_t follow_count, follows_so_far;
} client_state_t;

// A question that is answered in a copy of the process: one at a time.
typedef struct question_t {
  bool runs;
  child_t child;
  uint32_t client;
  json_t *id; // of the request
  ARRAY(char) answer;
} question_t;

// How the last changes are taken back, as Lua.
typedef struct undo_t {
  size_t bytes;
  char *text;
} undo_t;
#define MOST_UNDOS 200u

// A destroyed entity that was brought back, and the one that it is now.
typedef struct returned_t {
  shoal_entity was, is;
} returned_t;

static inline const char *word_of(const json_t *x, const char *key) {
  const char *word = json_string_value(json_object_get(x, key));
  return word ? word : "";
}
static inline void put_words(json_text_t *t, const char *text) {
  json_text_put(t, text, strlen(text));
}

// Logs are rings that number what they hold from 0. The first entry that a client lacks who has those before `after`.
static inline uint64_t ring_after(uint64_t after, uint64_t count, uint64_t room) {
  uint64_t first = count > room ? count - room : 0;
  return after > first && after <= count ? after : first;
}

// What a frame was made of (profile.c).
#define PROFILE_FRAMES 64u
#define PROFILE_SYSTEMS 192u
typedef struct profile_run_t {
  uint32_t system;          // its place among describe_systems
  float began_us, spent_us; // from the beginning of the frame on
  uint32_t runs;            // in the frame; the last of them is the one that is timed
} profile_run_t;

typedef struct profile_frame_t {
  uint64_t number, tick;
  double began_us, spent_us;
  uint32_t count;
  profile_run_t systems[PROFILE_SYSTEMS];
} profile_frame_t;

typedef struct profile_t {
  bool on;
  double last_us;
  uint64_t runs[PROFILE_SYSTEMS]; // of each when it was looked at last
  profile_frame_t frames[PROFILE_FRAMES];
  uint64_t count;
} profile_t;

// Events as lines (event_log.c).
#define EVENT_LINES 512u
#define EVENT_KINDS 256u
#define EVENT_MOST_AT_ONCE 24u // of one kind; the rest is a number
typedef struct event_line_t {
  uint64_t number, tick;
  char event[COMPONENT_NAME_MAX];
  char fields[480]; // JSON; "{}" when they are longer
} event_line_t;

typedef struct event_log_t {
  bool on;
  uint64_t next[EVENT_KINDS]; // of each kind, the number of the first row that has not been noted
  event_line_t lines[EVENT_LINES];
  uint64_t count;
} event_log_t;

// Panels of games and plugins (panels.c).
#define PANEL_POINTS 240u // of a plot
#define PANEL_PLOTS 8u
#define PANEL_WIDGETS 64u
#define PANEL_ROWS 12u // that the overlay shows of a table
#define PANEL_CELLS 96u

typedef struct panel_plot_t {
  char label[400];
  uint32_t count;
  double points[PANEL_POINTS][2]; // tick and value
} panel_plot_t;

typedef struct panel_t {
  const char *title, *at, *sql; // of `list`; sql is NULL of one that is drawn
  bool plot, stopped;           // stopped: by the watchdog
  int64_t next_ms;              // when it is looked at again
  uint32_t looks;               // so far
  json_t *widgets;
  char error[1400];
  panel_plot_t *plots[PANEL_PLOTS];
  char *wishes[PANEL_WIDGETS]; // of the overlay
  desk_widget_t shown[PANEL_WIDGETS];
  json_t *answer; // of sql, for the overlay
  const char *cells[PANEL_CELLS];
  char texts[PANEL_CELLS][64];
} panel_t;

typedef struct panels_t {
  uint64_t of; // the VM
  json_t *list;
  panel_t **items;
  uint32_t count;
  desk_panel_t *shown; // in the overlay, as of panels_for_desk
  uint32_t shown_count;
  scopes_t scopes;
  char *buffer;
} panels_t;

struct cockpit_o {
  host_o *host;
  server_o *server;
  char token[HTTP_TOKEN_BYTES], link[128], token_file[512];
  bool reads; // only
  client_state_t *clients[SERVER_MOST_CLIENTS];
  uint32_t client_count;
  double earned_us;  // when something was earned last
  double spent_us;   // in all frames
  double credit_us;  // what may be spent; below 0 after something that took long
  log_line_t *lines; // a ring
  uint64_t line_count;
  question_t question;
  profile_t profile;
  event_log_t events;
  ARRAY(undo_t) undos;
  ARRAY(returned_t) returned;
  shoal_entity picked[HITS_MOST_BOXED]; // in the window or in the page; the first one is what `e` is
  uint32_t picked_count;
  shoal_entity ghosts[HITS_MOST_BOXED]; // whose trails were asked for
  uint32_t ghost_count;
  json_t *command_table, *commands; // as the file has them; with one for each assemblage of commands_of
  uint64_t commands_of;             // the VM
  uint32_t commands_count;          // assemblages
  ARRAY(desk_command_t) desk_commands;
  panels_t panels;
  desk_o *desk; // NULL without a window
  struct {
    double since_us, frames, frames_s, ticks_s;
    uint64_t tick;
  } rates;
  json_text_t out;
  allocator_t memory;
};

// Processor time of this thread: what is asked on a busy machine takes no more of a tick for that. (cockpit.c)
double cockpit_spent_us(void);
void cockpit_spend(cockpit_o *c, double began_us); // what has been spent since then is of the credit

// --- protocol.c: the answer to one message goes to the client.
void protocol_answer(cockpit_o *c, client_state_t *client, const char *text, size_t bytes);
void protocol_send(cockpit_o *c, uint32_t client, const json_text_t *t);
// A request of the overlay's, which is no client: nothing is followed, and no answer comes later. `out` is empty, and
// gets the answer's object.
bool protocol_do(cockpit_o *c, const json_t *request, json_text_t *out, error_t *error);

// --- face.c: the overlay
void face_begin(cockpit_o *c);
void face_end(cockpit_o *c);
void face_frame(cockpit_o *c);
void face_put_cell(const json_t *value, char *out, size_t bytes); // of a table
void cockpit_open_page(cockpit_o *c);                             // cockpit.c

// --- commands.c
const json_t *commands_list(cockpit_o *c); // made anew for another game; desk_commands with it
void commands_free(cockpit_o *c);

// --- panels.c
const json_t *panels_list(cockpit_o *c); // { panels, commands } of the game; an empty object without one
void panels_free(cockpit_o *c);
bool panels_has(cockpit_o *c, const char *title, error_t *error);
void panels_put(cockpit_o *c, const char *title, json_text_t *out); // what one shows, as fields of the open object
bool panels_press(cockpit_o *c, const char *what, const json_t *request, json_text_t *out, error_t *error);
void panels_for_desk(cockpit_o *c); // fills panels.shown

// --- follow.c
bool follow_begin(cockpit_o *c, client_state_t *client, const json_t *request, uint32_t *number, error_t *error);
bool follow_end(cockpit_o *c, client_state_t *client, uint32_t number);
void follow_end_all(cockpit_o *c, client_state_t *client);
bool follow_any(const cockpit_o *c, follow_kind_t kind); // does any client follow this?
void follow_due(cockpit_o *c);                           // sends what has changed, as far as credit goes

// --- describe.c: values into the open object of `out`, or a list of rows.
void describe_game(cockpit_o *c, json_text_t *out);
void describe_schema(cockpit_o *c, json_text_t *out);
void describe_state(cockpit_o *c, json_text_t *out);
void describe_errors(cockpit_o *c, json_text_t *out);
void describe_systems(cockpit_o *c, json_text_t *out); // [row, …]
bool describe_entity(cockpit_o *c, shoal_entity e,
                     json_text_t *out); // [[component, instance, field, value, touched, template, part], …]
void describe_fields(world_o *w, const columns_t *columns, uint32_t row, json_text_t *out); // { field: value, … }
extern const char *const describe_system_columns[];
extern const char *const describe_entity_columns[];

// --- template.c: what an entity has from its assemblage.
uint32_t template_assemblage(world_o *w, shoal_entity e); // 0 for none
// By column, as stored; NULL when the assemblage says nothing of this component. Borrowed.
const double *template_values(world_o *w, shoal_entity e, const manager_o *m, uint32_t instance);
// Finds the next component of the assemblage, from part *i on, that the entity lacks. False at the end.
bool template_missing(world_o *w, shoal_entity e, uint32_t *i, const manager_o **m, uint32_t *instance);

// --- question.c
typedef struct question_desc_t {
  const char *text;
  const json_t *parameters; // NULL for none
  uint32_t most_rows;
} question_desc_t;
// Columns and rows, as fields of the open object of `out`. False with the sentence; *ran_out when it was for its steps.
bool question_ask(cockpit_o *c, const question_desc_t *q, uint64_t steps, json_text_t *out, bool *ran_out,
                  error_t *error);
uint64_t question_steps(cockpit_o *c); // that one may take now
// Who asks, for an answer that comes later.
typedef struct question_asker_t {
  uint32_t client;
  const json_t *id; // NULL for none
} question_asker_t;
bool question_later(cockpit_o *c, const question_desc_t *q, const question_asker_t *asker, error_t *error);
// The same for anything that a copy of the process can find out: `act` is called there, begins its answer with
// question_open and ends with question_say.
bool question_copy(cockpit_o *c, const question_asker_t *asker, void (*act)(void *context, int to), void *context,
                   error_t *error);
void question_open(cockpit_o *c, json_text_t *out);
void question_say(cockpit_o *c, int to, json_text_t *out, const error_t *error); // the error, where there is one
void question_poll(cockpit_o *c);
void question_forget(cockpit_o *c);
void question_rows(const sql_result_t *r, json_text_t *out); // [row, …]
void question_row(const sql_result_t *r, uint32_t row, json_text_t *out);
bool question_writes(const char *text); // does it begin as one that changes something?
bool question_is_one(const char *text); // or as any statement of SQL

// --- past.c: what was and will be. Those that have an asker answer later.
bool past_over_time(cockpit_o *c, const json_t *request, const question_asker_t *asker, error_t *error);
bool past_compare(cockpit_o *c, const json_t *request, const question_asker_t *asker, error_t *error);
bool past_timelines(cockpit_o *c, json_text_t *out, error_t *error);
#define PAST_MOST_AHEAD 3600
// A number of ticks; 0 where the request has none.
bool past_read_count(const json_t *request, const char *key, long long most, uint64_t *out, error_t *error);

// --- trails.c: ghosts of what is picked, as the window draws them.
bool trails_choose(cockpit_o *c, const json_t *request, error_t *error);
void trails_put(cockpit_o *c, json_text_t *out); // the fields of the open object

// --- profile.c
void profile_frame(cockpit_o *c); // once a frame
uint64_t profile_put(cockpit_o *c, uint64_t after, json_text_t *out);
void profile_memory(cockpit_o *c, json_text_t *out);
void profile_textures(cockpit_o *c, json_text_t *out);
void profile_native(cockpit_o *c, json_text_t *out);
void profile_parked(cockpit_o *c, json_text_t *out);

// --- event_log.c
void event_log_frame(cockpit_o *c); // once a frame
uint64_t event_log_put(cockpit_o *c, uint64_t after, json_text_t *out);

// --- tile_map.c
bool tile_map_put(cockpit_o *c, const json_t *request, json_text_t *out, error_t *error);

// --- loaded.c
bool loaded_files(cockpit_o *c, json_text_t *out, error_t *error);
bool loaded_source(cockpit_o *c, const char *name, json_text_t *out, error_t *error);
bool loaded_definitions(cockpit_o *c, json_text_t *out, error_t *error);
bool loaded_open(cockpit_o *c, const json_t *request, error_t *error);

// --- console.c: a chunk, with a '\0', that gives what `text` gives as JSON, where `e` is an entity; 0 for none.
void console_chunk(const char *text, long long entity, json_text_t *out);

// --- edit.c: each writes a chunk of Lua that makes the change, or refuses it with a sentence.
typedef struct edit_t {
  json_text_t chunk, undo; // texts of Lua, `undo` empty where there is none; not JSON
} edit_t;
bool edit_read(cockpit_o *c, const char *what, const json_t *request, edit_t *out, error_t *error);
bool edit_run(cockpit_o *c, const char *chunk, json_text_t *out, error_t *error);
bool edit_run_marked(cockpit_o *c, const char *text, json_text_t *out, error_t *error); // the chunk of an edit_t
bool edit_undo(cockpit_o *c, const char *text, json_text_t *out, error_t *error);       // `undo` of one
void edit_put_id(json_text_t *t, shoal_entity e);                                       // in a text of one
void edit_quote(json_text_t *t, const char *text, size_t bytes);                        // as a literal of Lua

typedef struct target_t {
  world_o *w;
  shoal_entity entity;
  const manager_o *manager;
  uint32_t instance, row; // ROW_NONE: it has none
  const char *instance_name;
  int32_t field;
} target_t;
// The field that a request names, of a row that is there.
bool edit_find_field(cockpit_o *c, const json_t *request, target_t *x, error_t *error);
bool edit_put_value(const target_t *x, const json_t *v, json_text_t *t, error_t *error); // as Lua, checked
void edit_put_stored(const target_t *x, uint32_t field, double number, json_text_t *t);  // the same of a column

// --- scene_edit.c
bool scene_edit_is_name(const char *name); // letters, digits, _ and -
bool scene_edit_save(cockpit_o *c, const json_t *request, json_text_t *out, error_t *error);

// --- write_back.c
// Shows where a value would be written, or writes it there.
bool write_back(cockpit_o *c, const json_t *request, bool writes, json_text_t *out, error_t *error);
bool edit_may_write(cockpit_o *c, const char *path, error_t *error); // or make, where nothing stands yet
void edit_wrote(cockpit_o *c);                                       // a file of the game

#endif
