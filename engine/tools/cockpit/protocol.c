// Handles messages. A message is one JSON object: { "id": …, "do": "sql", … }. Each message gets one answer: { "id": …,
// "ok": true, … } or { "id": …, "ok": false, "error": "message" }. Subscribed data is sent separately: { "follow":
// number, … }.
#include "cockpit/protocol.h"

#include "base/assert.h"
#include "base/nearest_name.h"
#include "cockpit/child_query.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/request.h"
#include "cockpit/statement.h"
#include "cockpit/commands.h"
#include "cockpit/connections.h"
#include "cockpit/console.h"
#include "cockpit/describe.h"
#include "cockpit/edit.h"
#include "cockpit/edit_text.h"
#include "cockpit/loaded_files.h"
#include "cockpit/panels.h"
#include "cockpit/history_queries.h"
#include "cockpit/kind_edit.h"
#include "cockpit/level_scene_read.h"
#include "cockpit/match_view.h"
#include "cockpit/profile.h"
#include "cockpit/proposals.h"
#include "cockpit/sql_query.h"
#include "cockpit/scene_save.h"
#include "cockpit/tile_map.h"
#include "cockpit/trails.h"
#include "cockpit/undo_stack.h"
#include "cockpit/write_back.h"
#include "host/playback.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct request_t {
  client_state_t *client;
  const json_t *message;
  const char *name;
  bool is_deferred; // true if a child process will send the answer
} request_t;

typedef bool (*handler_t)(cockpit_o *c, request_t *r, json_writer_t *out, error_info_t *error);

static const char *get_string(const request_t *request, const char *key) {
  return json_string_value(json_object_get(request->message, key));
}

static request_sender_t get_sender(const request_t *request) {
  return (request_sender_t){request->client ? request->client->number : 0, json_object_get(request->message, "id")};
}

// --- reading

static bool handle_hello(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  (void)request, (void)error;
  describe_game(cockpit, out);
  return true;
}

static bool handle_schema(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  (void)request, (void)error;
  describe_schema(cockpit, out);
  return true;
}

static bool handle_state(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  (void)request, (void)error;
  describe_state(cockpit, out);
  return true;
}

static bool handle_entity(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  const json_t *entity = json_object_get(request->message, "entity");
  if (!json_is_integer(entity) || json_integer_value(entity) <= 0 || json_integer_value(entity) > UINT32_MAX)
    return request_reject_member(request->message, "entity", error, "an entity id (an integer)");
  json_write_key(out, "rows");
  return describe_entity(cockpit, (shoal_entity)json_integer_value(entity), out) ||
         error_set(error, "entity %lld is not alive", (long long)json_integer_value(entity));
}

// Sets the selection shared by the page and the window. Its first entity is `e` in the console.
static bool handle_pick(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  const json_t *list = json_object_get(request->message, "entities");
  size_t count = json_array_size(list);
  (void)out;
  if (!json_is_array(list) || count > PICKING_MAX_ENTITIES)
    return request_reject_member(request->message, "entities", error, "a list of at most %u entity ids",
                                 PICKING_MAX_ENTITIES);
  for (size_t i = 0; i < count; ++i) {
    const json_t *id = json_array_get(list, i);
    if (!json_is_integer(id) || json_integer_value(id) <= 0 || json_integer_value(id) > UINT32_MAX)
      return error_set(error, "each element of “entities” must be an entity id (an integer)");
  }
  for (size_t i = 0; i < count; ++i)
    cockpit->selected[i] = (shoal_entity)json_integer_value(json_array_get(list, i));
  cockpit->selected_count = (uint32_t)count;
  return true;
}

static bool handle_commands(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  char *text = json_dumps(commands_list(cockpit), JSON_COMPACT);
  (void)request, (void)error;
  json_write_key(out, "commands");
  json_write_raw(out, text ? text : "[]", text ? strlen(text) : 2);
  free(text);
  return true;
}

static bool handle_panels(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  char *text = json_dumps(json_object_get(panels_list(cockpit), "panels"), JSON_COMPACT);
  (void)request, (void)error;
  bool is_array = text && text[0] == '[';
  json_write_key(out, "panels");
  json_write_raw(out, is_array ? text : "[]", is_array ? strlen(text) : 2);
  free(text);
  return true;
}

static bool handle_systems(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  const game_o *game = host_game(cockpit->host);
  (void)request, (void)error;
  json_write_integer_pair(out, "vm", game ? (long long)vm_number(game->vm) : 0);
  json_write_key(out, "columns");
  json_write_begin(out, '[');
  for (uint32_t i = 0; describe_system_columns[i]; ++i)
    json_write_string(out, describe_system_columns[i]);
  json_write_end(out, ']');
  json_write_key(out, "rows");
  describe_systems(cockpit, out);
  return true;
}

static bool handle_errors(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  (void)request, (void)error;
  describe_errors(cockpit, out);
  return true;
}

static bool handle_follow(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  uint32_t number = 0;
  if (!subscription_begin(cockpit, request->client, request->message, &number, error))
    return false;
  json_write_integer_pair(out, "follow", number);
  return true;
}

static bool handle_unfollow(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  long long number = json_integer_value(json_object_get(request->message, "follow"));
  (void)out;
  return (number > 0 && number <= UINT32_MAX && subscription_end(cockpit, request->client, (uint32_t)number)) ||
         error_set(error, "unknown subscription %lld", number);
}

// Starts a query that a child process answers later. Returns false, because the answer is not in `out`. If the query
// could not be started, `error` is the answer.
static bool start_deferred_query(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  request_sender_t sender = get_sender(request);
  (void)out;
  request->is_deferred = (strcmp(request->name, "compare") == 0 ? history_start_comparison : history_start_time_series)(
      cockpit, request->message, &sender, error);
  return false;
}

static bool handle_timelines(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  (void)request;
  return history_write_timelines(cockpit, out, error);
}

static bool handle_ghosts(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  bool ok = trails_choose_entities(cockpit, request->message, error);
  if (ok)
    json_write_integer_pair(out, "count", cockpit->ghost_count);
  return ok;
}

static bool handle_profile(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  (void)error;
  if (strcmp(request->name, "memory") == 0)
    profile_write_memory(cockpit, out);
  else if (strcmp(request->name, "textures") == 0)
    profile_write_textures(cockpit, out);
  else if (strcmp(request->name, "native") == 0)
    profile_write_native(cockpit, out);
  else
    profile_write_parked(cockpit, out);
  return true;
}

static bool handle_match(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  (void)request, (void)error;
  match_view_write(cockpit, out);
  return true;
}

static bool handle_tiles(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  return tile_map_write(cockpit, request->message, out, error);
}

static bool handle_scene(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  return level_scene_write(cockpit, request->message, out, error);
}

static bool handle_files(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  return strcmp(request->name, "files") == 0    ? loaded_files_write(cockpit, out, error)
         : strcmp(request->name, "addons") == 0 ? loaded_files_write_addons(cockpit, out, error)
         : strcmp(request->name, "file") == 0   ? loaded_files_write_source(cockpit, request->message, out, error)
                                                : loaded_files_write_definitions(cockpit, out, error);
}

static bool handle_watches(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  const game_o *game = host_game(cockpit->host);
  const char *text;
  (void)request, (void)error;
  json_write_key(out, "texts");
  json_write_begin(out, '[');
  for (uint32_t i = 0; game && (text = sql_get_watch(game->sql, i)) != NULL; ++i)
    json_write_string(out, text);
  json_write_end(out, ']');
  return true;
}

// --- writing

static bool check_not_read_only(const cockpit_o *cockpit, error_info_t *error) {
  return !host_options(cockpit->host)->cockpit_read_only ||
         error_set(error, "this cockpit is read-only: start the game without --cockpit-read-only");
}

static bool check_writable(const cockpit_o *cockpit, error_info_t *error) {
  return check_not_read_only(cockpit, error) &&
         (!cockpit_is_read_only(cockpit) ||
          error_set(error, "the cockpit cannot change the game in a match: all machines must run "
                           "the same ticks, so change its files with --share-code"));
}

// Handles a request that changes only the connection of this machine, and is therefore allowed in a match.
static bool handle_net_sim(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  (void)out;
  return check_not_read_only(cockpit, error) && match_view_set_network(cockpit, request->message, error);
}

// Handles an action on a player. It changes the match, not the game, and is therefore allowed in a match.
static bool handle_moderate(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  (void)out;
  return check_not_read_only(cockpit, error) && match_view_moderate(cockpit, request->message, error);
}

static bool handle_undo(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  const json_t *step = json_object_get(request->message, "step");
  if (!check_writable(cockpit, error))
    return false;
  if (step && (!json_is_integer(step) || json_integer_value(step) <= 0 || json_integer_value(step) > UINT32_MAX))
    return request_reject_member(request->message, "step", error, "the “undo” that `apply` returned");
  return undo_run(cockpit, (uint32_t)json_integer_value(step), out, error);
}

// Writes the undo step of a spawn, which destroys the new entity. Returns the entity's id, or 0 if the chunk returned
// no id.
static shoal_entity write_spawn_undo(json_writer_t *out, json_writer_t *undo) {
  const char *result = strstr(json_writer_text(out), "\"result\":\"");
  unsigned long id = result ? strtoul(result + 10, NULL, 10) : 0;
  if (id == 0)
    return 0;
  json_write_text(undo, "world.sql('DELETE FROM entities WHERE entity = ");
  edit_write_id(undo, (shoal_entity)id);
  json_write_text(undo, "')\n");
  return (shoal_entity)id;
}

static bool handle_edit(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  edit_t edit;
  json_writer_init(&edit.chunk, &cockpit->memory);
  json_writer_init(&edit.undo, &cockpit->memory);
  bool ok = check_writable(cockpit, error) && edit_translate(cockpit, request->name, request->message, &edit, error) &&
            edit_run_with_current_ids(cockpit, json_writer_text(&edit.chunk), out, error);
  shoal_entity spawned = 0;
  if (ok && (strcmp(request->name, "spawn") == 0 || strcmp(request->name, "duplicate") == 0))
    spawned = write_spawn_undo(out, &edit.undo);
  if (spawned && json_is_true(json_object_get(request->message, "pick"))) {
    cockpit->selected[0] = spawned;
    cockpit->selected_count = 1;
  }
  // "goes_on" means that the slider is still being dragged, so the undo step is not complete.
  bool continues = json_is_true(json_object_get(request->message, "goes_on"));
  if (ok && edit.undo.text.count > 0 && !continues)
    undo_push_chunk(cockpit, &edit.undo);
  json_writer_fini(&edit.chunk);
  json_writer_fini(&edit.undo);
  return ok;
}

static bool handle_lua(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  const char *text = get_string(request, "text");
  if (!text)
    return request_reject_member(request->message, "text", error, "a Lua chunk");
  if (!check_writable(cockpit, error) || !json_is_true(json_object_get(request->message, "tree")))
    return !cockpit_is_read_only(cockpit) && edit_run(cockpit, text, out, error);
  json_writer_t chunk;
  json_writer_init(&chunk, &cockpit->memory);
  console_write_chunk(text, json_integer_value(json_object_get(request->message, "entity")), &chunk);
  bool ok = edit_run(cockpit, json_writer_text(&chunk), out, error);
  json_writer_fini(&chunk);
  return ok;
}

// Runs an SQL statement that writes to the world. The statement is wrapped in a Lua chunk, so that the change is
// recorded.
static bool write_sql(cockpit_o *cockpit, const char *text, json_writer_t *out, error_info_t *error) {
  json_writer_t chunk;
  json_writer_init(&chunk, &cockpit->memory);
  json_write_text(&chunk, "local _, changed = world.sql(");
  edit_write_text(&chunk, text);
  json_write_text(&chunk, ")\nreturn changed\n");
  bool ok = check_writable(cockpit, error) && edit_run(cockpit, json_writer_text(&chunk), out, error);
  json_writer_fini(&chunk);
  return ok;
}

static bool handle_sql(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  long long limit = json_integer_value(json_object_get(request->message, "limit"));
  bool all = json_is_true(json_object_get(request->message, "all"));
  const char *text = get_string(request, "text");
  bool out_of_time = false;
  sql_query_desc_t query = {.text = text,
                            .parameters = json_object_get(request->message, "parameters"),
                            .max_rows = all                                        ? 0
                                        : limit > 0 && limit < (long long)MAX_ROWS ? (uint32_t)limit
                                                                                   : MAX_ROWS};
  request_sender_t sender = get_sender(request);
  if (!text)
    return request_reject_member(request->message, "text", error, "an SQL statement");
  if (statement_is_write(text))
    return write_sql(cockpit, text, out, error);
  if (sql_query_run(cockpit, &query, request->client ? sql_query_max_steps(cockpit) : COCKPIT_HELD_QUERY_STEPS, out,
                    &out_of_time, error))
    return true;
  if (!request->client)
    return out_of_time ? error_set(error, "the query is too slow for the overlay: run it on the cockpit page") : false;
  request->is_deferred = out_of_time && sql_query_defer(cockpit, &query, &sender, error);
  return false;
}

static bool handle_press(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  return check_writable(cockpit, error) && panels_press(cockpit, request->name, request->message, out, error);
}

static bool handle_literal(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  bool writes = strcmp(request->name, "write") == 0;
  return (!writes || check_writable(cockpit, error)) && write_back(cockpit, request->message, writes, out, error);
}

static bool handle_proposal(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  bool applies = strcmp(request->name, "apply") == 0;
  return (!applies || check_writable(cockpit, error)) && proposal_run(cockpit, request->message, applies, out, error);
}

static bool handle_templates(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  (void)request;
  return kind_write_templates(cockpit, out, error);
}

static bool handle_save_scene(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  return check_writable(cockpit, error) && scene_save_entities(cockpit, request->message, out, error);
}

static handler_t find_handler(const char *name, error_info_t *error);

static bool uses_selected_entity(const char *text) {
  for (const char *p = text; (p = strchr(p, 'e')) != NULL; ++p) {
    bool is_word_start = p == text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_' || p[-1] == '.');
    if (is_word_start && !(isalnum((unsigned char)p[1]) || p[1] == '_'))
      return true;
  }
  return false;
}

// Runs a line of Lua in which `e` is the selected entity. The result of an expression is its value.
static bool run_console_lua(cockpit_o *cockpit, const char *text, json_writer_t *out, error_info_t *error) {
  char chunk[4096];
  static const char format[] = "local e = world.sql('SELECT entity FROM entities WHERE entity = %u')[1].entity\n%s%s";
  if (!check_writable(cockpit, error) || cockpit->selected_count == 0 || !uses_selected_entity(text) ||
      strlen(text) > sizeof chunk - 200)
    return !cockpit_is_read_only(cockpit) && edit_run(cockpit, text, out, error);
  snprintf(chunk, sizeof chunk, format, cockpit->selected[0], "return ", text);
  if (edit_run(cockpit, chunk, out, error))
    return true;
  if (!strstr(error->text, "near") && !strstr(error->text, "expected"))
    return false;
  snprintf(chunk, sizeof chunk, format, cockpit->selected[0], "", text);
  return edit_run(cockpit, chunk, out, error);
}

// Runs a command: the request in its member "ask". Returns true on success, or false with an error.
static bool run_command(cockpit_o *cockpit, const request_t *request, const json_t *command, json_writer_t *out,
                        error_info_t *error) {
  const json_t *message = json_object_get(command, "ask");
  request_t command_request = {.client = request->client, .message = message, .name = get_text_member(message, "do")};
  if (!message)
    return error_set(error, "“%s” is available only %s", get_text_member(command, "name"),
                     get_text_member(command, "page")[0] ? "on the cockpit page" : "in the game window");
  handler_t handler = find_handler(command_request.name, error);
  if (!handler || !handler(cockpit, &command_request, out, error))
    return false;
  shoal_assert(!command_request.is_deferred, "the request of a command cannot be deferred: %s", command_request.name);
  json_write_pair(out, "command", get_text_member(command, "name"));
  return true;
}

// Adds the member "printed": the log lines after the first `first_line` lines. Adds nothing if there are no such lines.
static void write_printed_lines(cockpit_o *cockpit, uint64_t first_line, json_writer_t *out) {
  json_writer_t lines;
  json_writer_init(&lines, &cockpit->memory);
  for (uint64_t i = ring_find_first_unsent(first_line, cockpit->log_line_count, LOG_LINES); i < cockpit->log_line_count;
       ++i) {
    json_write_text(&lines, lines.text.count > 0 ? "\n" : "");
    json_write_text(&lines, cockpit->log_lines[i % LOG_LINES].text);
  }
  if (first_line < cockpit->log_line_count)
    json_write_pair(out, "printed", json_writer_text(&lines));
  json_writer_fini(&lines);
}

// Runs a console line: the name of a command, `help`, SQL or Lua, in this order.
static bool handle_console(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  const char *text = get_string(request, "text");
  if (!text)
    return request_reject_member(request->message, "text", error, "a command, or a line of Lua or SQL");
  const json_t *command = commands_find(cockpit, text);
  if (command)
    return run_command(cockpit, request, command, out, error);
  if (commands_is_help(text)) {
    commands_write_help(cockpit, text, out);
    return true;
  }
  if (statement_is_sql(text))
    return handle_sql(cockpit, request, out, error);
  if (!console_is_lua(text) && commands_reject_unknown(cockpit, text, false, error))
    return false;
  uint64_t old_line_count = cockpit->log_line_count;
  bool ok = json_is_true(json_object_get(request->message, "tree")) ? handle_lua(cockpit, request, out, error)
                                                                    : run_console_lua(cockpit, text, out, error);
  if (ok)
    write_printed_lines(cockpit, old_line_count, out);
  else
    commands_reject_unknown(cockpit, text, true, error);
  return ok;
}

// --- time

static bool reject_time_change(const char *action, long long ticks, double speed, error_info_t *error) {
  if (strcmp(action, "step") == 0)
    return error_set(error, "“ticks” must be from -600 to 600 and not 0, got %lld", ticks);
  if (strcmp(action, "seek") == 0)
    return error_set(error, "“tick” must be an integer");
  if (strcmp(action, "speed") == 0)
    return error_set(error, "“speed” must be from 0.02 to 8, got %g", speed);
  return error_set(error, "“action” must be one of hold, go, toggle, again, step, seek and speed, got %.32s", action);
}

static bool handle_time(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  const char *action = get_string(request, "action");
  long long ticks = json_integer_value(json_object_get(request->message, "ticks"));
  double speed = json_number_value(json_object_get(request->message, "speed"));
  (void)out;
  if (!check_writable(cockpit, error))
    return false;
  if (!action || !host_game(cockpit->host))
    return error_set(error, action ? COCKPIT_NO_GAME
                                   : "“action” must be one of hold, go, toggle, again, step, seek and speed");
  host_state_t host_state;
  host_get_state(cockpit->host, &host_state);
  if (strcmp(action, "hold") == 0)
    host_set_paused(cockpit->host, true);
  else if (strcmp(action, "toggle") == 0)
    host_set_paused(cockpit->host, !host_state.session_paused);
  else if (strcmp(action, "go") == 0)
    host_set_paused(cockpit->host, false);
  else if (strcmp(action, "again") == 0)
    host_replay_input(cockpit->host);
  else if (strcmp(action, "step") == 0 && ticks != 0 && ticks >= -600 && ticks <= 600)
    playback_request_steps(cockpit->host, (int)ticks);
  else if (strcmp(action, "seek") == 0 && json_is_integer(json_object_get(request->message, "tick")))
    return host_seek(cockpit->host, (uint64_t)json_integer_value(json_object_get(request->message, "tick")), error);
  else if (strcmp(action, "speed") == 0 && speed >= 0.02 && speed <= 8)
    host_set_speed(cockpit->host, speed);
  else
    return reject_time_change(action, ticks, speed, error);
  return true;
}

static bool handle_open(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  (void)out;
  return check_writable(cockpit, error) && loaded_files_open_in_editor(cockpit, request->message, error);
}

static bool handle_reload(cockpit_o *cockpit, request_t *request, json_writer_t *out, error_info_t *error) {
  (void)out;
  if (!check_writable(cockpit, error))
    return false;
  if (strcmp(request->name, "restart") == 0)
    host_request_restart(cockpit->host);
  else
    host_request_reload(cockpit->host);
  return true;
}

// --- dispatch

static const struct {
  const char *name;
  handler_t handler;
} handlers[] = {{"hello", handle_hello},
                {"schema", handle_schema},
                {"state", handle_state},
                {"entity", handle_entity},
                {"systems", handle_systems},
                {"errors", handle_errors},
                {"follow", handle_follow},
                {"unfollow", handle_unfollow},
                {"sql", handle_sql},
                {"lua", handle_lua},
                {"set", handle_edit},
                {"add", handle_edit},
                {"remove", handle_edit},
                {"destroy", handle_edit},
                {"spawn", handle_edit},
                {"duplicate", handle_edit},
                {"switch", handle_edit},
                {"move", handle_edit},
                {"revert", handle_edit},
                {"undo", handle_undo},
                {"literal", handle_literal},
                {"write", handle_literal},
                {"save_scene", handle_save_scene},
                {"propose", handle_proposal},
                {"apply", handle_proposal},
                {"templates", handle_templates},
                {"time", handle_time},
                {"reload", handle_reload},
                {"restart", handle_reload},
                {"match", handle_match},
                {"net_sim", handle_net_sim},
                {"moderate", handle_moderate},
                {"over_time", start_deferred_query},
                {"compare", start_deferred_query},
                {"timelines", handle_timelines},
                {"ghosts", handle_ghosts},
                {"memory", handle_profile},
                {"textures", handle_profile},
                {"native", handle_profile},
                {"scene", handle_scene},
                {"tiles", handle_tiles},
                {"parked", handle_profile},
                {"files", handle_files},
                {"addons", handle_files},
                {"file", handle_files},
                {"definitions", handle_files},
                {"watches", handle_watches},
                {"watch", handle_edit},
                {"open", handle_open},
                {"pick", handle_pick},
                {"commands", handle_commands},
                {"panels", handle_panels},
                {"press", handle_press},
                {"command", handle_press},
                {"console", handle_console}};

static handler_t find_handler(const char *name, error_info_t *error) {
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t nearest;
  nearest_name_init(&nearest, name);
  for (size_t i = 0; i < sizeof handlers / sizeof *handlers; ++i) {
    if (strcmp(handlers[i].name, name) == 0)
      return handlers[i].handler;
    nearest_name_offer(&nearest, handlers[i].name);
  }
  error_set(error, "unknown request %.64s%s", name, nearest_name_hint(&nearest, hint, sizeof hint));
  return NULL;
}

static void begin_response(cockpit_o *cockpit, const json_t *id, bool succeeded) {
  char *text = id ? json_dumps(id, JSON_ENCODE_ANY) : NULL;
  json_writer_clear(&cockpit->out);
  json_write_begin(&cockpit->out, '{');
  json_write_key(&cockpit->out, "id");
  json_write_raw(&cockpit->out, text ? text : "null", text ? strlen(text) : 4);
  json_write_bool_pair(&cockpit->out, "ok", succeeded);
  free(text);
}

static void send_error(cockpit_o *cockpit, client_state_t *client, const json_t *id, const char *reason) {
  begin_response(cockpit, id, false);
  json_write_pair(&cockpit->out, "error", reason);
  json_write_end(&cockpit->out, '}');
  connections_send(cockpit, client->number, &cockpit->out);
}

static bool check_message(const json_t *message, const char **name, error_info_t *error) {
  const json_t *version = json_object_get(message, "v"), *id = json_object_get(message, "id");
  *name = json_string_value(json_object_get(message, "do"));
  if (!json_is_object(message))
    return error_set(error, "a message must be one JSON object: { \"id\": 1, \"do\": \"hello\" }");
  if (version && json_integer_value(version) != PROTOCOL_VERSION)
    return error_set(error, "the protocol version must be %d, got %lld", PROTOCOL_VERSION,
                     (long long)json_integer_value(version));
  if (id && !json_is_integer(id) && !(json_is_string(id) && json_string_length(id) <= 64))
    return request_reject_member(message, "id", error, "an integer, or a string of at most 64 bytes");
  return *name || error_set(error, "“do” is missing: expected { \"id\": 1, \"do\": \"hello\" }");
}

void protocol_run_message(cockpit_o *cockpit, client_state_t *client, const char *text, size_t bytes) {
  json_error_t json_error;
  shoal_assert(text && client, "the message's text and client must not be NULL");
  error_info_t error = {0};
  json_t *message = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &json_error);
  request_t request = {.client = client, .message = message};
  handler_t handler = NULL;
  const json_t *id = message ? json_object_get(message, "id") : NULL;
  if (!message)
    error_set(&error, "invalid JSON: %s (line %d, column %d)", json_error.text, json_error.line, json_error.column);
  else if (check_message(message, &request.name, &error))
    handler = find_handler(request.name, &error);
  else
    id = json_is_integer(id) ? id : NULL;
  if (handler) {
    begin_response(cockpit, id, true);
    bool ok = handler(cockpit, &request, &cockpit->out, &error);
    if (ok) {
      json_write_end(&cockpit->out, '}');
      connections_send(cockpit, client->number, &cockpit->out);
    }
    handler = ok ? handler : NULL;
  }
  if (!handler && !request.is_deferred)
    send_error(cockpit, client, id, error.text);
  json_decref(message);
}

bool protocol_run_request(cockpit_o *cockpit, const json_t *request, json_writer_t *out, error_info_t *error) {
  shoal_assert(out->text.count == 0, "the reply buffer is not empty");
  request_t client_request = {.message = request};
  if (!check_message(request, &client_request.name, error))
    return false;
  handler_t handler = find_handler(client_request.name, error);
  if (!handler)
    return false;
  if (handler == handle_follow || handler == handle_unfollow || handler == start_deferred_query)
    return error_set(error, "%s is not available in the overlay: use the cockpit page", client_request.name);
  json_write_begin(out, '{');
  if (!handler(cockpit, &client_request, out, error))
    return false;
  json_write_end(out, '}');
  return true;
}
