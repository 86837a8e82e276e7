// Describes the match for the page "Match", and changes its simulated network.
#include "cockpit/match_view.h"

#include "base/now.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/request.h"
#include "host/match_moderation.h"
#include "host/match_report.h"

#include <stdio.h>

static const char *const ROLES[] = {
    [MATCH_ROLE_NONE] = "none", [MATCH_HOST] = "host", [MATCH_PEER] = "peer", [MATCH_SPECTATOR] = "spectator"};

static void write_number_pair(json_writer_t *out, const char *key, double number) {
  json_write_key(out, key);
  json_write_number(out, number);
}

static void write_time_pair(json_writer_t *out, const char *key, int64_t us) {
  write_number_pair(out, key, (double)(us / 100) / 10); // milliseconds, truncated to 0.1
}

// Writes a command that runs the game over a simulated network. In a match, the command repeats --host or --join.
static void write_command(cockpit_o *cockpit, bool is_match, json_writer_t *out) {
  const options_t *o = host_options(cockpit->host);
  host_state_t state;
  char command[PATH_MAX_BYTES + 512], role[256] = "";
  host_get_state(cockpit->host, &state);
  bool has_name = o->command == OPTIONS_PLAY && o->target;
  if (is_match && o->host)
    (void)snprintf(role, sizeof role, "--host ");
  else if (is_match && o->join)
    (void)snprintf(role, sizeof role, "--join %.200s ", o->join);
  (void)snprintf(command, sizeof command, "./shoal %s %s %s--net-sim 120ms,40ms,5%% --cockpit",
                 has_name ? "play" : "run", has_name ? o->target : state.folder, role);
  json_write_pair(out, "command", command);
}

static void write_status(const match_report_t *r, json_writer_t *out) {
  const match_status_t *s = &r->status;
  json_write_pair(out, "state", r->state);
  json_write_pair(out, "failure", r->failure);
  json_write_pair(out, "role", ROLES[s->role]);
  json_write_bool_pair(out, "has_host", r->has_host);
  json_write_integer_pair(out, "now_ms", now_ns() / NS_PER_MS);
  json_write_integer_pair(out, "tick", (long long)s->tick);
  json_write_integer_pair(out, "predicted", (long long)s->predicted_tick);
  json_write_integer_pair(out, "delay", s->delay);
  write_time_pair(out, "early_ms", s->early_us);
  write_time_pair(out, "silent_ms", s->silent_us);
  write_time_pair(out, "lost_ms", r->lost_us);
  json_write_integer_pair(out, "awaited", r->awaited);
  json_write_bool_pair(out, "is_waiting", s->is_waiting);
  json_write_bool_pair(out, "is_repairing", s->is_repairing);
  json_write_bool_pair(out, "is_proposing", s->is_proposing);
  json_write_bool_pair(out, "shares_code", r->shares_code);
  json_write_integer_pair(out, "rollbacks", (long long)s->rollbacks);
  json_write_integer_pair(out, "rerun_ticks", (long long)s->rerun_ticks);
  json_write_integer_pair(out, "max_depth", (long long)s->max_depth);
  json_write_integer_pair(out, "frames", (long long)s->frames);
  json_write_integer_pair(out, "waits", (long long)s->waits);
  json_write_integer_pair(out, "desyncs", (long long)s->desyncs);
  json_write_key(out, "late_inputs");
  if (r->has_host)
    json_write_integer(out, (long long)r->late_inputs);
  else
    json_write_null(out);
}

static void write_player(const match_report_player_t *p, json_writer_t *out) {
  char colour[8];
  (void)snprintf(colour, sizeof colour, "#%06x", p->info.colour & 0xffffffu);
  json_write_begin(out, '{');
  json_write_integer_pair(out, "number", p->number);
  json_write_pair(out, "name", p->info.name);
  json_write_pair(out, "colour", colour);
  json_write_pair(out, "machine", p->machine);
  json_write_bool_pair(out, "is_local", p->is_local);
  json_write_bool_pair(out, "is_joining", p->is_joining);
  json_write_bool_pair(out, "is_connected", p->is_connected);
  write_time_pair(out, "absent_ms", p->absent_us);
  write_time_pair(out, "ping_ms", p->round_trip_us);
  write_time_pair(out, "jitter_ms", p->jitter_us);
  json_write_end(out, '}');
}

static void write_link(const match_report_link_t *l, json_writer_t *out) {
  json_write_begin(out, '{');
  json_write_pair(out, "machine", l->machine);
  json_write_bool_pair(out, "is_live", l->connection.is_live);
  write_time_pair(out, "ping_ms", l->connection.round_trip_us);
  write_time_pair(out, "jitter_ms", l->connection.jitter_us);
  json_write_integer_pair(out, "late_inputs", (long long)l->connection.late_inputs);
  json_write_integer_pair(out, "sent", (long long)l->counts.sent);
  json_write_integer_pair(out, "sent_bytes", (long long)l->sent_bytes);
  json_write_integer_pair(out, "received", (long long)l->counts.received);
  json_write_integer_pair(out, "received_bytes", (long long)l->received_bytes);
  json_write_integer_pair(out, "expected", (long long)l->counts.highest);
  json_write_end(out, '}');
}

static void write_lines(const match_report_t *r, const char *key, bool of_desyncs, json_writer_t *out) {
  json_write_key(out, key);
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < r->line_count; ++i) {
    const match_line_t *line = r->lines[i];
    if ((line->kind == MATCH_LINE_DESYNC) != of_desyncs)
      continue;
    json_write_begin(out, '[');
    json_write_integer(out, (long long)line->tick);
    json_write_bool(out, line->kind == MATCH_LINE_RELOADED);
    json_write_string(out, line->text);
    json_write_end(out, ']');
  }
  json_write_end(out, ']');
}

static void write_network(const match_report_t *r, json_writer_t *out) {
  json_write_key(out, "network");
  if (!r->has_network) {
    json_write_null(out);
    return;
  }
  json_write_begin(out, '{');
  write_time_pair(out, "round_trip_ms", r->network.round_trip_us);
  write_time_pair(out, "jitter_ms", r->network.jitter_us);
  write_number_pair(out, "loss_percent", r->network.loss * 100);
  json_write_end(out, '}');
}

void match_view_write(cockpit_o *cockpit, json_writer_t *out) {
  const game_o *game = host_game(cockpit->host);
  match_report_t report;
  bool is_active = match_report_get(cockpit->host, &report);
  json_write_bool_pair(out, "is_active", is_active);
  json_write_bool_pair(out, "has_players", game && game->config.max_players > 0);
  write_command(cockpit, is_active, out);
  if (!is_active)
    return;
  write_status(&report, out);
  json_write_key(out, "players");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < report.player_count; ++i)
    write_player(&report.players[i], out);
  json_write_end(out, ']');
  json_write_key(out, "links");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < report.link_count; ++i)
    write_link(&report.links[i], out);
  json_write_end(out, ']');
  write_lines(&report, "desync_lines", true, out);
  write_lines(&report, "reloads", false, out);
  write_network(&report, out);
}

static bool read_number(const json_t *request, const char *key, double max, double *out, error_info_t *error) {
  const json_t *number = json_object_get(request, key);
  *out = json_number_value(number);
  return (json_is_number(number) && *out >= 0 && *out <= max) ||
         request_reject_member(request, key, error, "a number from 0 to %g", max);
}

bool match_view_set_network(cockpit_o *cockpit, const json_t *request, error_info_t *error) {
  double round_trip_ms, jitter_ms, loss_percent;
  return read_number(request, "round_trip_ms", MATCH_REPORT_MAX_ROUND_TRIP_MS, &round_trip_ms, error) &&
         read_number(request, "jitter_ms", round_trip_ms, &jitter_ms, error) &&
         read_number(request, "loss_percent", 100, &loss_percent, error) &&
         match_report_set_network(cockpit->host, (int64_t)(round_trip_ms * 1000), (int64_t)(jitter_ms * 1000),
                                  loss_percent / 100, error);
}

// Returns the request's `player`, a number or a string with one digit, or 0 if it is missing or out of range.
static uint32_t read_player(const json_t *request) {
  const json_t *player = json_object_get(request, "player");
  const char *digits = json_string_value(player);
  bool is_digit = digits && digits[0] >= '1' && digits[0] <= '9' && digits[1] == '\0';
  json_int_t number = is_digit ? digits[0] - '0' : json_integer_value(player);
  return number >= 1 && number <= PLAYER_MAX ? (uint32_t)number : 0;
}

bool match_view_moderate(cockpit_o *cockpit, const json_t *request, error_info_t *error) {
  const char *name = json_string_value(json_object_get(request, "action"));
  match_moderation_t action = name ? match_moderation_find(name, error) : MATCH_MODERATION_NONE;
  if (!name)
    return request_reject_member(request, "action", error, "remove, ban, give_away, mute, unmute or lift_bans");
  if (action != MATCH_MODERATION_NONE && action != MATCH_MODERATION_LIFT_BANS && read_player(request) == 0)
    return request_reject_member(request, "player", error, "a number from 1 to %u", PLAYER_MAX);
  return action != MATCH_MODERATION_NONE && match_moderation_apply(cockpit->host, action, read_player(request), error);
}
