// Sockets, keys and tokens of a match, and the reactions to a lost host.
#include "host/match_play_internal.h"

#include "base/assert.h"
#include "game/save_slots.h"
#include "host/play_together.h"
#include "saves/game_saves.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define RETRY_US 2000000 // interval between attempts to join a lost host again
#define SAVE_NAME "match"

static const options_t *get_options(const match_play_o *p) {
  return &p->host->session.options;
}

static log_o *get_log(const match_play_o *p) {
  return p->host->session.log;
}

void match_connect_fail(match_play_o *p, const match_text_t *text, const char *details) {
  char english[MATCH_TEXT_BYTES];
  match_text_format(p->host, text, p->failure);
  p->phase = MATCH_PHASE_FAILED;
  log_error(get_log(p), "match: %s", match_text_format_english(p->host, text, english));
  if (details[0])
    log_info(get_log(p), "match: %s", details);
  if (p->host->together.is_active) {
    play_together_leave(p->host, p->failure);
    return;
  }
  p->host->session.exit_code = 1;
  p->host->session.stopping |= get_options(p)->headless;
}

// --- public key, by which a joining machine recognizes its host

static void explain_key(match_play_o *p, const link_address_t *address, const uint8_t *key, const char *known) {
  char text[LINK_ADDRESS_TEXT_BYTES], code[MATCH_CODE_BYTES];
  match_files_format_code(key, code);
  link_address_format(address, text);
  p->key_problem = known[0] ? "join_new_key" : "join_wrong_key";
  if (known[0])
    (void)snprintf(p->key_details, sizeof p->key_details,
                   "the key of %s is %s, but was %s: if this is right, pass --key %s", text, code, known, code);
  else
    (void)snprintf(p->key_details, sizeof p->key_details, "the key of %s is %s, but --key is %.40s", text, code,
                   get_options(p)->key);
}

bool match_connect_check_key(match_play_o *p, const link_address_t *address, const uint8_t *key, bool *is_trusted) {
  const char *expected = get_options(p)->key;
  char known[MATCH_CODE_BYTES] = "";
  bool ok = expected ? match_files_check_code(expected, key) : match_files_check_host(address, key, known);
  *is_trusted = ok && (expected || known[0]);
  if (!ok)
    explain_key(p, address, key, known);
  return ok;
}

static bool check_host(void *context, const link_address_t *address, const uint8_t *key, bool *is_trusted) {
  match_play_o *p = context;
  memcpy(p->host_key, key, sizeof p->host_key);
  if (p->is_trying_successor) // the successor's key differs from the lost host's key
    return *is_trusted = p->is_successor = match_lan_is_successor(p, key);
  if (match_world_is_used(p))
    return match_world_check_key(p, address, key, is_trusted);
  return match_connect_check_key(p, address, key, is_trusted);
}

// --- sockets

static bool open_socket(match_play_o *p, error_info_t *error) {
  const options_t *o = get_options(p);
  link_udp_desc_t desc = {.port = !o->host ? 0 : o->has_port ? o->port : MATCH_PORT};
  p->udp = link_udp_create(&desc, error);
  // If a different match on this machine uses the default port, a match that was started from the menu uses any free
  // port.
  if (!p->udp && p->host->together.is_active && o->host && !o->has_port) {
    desc.port = 0;
    p->udp = link_udp_create(&desc, error);
  }
  if (!p->udp)
    return false;
  p->socket = link_udp_get_link(p->udp);
  if (!p->has_network)
    return true;
  p->bridge = link_bridge_create(&p->socket, (uint64_t)match_play_now_us(p), &p->network);
  p->socket = link_bridge_get_link(p->bridge);
  return true;
}

static bool create_link(match_play_o *p, bool is_host, error_info_t *error) {
  uint8_t secret[SEAL_KEY_BYTES], account_secret[SEAL_KEY_BYTES];
  error_info_t problem = {0};
  match_identity_t identity = p->identity;
  bool asks = !get_options(p)->accept && !match_lobby_is_unattended(get_options(p));
  identity.shares_code = is_host ? match_reload_has_changed(p->reload) : options_accept_code(get_options(p));
  if (is_host && !match_files_read_secret(MATCH_FILES_HOST_SECRET, secret, &problem))
    log_warn(get_log(p), "match: %s: other machines will see a new key", problem.text);
  if (is_host)
    match_files_read_bans(&p->guard);
  if (!is_host && !match_files_read_secret(MATCH_FILES_ACCOUNT_SECRET, account_secret, &problem))
    log_warn(get_log(p), "match: %s: hosts will not recognize this user", problem.text);
  p->link = match_link_create(&(match_link_desc_t){.link = p->socket,
                                                   .match = p->match,
                                                   .identity = &identity,
                                                   .files = p->files,
                                                   .tick_us = p->tick_us,
                                                   .is_host = is_host,
                                                   .asks = asks,
                                                   .is_world = get_options(p)->world != NULL,
                                                   .guard = &p->guard,
                                                   .secret_seed = is_host ? secret : NULL,
                                                   .check_host = p->twin ? NULL : check_host,
                                                   .check_context = p,
                                                   .password = p->password,
                                                   .account_secret = is_host ? NULL : account_secret,
                                                   .log = get_log(p)},
                              error);
  sodium_memzero(secret, sizeof secret);
  sodium_memzero(account_secret, sizeof account_secret);
  return p->link != NULL;
}

// Closes all connections, and creates a link as the host or as a joiner. Returns true on success. Returns false and
// reports the failure otherwise.
static bool replace_link(match_play_o *p, int64_t now_us, bool is_host) {
  error_info_t error = {0};
  match_link_close(p->link, now_us);
  match_link_destroy(p->link);
  if (create_link(p, is_host, &error))
    return true;
  match_connect_fail(p, &(match_text_t){"match_failed", {{0}}}, error.text);
  return false;
}

static void print_address(match_play_o *p) {
  char text[LINK_ADDRESS_TEXT_BYTES], code[MATCH_CODE_BYTES], command[192];
  p->own_address_count = link_udp_find_own_addresses(p->own_addresses);
  for (uint32_t i = 0; i < p->own_address_count; ++i) {
    p->own_addresses[i].port = link_udp_get_port(p->udp);
    printf("%s: %s\n", i == 0 ? "listening" : "ipv6", link_address_format(&p->own_addresses[i], text));
  }
  printf("key: %s\n", match_files_format_code(match_link_get_key(p->link), code));
  match_status_format_command(p, command);
  log_info(get_log(p), "match: others join with %s", command);
  fflush(stdout);
  match_lan_open(p);
}

// Opens the token file. A joiner sends the token that a crashed process has stored. A host stores its own token, with
// which it can join its successor.
static void open_token(match_play_o *p) {
  uint8_t token[MATCH_TOKEN_BYTES];
  error_info_t error = {0};
  if (!match_token_open(&p->token, p->host->session.game, &error))
    log_warn(get_log(p), "match: %s: after a crash, this machine cannot join again as the same player", error.text);
  if (match_get_token(p->match, token))
    match_token_store(&p->token, token);
  else if (p->token.is_set)
    match_set_token(p->match, p->token.bytes);
}

void match_connect_join(match_play_o *p, int64_t now_us, const link_address_t *host) {
  p->host_address = *host;
  p->phase = MATCH_PHASE_JOINING;
  match_link_join(p->link, now_us, host);
}

static bool add_password_hint(error_info_t *error) {
  error_info_t reason = *error;
  return error_set(error, "--password requires a file with the password in its first line: %.400s", reason.text);
}

bool match_connect_open(match_play_o *p, error_info_t *error) {
  const options_t *o = get_options(p);
  link_address_t twin = match_twin_get_address();
  if (p->host->together.is_active)
    (void)snprintf(p->password, sizeof p->password, "%s", p->host->together.password);
  if (o->password && !match_files_read_password(o->password, p->password, error))
    return add_password_hint(error);
  if (p->twin)
    p->socket = match_twin_get_link(p->twin);
  if ((!p->twin && !open_socket(p, error)) || !create_link(p, o->host, error))
    return false;
  if (p->twin)
    match_connect_join(p, match_play_now_us(p), &twin);
  p->phase = p->twin ? MATCH_PHASE_JOINING : o->host ? MATCH_PHASE_PLAYING : MATCH_PHASE_LOOKUP;
  if (o->host || o->join)
    open_token(p);
  if (o->host)
    print_address(p);
  if (!o->join)
    return true;
  if (strcmp(o->join, "lan") == 0 && !match_world_is_used(p))
    return match_lan_begin_search(p, match_play_now_us(p), error);
  p->lookup = match_lookup_begin(o->join, MATCH_PORT);
  return true;
}

// --- joining

static void finish_lookup(match_play_o *p, int64_t now_us) {
  bool found = false;
  link_address_t address;
  error_info_t error = {0};
  char text[512];
  if (!match_lookup_poll(p->lookup, &found, &address, &error))
    return;
  match_lookup_end(p->lookup);
  p->lookup = NULL;
  if (found) {
    (match_world_is_used(p) ? match_world_begin : match_connect_join)(p, now_us, &address);
    return;
  }
  (void)snprintf(text, sizeof text, "%s: %.300s", match_world_is_used(p) ? "--world" : "--join", error.text);
  match_connect_fail(p, &(match_text_t){"join_unknown", {{"address", get_options(p)->join}}}, text);
}

static void fail_without_answer(match_play_o *p) {
  char text[512], address[LINK_ADDRESS_TEXT_BYTES];
  error_info_t error = {0};
  bool can_send = p->twin || link_udp_check(p->udp, &error);
  link_address_format(&p->host_address, address);
  (void)snprintf(text, sizeof text, "no answer from %s: %.200s", address,
                 can_send ? "no datagram has arrived" : error.text);
  match_connect_fail(p, &(match_text_t){"join_no_answer", {{0}}}, text);
}

// Returns NULL if this machine accepts the host's script limits. Otherwise, returns the key of the reason, and writes
// the details to `out`. There are two reasons: the host's scripts may use more memory than this machine allows
// (--memory), or may run for longer than MATCH_MAX_SYSTEM_MS without being stopped.
static const char *check_limits(const match_play_o *p, char *out, size_t out_bytes) {
  const match_limits_t *host = match_get_limits(p->match);
  uint64_t own_mb = get_options(p)->memory_mb ? get_options(p)->memory_mb : SCRIPT_MEMORY_MB;
  uint32_t host_mb = host->memory_mb ? host->memory_mb : SCRIPT_MEMORY_MB;
  if (!p->twin && host_mb > own_mb) {
    (void)snprintf(out, out_bytes, "%s runs with --memory %u, but this machine allows %llu MB: join with --memory %u",
                   match_status_get_host_title(p), host_mb, (unsigned long long)own_mb, host_mb);
    return "join_memory";
  }
  if (!p->twin && host->has_budget && (host->budget_ms == 0 || host->budget_ms > MATCH_MAX_SYSTEM_MS)) {
    (void)snprintf(out, out_bytes,
                   "%s runs with --budget %u, but a match must stop systems after at most %u ms: run it with a smaller "
                   "--budget",
                   match_status_get_host_title(p), host->budget_ms, MATCH_MAX_SYSTEM_MS);
    return "join_budget";
  }
  return NULL;
}

// Adopts the host's script limits if they differ from this machine's limits, and restarts the game. The host then sends
// its state.
static void apply_limits(match_play_o *p) {
  const match_limits_t *host = match_get_limits(p->match), *own = &p->limits;
  if (p->twin || (host->memory_mb == own->memory_mb && host->has_budget == own->has_budget &&
                  host->budget_ms == own->budget_ms && host->is_strict == own->is_strict))
    return;
  p->limits = *host;
  p->host->match_limits = &p->limits;
  log_info(get_log(p), "match: --memory, --budget and --strict of %s replace this machine's options",
           match_status_get_host_title(p));
  match_game_restart(p->game);
}

static void note_connection(match_play_o *p, int64_t now_us) {
  uint8_t token[MATCH_TOKEN_BYTES];
  char problem[320];
  const char *key = check_limits(p, problem, sizeof problem);
  if (key) {
    match_link_close(p->link, now_us);
    match_connect_fail(p, &(match_text_t){key, {{0}}}, problem);
    return;
  }
  apply_limits(p);
  if (match_get_token(p->match, token))
    match_token_store(&p->token, token);
  if (p->is_trying_successor)
    p->host_address = p->successor.address;
  match_files_store_host(match_world_is_used(p) ? &p->world.address : &p->host_address, p->host_key);
  if (p->phase == MATCH_PHASE_LOST)
    log_info(get_log(p), "match: connected again");
  p->is_trying_successor = p->has_given_way = false;
  match_lan_end_search(p);
  p->phase = MATCH_PHASE_PLAYING;
}

static void try_again(match_play_o *p, int64_t now_us) {
  p->is_trying_successor = false;
  if (now_us < p->retry_us)
    return;
  p->retry_us = now_us + RETRY_US;
  match_link_join(p->link, now_us, &p->host_address);
}

// Joins the machine that continues as the host, instead of trying to reach the lost host.
static void join_successor(match_play_o *p, int64_t now_us) {
  char address[LINK_ADDRESS_TEXT_BYTES];
  log_info(get_log(p), "match: %s continues as the host", link_address_format(&p->successor.address, address));
  p->is_trying_successor = true;
  p->is_successor = false;
  match_link_close(p->link, now_us);
  match_link_join(p->link, now_us, &p->successor.address);
}

// Joins a different host that the search has found, because several machines may have continued as hosts in parallel.
// Ends the search once a machine is connected to this machine, or after lan_end_us.
static void find_other_host(match_play_o *p, int64_t now_us) {
  if (match_link_count_peers(p->link) > 0 || now_us >= p->lan_end_us) {
    match_lan_end_search(p);
    return;
  }
  if (!match_lan_find_successor(p, now_us))
    return;
  lan_host_destroy(p->lan_host);
  p->lan_host = NULL;
  if (!replace_link(p, now_us, false))
    return;
  match_give_way(p->match);
  p->has_continued = false;
  p->has_given_way = true;
  p->phase = MATCH_PHASE_LOST;
  p->lost_us = now_us;
  join_successor(p, now_us);
}

// Reports that the host refused this machine because the password was not sent: the host's key is unknown.
static void fail_without_trust(match_play_o *p) {
  char text[512], address[LINK_ADDRESS_TEXT_BYTES], code[MATCH_CODE_BYTES];
  match_files_format_code(p->host_key, code);
  (void)snprintf(
      text, sizeof text,
      "the password was not sent to %s, because its key %s is unknown: if the host has printed this key, pass "
      "--key %s",
      link_address_format(&p->host_address, address), code, code);
  match_connect_fail(p, &(match_text_t){"join_untrusted", {{"code", code}}}, text);
}

void match_connect_fail_refused(match_play_o *p) {
  match_failure_t failure;
  match_text_describe_refusal(match_link_get_end(p->link), &p->identity, p->files, get_options(p)->world != NULL,
                              &failure);
  if (p->key_problem)
    match_connect_fail(p, &(match_text_t){p->key_problem, {{0}}}, p->key_details);
  else
    match_connect_fail(p, &failure.text, failure.details);
}

// Handles the end of an attempt to join. Repeats most failed attempts, because a lost host may become reachable again.
// The match fails only if the first attempt to join fails, or if the machine that continues as the host refuses. If
// this machine has stopped being a host to join the successor, but cannot join it, this machine continues as the host
// again.
static void handle_end(match_play_o *p, int64_t now_us, match_link_state_t state) {
  bool is_refused = p->is_trying_successor && p->is_successor && state == MATCH_LINK_REFUSED;
  if (match_world_is_used(p))
    match_world_handle_end(p, now_us, state);
  else if (p->has_given_way)
    match_connect_continue_as_host(p, now_us);
  else if (p->phase == MATCH_PHASE_LOST && !is_refused)
    try_again(p, now_us);
  else if (state == MATCH_LINK_NO_ANSWER)
    fail_without_answer(p);
  else if (match_link_lacks_trust(p->link))
    fail_without_trust(p);
  else
    match_connect_fail_refused(p);
}

void match_connect_update(match_play_o *p, int64_t now_us) {
  if (match_world_is_used(p))
    match_world_update(p, now_us);
  if (p->phase == MATCH_PHASE_LOOKUP) {
    if (p->lan_search)
      match_lan_update_search(p, now_us);
    else
      finish_lookup(p, now_us);
    return;
  }
  if (p->phase == MATCH_PHASE_PLAYING && p->lan_search)
    find_other_host(p, now_us);
  if (p->phase != MATCH_PHASE_JOINING && p->phase != MATCH_PHASE_LOST)
    return;
  if (p->phase == MATCH_PHASE_LOST && !p->is_trying_successor && match_lan_find_successor(p, now_us))
    join_successor(p, now_us);
  match_link_state_t state = match_link_get_state(p->link);
  if (state == MATCH_LINK_CONNECTED)
    note_connection(p, now_us);
  else if (state != MATCH_LINK_JOINING)
    handle_end(p, now_us, state);
  if (p->phase == MATCH_PHASE_LOST && get_options(p)->headless && now_us - p->lost_us > MATCH_REJOIN_US) {
    p->host->session.exit_code = 1;
    p->host->session.stopping = true;
  }
}

// --- a lost host

static bool has_state_to_save(const match_play_o *p) {
  return p->tick > 0 && !match_game_is_in_lobby(p->game);
}

static void save_match(match_play_o *p) {
  char path[PATH_MAX_BYTES + 80];
  error_info_t error = {0};
  p->was_saved = save_slots_prepare(p->host->session.game, SAVE_NAME, ".sqlite", path, sizeof path, &error) &&
                 game_saves_write(&p->host->session, path, &error);
  if (p->was_saved)
    log_info(get_log(p), "match: saved tick %llu as “%s”: %s", (unsigned long long)p->tick, SAVE_NAME, path);
  else
    log_error(get_log(p), "match: the match cannot be saved: %s", error.text);
}

// Saves and leaves the match. Does not try to join again, because a new attempt would end for the same reason
// (match_close_t).
static void leave_host(match_play_o *p, const match_failure_t *failure) {
  match_drop_predictions(p->match);
  // Does not save before the host's state has arrived, so a machine that joins again keeps the save of the lost match
  // until then.
  if (has_state_to_save(p) && match_get_status(p->match, 0).has_state)
    save_match(p);
  match_connect_fail(p, &failure->text, failure->details);
}

void match_connect_lose_host(match_play_o *p, int64_t now_us) {
  const options_t *o = get_options(p);
  match_failure_t failure;
  match_link_state_t state = match_link_get_state(p->link);
  const match_end_t *end = match_link_get_end(p->link);
  bool has_moved = state == MATCH_LINK_CLOSED && end->is_by_host && end->close == MATCH_CLOSE_MOVED;
  match_text_describe_close(end, &failure);
  match_link_close(p->link, now_us);
  p->has_host_left = state == MATCH_LINK_LEFT;
  if (match_world_is_used(p) && has_moved) {
    match_world_move(p, now_us);
    return;
  }
  if (match_world_is_used(p)) {
    match_world_lose_room(p, now_us, state == MATCH_LINK_CLOSED ? &failure : NULL);
    return;
  }
  if (state == MATCH_LINK_CLOSED) {
    leave_host(p, &failure);
    return;
  }
  if (!has_state_to_save(p)) {
    match_connect_fail(p, &(match_text_t){p->has_host_left ? "match_host_left" : "match_host_gone", {{0}}},
                       p->has_host_left ? "the host has closed the connection"
                                        : "no datagram of the host has arrived for 10 s");
    return;
  }
  p->phase = MATCH_PHASE_LOST;
  p->lost_us = now_us;
  p->retry_us = now_us + RETRY_US;
  match_drop_predictions(p->match);
  save_match(p);
  if (o->continue_as_host) {
    match_connect_continue_as_host(p, now_us);
    return;
  }
  log_error(get_log(p), "match: %s.", p->has_host_left ? "The host has left the match" : "The host is gone");
  match_lan_begin_successor_search(p, now_us);
  if (o->headless)
    log_info(get_log(p),
             "match: waiting 60 s for a machine that continues as the host; with --continue, this machine does");
}

void match_connect_continue_as_host(match_play_o *p, int64_t now_us) {
  uint8_t secret[SEAL_KEY_BYTES];
  shoal_assert(p->phase == MATCH_PHASE_LOST && !p->twin, "only a lost host is replaced");
  match_lan_end_search(p);
  if (!replace_link(p, now_us, true))
    return;
  randombytes_buf(secret, sizeof secret);
  match_continue_as_host(p->match, now_us, secret);
  sodium_memzero(secret, sizeof secret);
  p->has_begun = p->has_continued = true;
  p->phase = MATCH_PHASE_PLAYING;
  print_address(p);
  if (!p->has_given_way) // after a failed attempt to join a different host, a further attempt would fail, too
    match_lan_begin_successor_search(p, now_us);
  p->is_trying_successor = p->has_given_way = false;
  log_info(get_log(p), "match: this machine is the host from tick %llu on", (unsigned long long)p->tick);
}
