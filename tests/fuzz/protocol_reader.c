// Fuzzer for the cockpit's protocol: a small game, which keeps running, answers messages in this process as if its port
// had received them. Each response must be JSON that states whether the request succeeded, with an error message if
// not.
static const char *const reader_words[] = {"\"id\":7,",
                                           "\"do\":\"set\"",
                                           "\"entity\":3,",
                                           "\"component\":\"health\",",
                                           "\"field\":\"hp\",",
                                           "\"value\":1e400",
                                           "\"\\u0000\"",
                                           "null",
                                           "[[[[[[",
                                           "{\"a\":",
                                           "\xff",
                                           "9223372036854775807",
                                           "-0",
                                           "\"text\":\"SELECT 1\",",
                                           "\"what\":\"sql\",",
                                           "\"v\":2,",
                                           "\\",
                                           "\"goes_on\":true,",
                                           "\"do\":\"net_sim\"",
                                           0};
#include "reader.h"

#include "cockpit/child_query.h"
#include "cockpit/cockpit.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/connections.h"
#include "cockpit/subscriptions.h"
#include "cockpit/protocol.h"
#include "host/console.h"
#include "host/host.h"
#include "host/host_internal.h"

#include <sys/stat.h>
#include <unistd.h>

#define LIFE 2000u // number of messages after which the game restarts

static struct {
  char folder[64];
  options_t options;
  host_o *host;
  cockpit_o *cockpit;
  client_state_t client;
  uint32_t messages, games;
} f;

static void write_game_file(const char *name, const char *text) {
  char path[160];
  snprintf(path, sizeof path, "%s/%s", f.folder, name);
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0)
    reader_fail("cannot write %s", path);
}

static void write_game(void) {
  char systems[128];
  snprintf(f.folder, sizeof f.folder, "/tmp/shoal-fuzz-XXXXXX");
  if (!mkdtemp(f.folder))
    reader_fail("cannot create a folder");
  snprintf(systems, sizeof systems, "%s/systems", f.folder);
  mkdir(systems, 0755);
  write_game_file("game.lua", "return { title = 'bees', multiplayer = { players = { 1, 2 } },\n"
                              "  start = function() world.spawn_many('bee', 5) end }\n");
  write_game_file("components.lua",
                  "local t = shoal.types\n"
                  "return { health = { hp = t.i32(9) }, tags = { text = '', near = t.entity(), at = t.vec2() },\n"
                  "  gun = t.many { shots = t.u8(3) }, weather = t.single { kind = t.enum { 'sun', 'rain' } } }\n");
  write_game_file("events.lua", "local t = shoal.types\nreturn { sting = { who = t.entity(), hurts = t.f32(1) } }\n");
  write_game_file("assemblages.lua", "return { bee = { components = { health = {}, transform = {}, tags = {} } } }\n");
  write_game_file("systems/hunger.lua",
                  "return { query = { 'health' }, each = function(e) e.health.hp = e.health.hp - 1\n"
                  "  world.emit('sting', { hurts = 2 }) end }\n");
}

static void stop_host(void) {
  if (!f.host)
    return;
  subscription_end_all(f.cockpit, &f.client);
  cockpit_destroy(f.cockpit);
  host_destroy(f.host);
  f.host = NULL;
}

// Every third game is a match over a simulated network.
static void start_host(void) {
  error_info_t error = {0};
  bool is_match = ++f.games % 3 == 0;
  stop_host();
  f.client = (client_state_t){.number = 1};
  f.options = (options_t){.command = OPTIONS_RUN,
                          .program = "",
                          .target = f.folder,
                          .headless = true,
                          .every_tick = true,
                          .has_history = true,
                          .history_mb = 1,
                          .cockpit = OPTIONS_COCKPIT_ON,
                          .net_sim = is_match ? "20ms,10ms,5%" : NULL,
                          .players = is_match ? 2 : 0,
                          .log_level = LOG_NONE};
  f.host = host_create(&f.options, &error);
  f.cockpit = f.host ? cockpit_create(f.host, &error) : NULL;
  if (!f.cockpit)
    reader_fail("%s", error.text);
  host_frame(f.host); // starts the game
}

static void reader_setup(void) {
  static const char *const seeds[] = {
      "{\"id\":1,\"do\":\"set\",\"entity\":1,\"component\":\"health\",\"field\":\"hp\",\"value\":50}",
      "{\"id\":2,\"do\":\"sql\",\"text\":\"SELECT entity, hp FROM health WHERE hp < ?\",\"parameters\":[10]}",
      "{\"id\":3,\"do\":\"follow\",\"what\":\"sql\",\"text\":\"SELECT * FROM entities\",\"hz\":20,\"limit\":5}",
      "{\"id\":\"a\",\"do\":\"set\",\"component\":\"weather\",\"field\":\"kind\",\"value\":\"rain\"}",
      "{\"id\":4,\"do\":\"time\",\"action\":\"step\",\"ticks\":-2}",
      "{\"id\":5,\"v\":1,\"do\":\"spawn\",\"assemblage\":\"bee\",\"x\":1,\"y\":2}",
      "{\"id\":6,\"do\":\"lua\",\"text\":\"return world.count('bee') + 1\"}",
      "{\"id\":7,\"do\":\"follow\",\"what\":\"entity\",\"entity\":2}",
      "{\"id\":8,\"do\":\"follow\",\"what\":\"match\",\"hz\":20}",
  };
  setenv("XDG_RUNTIME_DIR", "/tmp", 0);
  write_game();
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; ++i)
    reader_seed(seeds[i], strlen(seeds[i]));
  start_host();
}

// Called after each message: discards requests to reload or restart the game, and limits pending steps to two in either
// direction. Every 16 messages, runs a frame of the game, restarts the game if it has ended, and spawns entities if few
// are left.
static void limit_requests_and_run_frames(void) {
  host_o *h = f.host;
  h->session.reload_requested = h->restart_requested = false;
  h->session.time.pending_steps = h->session.time.pending_steps < -2  ? -2
                                  : h->session.time.pending_steps > 2 ? 2
                                                                      : h->session.time.pending_steps;
  if (f.messages % 16 != 0)
    return;
  f.cockpit->credit_us = 1e9;
  subscriptions_send_due(f.cockpit);
  child_query_cancel(f.cockpit); // cancels the pending query, which would fork the process
  host_set_paused(h, h->session.time.pending_steps != 0);
  h->session.game->paused = false;
  if (!host_frame(h))
    start_host();
  else if (world_entities(f.host->session.game->world)->alive_count < 3) {
    char nowhere[16];
    script_report_t report;
    console_run(f.host, "world.spawn_many('bee', 5)", nowhere, sizeof nowhere, &report);
  }
}

// Checks that the message was answered. Returns true if the response reports success.
static bool check_answer(void) {
  const json_writer_t *out = &f.cockpit->out;
  json_error_t at;
  json_t *answer = json_loadb(out->text.items, out->text.count, 0, &at);
  if (!answer)
    reader_fail("the answer is not JSON: %s: %.*s", at.text, (int)out->text.count, out->text.items);
  const json_t *ok = json_object_get(answer, "ok");
  const char *why = json_string_value(json_object_get(answer, "error"));
  if (!json_is_boolean(ok) || (json_is_false(ok) && (!why || strlen(why) < 10)))
    reader_fail("the answer has no outcome: %.*s", (int)out->text.count, out->text.items);
  bool done = json_is_true(ok);
  json_decref(answer);
  return done;
}

static bool reader_try(const uint8_t *data, size_t size) {
  if (f.messages++ >= LIFE) {
    f.messages = 1;
    start_host();
  }
  json_writer_clear(&f.cockpit->out);
  protocol_run_message(f.cockpit, &f.client, size ? (const char *)data : "", size);
  bool later = f.cockpit->child_query->is_running;
  bool done = later || check_answer();
  limit_requests_and_run_frames();
  return done;
}

// Returns a random word from a list. Most messages are built from words of the protocol, because few random inputs are
// valid messages.
static const char *random_word(const char *const *words, uint32_t count) {
  return words[reader_random_below(count)];
}

static const char *const keys[] = {"entity",     "component",
                                   "instance",   "field",
                                   "value",      "text",
                                   "what",       "hz",
                                   "limit",      "follow",
                                   "action",     "ticks",
                                   "tick",       "speed",
                                   "system",     "on",
                                   "x",          "y",
                                   "v",          "assemblage",
                                   "parameters", "goes_on",
                                   "toggle",     "entities",
                                   "stamp",      "round_trip_ms",
                                   "jitter_ms",  "loss_percent"};

static const char *const deeds[] = {
    "hello",  "schema", "state",   "entity", "systems", "errors",    "follow",   "unfollow", "sql",     "set",
    "add",    "remove", "destroy", "spawn",  "undo",    "duplicate", "switch",   "time",     "nothing", "lua",
    "reload", "ghosts", "tiles",   "pick",   "move",    "revert",    "textures", "match",    "net_sim"};

static size_t reader_fix_checksums(uint8_t *data, size_t size, size_t room) {
  static const char *const values[] = {"1",
                                       "2",
                                       "3",
                                       "-1",
                                       "0",
                                       "1e300",
                                       "4294967295",
                                       "9223372036854775807",
                                       "null",
                                       "true",
                                       "[]",
                                       "{}",
                                       "\"\"",
                                       "\"x\"",
                                       "\"hp\"",
                                       "\"health\"",
                                       "\"tags\"",
                                       "\"gun\"",
                                       "\"at.x\"",
                                       "\"left\"",
                                       "\"bee\"",
                                       "\"rain\"",
                                       "\"weather\"",
                                       "\"kind\"",
                                       "\"near\"",
                                       "\"SELECT * FROM health\"",
                                       "\"hold\"",
                                       "\"go\"",
                                       "\"step\"",
                                       "\"seek\"",
                                       "\"speed\"",
                                       "\"\\u0000\"",
                                       "\"sql\"",
                                       "\"state\"",
                                       "\"log\"",
                                       "\"systems\"",
                                       "\"match\"",
                                       "\"hunger\"",
                                       "0.5",
                                       "\"return world.count('bee')\"",
                                       "\"DELETE FROM health WHERE entity = 3\"",
                                       "\"UPDATE health SET hp = 'much'\"",
                                       "[1,\"a\",null,2.5]"};
  uint32_t value_count = sizeof values / sizeof *values;
  if (reader_random_below(4) == 0)
    return size;
  if (reader_random_below(16) == 0) // random keys rarely include the three keys of net_sim
    return (size_t)snprintf((char *)data, room,
                            "{\"id\":1,\"do\":\"net_sim\",\"round_trip_ms\":%s,\"jitter_ms\":%s,\"loss_percent\":%s}",
                            random_word(values, 6), random_word(values, value_count), random_word(values, 6));
  int count = snprintf((char *)data, room, "{\"id\":%u,\"do\":\"%s\"", reader_random_below(100),
                       random_word(deeds, sizeof deeds / sizeof *deeds));
  for (uint32_t k = reader_random_below(7); k > 0; --k)
    count += snprintf((char *)data + count, room - (size_t)count, ",\"%s\":%s",
                      random_word(keys, sizeof keys / sizeof *keys), random_word(values, value_count));
  count += snprintf((char *)data + count, room - (size_t)count, "}");
  return (size_t)count;
}

static void reader_teardown(void) {
  char command[128];
  stop_host();
  snprintf(command, sizeof command, "rm -rf '%s'", f.folder);
  if (system(command) != 0)
    reader_fail("%s was not removed", f.folder);
}
