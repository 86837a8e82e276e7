// State of the cockpit. Private to engine/tools/cockpit. Each part of the module creates and destroys its own state
// (X_init, X_fini). The type of this state is only declared here, so that this header includes no other header of the
// module.
#ifndef SHOAL_COCKPIT_COCKPIT_STATE_H
#define SHOAL_COCKPIT_COCKPIT_STATE_H

#include "base/array.h"
#include "base/json_writer.h"
#include "cockpit/edit_names.h"
#include "host/host_tools.h"
#include "overlay/dev_overlay.h"
#include "server/server.h"

#include <jansson.h>
#include <string.h>

typedef struct cockpit_o cockpit_o;
typedef struct child_query_t child_query_t;
typedef struct client_state_t client_state_t;
typedef struct event_log_t event_log_t;
typedef struct panels_t panels_t;
typedef struct profile_t profile_t;
typedef struct undo_stack_t undo_stack_t;

#define LOG_LINES 512u // number of log lines kept for clients that connect later
#define COCKPIT_NO_GAME "the game could not start: fix the errors in the game's files"
// Fix that is appended to error messages after a refused reload.
#define COCKPIT_CORRECT_RELOAD                                                                                         \
  "correct the error of the last reload first, because the game still runs the previous files"

typedef struct log_line_t {
  uint64_t number; // number of the line, starting at 1
  uint64_t tick;
  log_level_t level;
  char text[512]; // text of the line, truncated to fit
} log_line_t;

// The former and the current id of an entity that was destroyed and re-created.
typedef struct id_change_t {
  shoal_entity old_id, new_id;
} id_change_t;

struct cockpit_o {
  host_o *host;
  server_o *server;
  char token[HTTP_TOKEN_BYTES], link[128], token_file[512];
  client_state_t *clients[SERVER_MAX_CLIENTS];
  uint32_t client_count;
  double credit_updated_us; // time of the last budget_earn
  double spent_us;          // CPU time spent on requests and subscriptions so far
  double credit_us;         // remaining CPU time that requests may take; negative after a long request
  log_line_t *log_lines;    // ring buffer of log lines
  uint64_t log_line_count;  // number of lines logged so far
  child_query_t *child_query;
  profile_t *profile;
  event_log_t *event_log;
  undo_stack_t *undo_stack;
  panels_t *panels;
  ARRAY(edit_name_t) edit_names;               // names in the text of edits, indexed by number
  uint64_t names_world;                        // number of the world whose renames `edit_names` contains; 0: no world
  ARRAY(id_change_t) id_changes;               // ids of re-created entities, oldest change first
  shoal_entity selected[PICKING_MAX_ENTITIES]; // selected entities; the first entity is `e` in the console
  uint32_t selected_count;
  shoal_entity ghosts[PICKING_MAX_ENTITIES]; // entities whose trails are shown
  uint32_t ghost_count;
  json_t *command_table;              // commands.json as loaded
  json_t *commands;                   // commands of the game and of command_table, with one command per assemblage
  uint64_t commands_vm_number;        // id of the VM that declared `commands`
  uint32_t commands_assemblage_count; // number of assemblages in `commands`
  ARRAY(dev_overlay_command_t) dev_overlay_commands;
  dev_overlay_o *overlay; // overlay in the game's window; NULL in a headless game
  struct {
    double start_us, frame_count, frames_per_s, ticks_per_s;
    uint64_t tick; // tick at start_us
  } rates;
  json_writer_t out;
  allocator_t memory;
};

// Returns true if the cockpit must not change the game. This includes matches, because a change would affect one
// machine only.
static inline bool cockpit_is_read_only(const cockpit_o *cockpit) {
  const options_t *options = host_options(cockpit->host);
  return options->cockpit_read_only || options_start_match(options);
}

// Returns the string member `key` of a JSON object, or "" if it is missing or not a string.
static inline const char *get_text_member(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

// Returns the index of the first entry to send to a client that has received the first `sent_count` of a log's `count`
// entries. Skips entries that the ring buffer of `capacity` entries has overwritten.
static inline uint64_t ring_find_first_unsent(uint64_t sent_count, uint64_t count, uint64_t capacity) {
  uint64_t oldest = count > capacity ? count - capacity : 0;
  return sent_count > oldest && sent_count <= count ? sent_count : oldest;
}

#endif
