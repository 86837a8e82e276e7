// The table of the operators' commands: finds the command, checks the number of its arguments, and opens the database.
#include "serve/world_command.h"

#include "base/file_status.h"
#include "base/nearest_name.h"
#include "serve/operator.h"
#include "serve/world_reload.h"

#include <stdio.h>
#include <string.h>

typedef struct verb_t {
  const char *name, *arguments, *description;
  uint32_t min, max; // number of arguments
  int (*run)(operator_t *o);
} verb_t;

static const verb_t VERBS[] = {
    {"status", "", "show the rooms", 0, 0, operator_print_status},
    {"players", "[ROOM]", "show the players in the rooms", 0, 1, operator_print_players},
    {"kick", "NAME", "remove a player from the room; the player can join again", 1, 1, operator_kick},
    {"ban", "NAME [TIME] [REASON]", "remove a player, who cannot join for this time (default: forever)", 1, 3,
     operator_ban},
    {"unban", "NAME", "end a ban", 1, 1, operator_unban},
    {"mute", "NAME [TIME]", "drop the chat lines of a player for this time", 1, 2, operator_mute},
    {"unmute", "NAME", "end a mute", 1, 1, operator_unmute},
    {"rename", "NAME NEW_NAME", "rename an account", 2, 2, operator_rename},
    {"reset", "NAME", "print a code by which a user with a new account.key gets this account", 1, 1, operator_reset},
    {"invite", "", "print a code that permits one new account", 0, 0, operator_invite},
    {"delete", "NAME", "delete an account and what it owns", 1, 1, operator_delete},
    {"take", "NAME", "claim an account that is in no room, and print what it owns as JSON", 1, 1, operator_take},
    {"give", "NAME FILE|-", "replace what a taken account owns with this JSON, and release the account", 2, 2,
     operator_give},
    {"release", "NAME|ROOM", "release an account, or all accounts of a room that does not run", 1, 1, operator_release},
    {"say", "[ROOM] TEXT", "show a line to the players of a room, or of all rooms", 1, 2, operator_say},
    {"emit", "ROOM EVENT [JSON]", "emit an event of the game, such as gift '{\"amount\": 3}'", 2, 3, operator_emit},
    {"ask", "[ROOM] SQL", "query a running room, or all running rooms", 1, 2, operator_ask},
    {"reload", "DIR | --back", "replace the code of all rooms; see ./shoal world DB reload", 0, UINT32_MAX, NULL},
    {"stop", "[ROOM]", "store and end a room, or the world", 0, 1, operator_stop},
    {"backup", "FILE", "copy the database to a new file", 1, 1, operator_back_up},
    {"log", "[N]", "show the latest N commands (default: 20)", 0, 1, operator_print_log},
};
enum { VERB_COUNT = sizeof VERBS / sizeof *VERBS };

static void print_usage(FILE *out) {
  fputs("usage: shoal world DB COMMAND [--no-wait]\n\n", out);
  for (uint32_t i = 0; i < VERB_COUNT; ++i)
    fprintf(out, "  %-8s %-20s %s\n", VERBS[i].name, VERBS[i].arguments, VERBS[i].description);
  fputs("\nCommands for rooms wait for their result, unless --no-wait is given.\n", out);
}

static const verb_t *find_verb(const char *name) {
  for (uint32_t i = 0; i < VERB_COUNT; ++i)
    if (strcmp(VERBS[i].name, name) == 0)
      return &VERBS[i];
  return NULL;
}

static void print_unknown_verb(const char *name) {
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t nearest;
  nearest_name_init(&nearest, name);
  for (uint32_t i = 0; i < VERB_COUNT; ++i)
    nearest_name_offer(&nearest, VERBS[i].name);
  fprintf(stderr, "shoal: world: unknown command “%s”%s\n", name, nearest_name_hint(&nearest, hint, sizeof hint));
}

// Returns the command, or NULL after printing why the arguments contain no command.
static const verb_t *read_verb(int argc, const char *const *argv) {
  const verb_t *verb = argc >= 4 ? find_verb(argv[3]) : NULL;
  if (verb)
    return verb;
  if (argc >= 3 && find_verb(argv[2]))
    fprintf(stderr, "shoal: world: the database is missing: write shoal world DB %s\n", argv[2]);
  else if (argc >= 4)
    print_unknown_verb(argv[3]);
  else
    fprintf(stderr, "shoal: world: the %s missing: write shoal world DB status, for example\n",
            argc == 3 ? "command is" : "database and the command are");
  print_usage(stderr);
  return NULL;
}

static void print_wrong_count(const verb_t *verb, uint32_t count) {
  char range[32];
  (void)snprintf(range, sizeof range, verb->min == verb->max ? "%u" : "%u to %u", verb->min, verb->max);
  fprintf(stderr, "shoal: world: %s takes %s argument%s, got %u%s\nusage: shoal world DB %s %s\n", verb->name, range,
          verb->max == 1 ? "" : "s", count, count > verb->max ? ": write quotes around a text with spaces" : "",
          verb->name, verb->arguments);
}

// Returns true if the database is an address or an existing file, or false after printing that the file is missing.
static bool check_database(const char *database) {
  if (strstr(database, "://") || file_status_permits(database, 0))
    return true;
  fprintf(stderr, "shoal: world: %s does not exist: pass the database of a served world\n", database);
  return false;
}

static int run(const verb_t *verb, operator_t *o) {
  if (!check_database(o->database))
    return 2;
  store_result_t result = world_store_open(&(world_store_desc_t){.path = o->database}, &o->store, &o->error);
  int status = result == STORE_DONE ? verb->run(o) : result == STORE_DAMAGED ? 3 : 2;
  world_store_close(o->store);
  if (o->error.text[0])
    fprintf(stderr, "shoal: %s\n", o->error.text);
  return status;
}

int world_command_run(int argc, const char *const *argv) {
  if ((argc == 3 || argc == 4) && strcmp(argv[argc - 1], "--help") == 0) {
    print_usage(stdout);
    return 0;
  }
  operator_t o = {.waits = argc < 5 || strcmp(argv[argc - 1], "--no-wait") != 0};
  const verb_t *verb = read_verb(argc, argv);
  if (!verb)
    return 2;
  if (!verb->run)
    return strcmp(argv[argc - 1], "--help") == 0 || check_database(argv[2]) ? world_reload_run(argc, argv) : 2;
  o.program = argv[0];
  o.database = argv[2];
  o.arguments = argv + 4;
  o.count = (uint32_t)argc - 4 - !o.waits;
  if (o.count < verb->min || o.count > verb->max) {
    print_wrong_count(verb, o.count);
    return 2;
  }
  return run(verb, &o);
}
