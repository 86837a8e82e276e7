// Life cycle and frame. What comes in is answered as far as the frame has time for it; the rest waits.
#include "cockpit/cockpit_internal.h"

#include "base/assert.h"
#include "base/child.h"
#include "base/files.h"
#include "base/now.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHARE 0.018           // of the time that passes: 0.3 ms of a tick of 1/60 s
#define HELD_SHARE 0.25       // where no tick waits
#define HELD_FRAME_US 4000.0  // at a time
#define MOST_DEBT_US 20000.0  // that is paid back
#define ANSWER_DEBT_US 3000.0 // up to which somebody who waits is answered, while what is followed has to wait
#define LEAST_MESSAGES 1u     // that are answered in a frame, whatever it takes

// ---------------------------------------------------------------------------------------------------------- token file

void cockpit_link_folder(char *out, size_t bytes) {
  const char *runtime = getenv("XDG_RUNTIME_DIR");
  if (runtime && runtime[0] == '/')
    snprintf(out, bytes, "%s/shoal", runtime);
  else
    snprintf(out, bytes, "/tmp/shoal-%u", (unsigned)getuid());
}

// PORT in it holds the link, for this user alone.
static bool token_folder(char *out, size_t bytes, error_t *error) {
  struct stat facts;
  cockpit_link_folder(out, bytes);
  if (mkdir(out, 0700) != 0 && errno != EEXIST)
    return error_set(error, "%s: %s", out, strerror(errno));
  if (lstat(out, &facts) != 0 || !S_ISDIR(facts.st_mode) || facts.st_uid != getuid() || (facts.st_mode & 077) != 0)
    return error_set(error, "%s has to be a folder of this user's alone", out);
  return true;
}

static bool write_token(cockpit_o *c, error_t *error) {
  char folder[400];
  if (!token_folder(folder, sizeof folder, error))
    return false;
  snprintf(c->token_file, sizeof c->token_file, "%s/%u", folder, server_port(c->server));
  unlink(c->token_file);
  int file = open(c->token_file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  bool fine = file >= 0 && file_put(file, c->link, strlen(c->link)) && file_put(file, "\n", 1);
  if (file >= 0)
    close(file);
  return fine || error_set(error, "%s: %s", c->token_file, strerror(errno));
}

static bool make_token(char *out, error_t *error) {
  uint8_t bytes[(HTTP_TOKEN_BYTES - 1) / 2];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
    return error_set(error, "the system gives no random numbers");
  for (size_t i = 0; i < sizeof bytes; ++i)
    snprintf(out + 2 * i, 3, "%02x", bytes[i]);
  return true;
}

// ---------------------------------------------------------------------------------------------------------- life cycle

static void hear(void *context, log_level_t level, const char *line) {
  cockpit_o *c = context;
  log_line_t *x = &c->lines[c->line_count % LOG_LINES];
  host_look_t look;
  host_look(c->host, &look);
  x->number = ++c->line_count;
  x->tick = look.tick;
  x->level = level;
  snprintf(x->text, sizeof x->text, "%s", line);
}

// By itself only where somebody sits and works: a window that watches files and stays open.
static bool is_wanted(const options_t *o) {
  if (o->cockpit != OPTIONS_COCKPIT_DEFAULT)
    return o->cockpit == OPTIONS_COCKPIT_ON;
  return !o->headless && !o->package && !o->window && o->watch != FILE_WATCH_OFF && !o->has_ticks && !o->screenshot &&
         !o->replay;
}

static bool open_server(cockpit_o *c, error_t *error) {
  char folder[PATH_MAX_BYTES + 16];
  const options_t *o = host_options(c->host);
  server_desc_t desc = {.port = o->cockpit_port ? o->cockpit_port : COCKPIT_PORT,
                        .ports = o->cockpit_port ? 1 : COCKPIT_PORTS,
                        .token = c->token,
                        .folder = path_join(folder, sizeof folder, host_places(c->host)->assets, "cockpit")};
  c->server = server_create(&desc, error);
  if (!c->server)
    return false;
  snprintf(c->link, sizeof c->link, "http://127.0.0.1:%u/%s/", server_port(c->server), c->token);
  return write_token(c, error);
}

cockpit_o *cockpit_create(host_o *h, error_t *error) {
  const options_t *o = host_options(h);
  error->text[0] = '\0';
  if (!is_wanted(o))
    return NULL;
  allocator_t memory = {0};
  cockpit_o *c = alloc_resize(&memory, NULL, 0, sizeof *c);
  memset(c, 0, sizeof *c);
  c->memory = memory;
  c->host = h;
  c->reads = o->cockpit_reads;
  c->lines = alloc_resize(&c->memory, NULL, 0, LOG_LINES * sizeof *c->lines);
  json_text_init(&c->out, &c->memory);
  log_listen(host_log(h), hear, c);
  if (make_token(c->token, error) && open_server(c, error)) {
    log_info(host_log(h), "cockpit: %s%s", c->link, o->headless ? "" : " (F1 for the overlay)");
    face_begin(c);
    return c;
  }
  if (o->cockpit == OPTIONS_COCKPIT_DEFAULT) { // no port was asked for; the overlay works without one
    log_info(host_log(h), "cockpit: %s", error->text);
    error->text[0] = '\0';
    server_destroy(c->server);
    c->server = NULL;
    face_begin(c);
    return c;
  }
  cockpit_destroy(c);
  return NULL;
}

static client_state_t *find_client(cockpit_o *c, uint32_t number) {
  for (uint32_t i = 0; i < c->client_count; ++i)
    if (c->clients[i]->number == number)
      return c->clients[i];
  return NULL;
}

static void join(cockpit_o *c, uint32_t number) {
  shoal_assert(c->client_count < SERVER_MOST_CLIENTS && !find_client(c, number), "client %u joins", number);
  client_state_t *x = alloc_resize(&c->memory, NULL, 0, sizeof *x);
  memset(x, 0, sizeof *x);
  x->number = number;
  c->clients[c->client_count++] = x;
}

static void leave(cockpit_o *c, uint32_t number) {
  for (uint32_t i = 0; i < c->client_count; ++i) {
    client_state_t *x = c->clients[i];
    if (x->number != number)
      continue;
    follow_end_all(c, x);
    alloc_resize(&c->memory, x, sizeof *x, 0);
    c->clients[i] = c->clients[--c->client_count];
    return;
  }
}

void cockpit_destroy(cockpit_o *c) {
  if (!c)
    return;
  log_listen(host_log(c->host), NULL, NULL);
  face_end(c);
  commands_free(c);
  panels_free(c);
  question_forget(c);
  while (c->client_count > 0)
    leave(c, c->clients[0]->number);
  server_destroy(c->server);
  if (c->token_file[0])
    unlink(c->token_file);
  for (uint32_t i = 0; i < c->undos.count; ++i)
    alloc_resize(&c->memory, c->undos.items[i].text, c->undos.items[i].bytes + 1, 0);
  array_free(&c->memory, &c->undos);
  array_free(&c->memory, &c->returned);
  json_text_fini(&c->out);
  alloc_resize(&c->memory, c->lines, LOG_LINES * sizeof *c->lines, 0);
  allocator_t memory = c->memory;
  alloc_resize(&memory, c, sizeof *c, 0);
  shoal_assert(memory.bytes == 0, "the cockpit kept %zu bytes", memory.bytes);
}

// ----------------------------------------------------------------------------------------------------------- the frame

// With xdg-open, where there is one.
void cockpit_open_page(cockpit_o *c) {
  if (!c->server)
    return;
  log_info(host_log(c->host), "cockpit: %s", c->link);
  child_launch((const char *const[]){"xdg-open", c->link, NULL});
}

double cockpit_spent_us(void) {
  return (double)now_thread_ns() * 1e-3;
}

void cockpit_spend(cockpit_o *c, double began_us) {
  double spent_us = cockpit_spent_us() - began_us;
  c->credit_us -= spent_us;
  c->spent_us += spent_us;
}

static void take_messages(cockpit_o *c) {
  server_message_t m;
  for (uint32_t i = 0; (i < LEAST_MESSAGES || c->credit_us >= -ANSWER_DEBT_US) && server_next(c->server, &m); ++i) {
    double began_us = cockpit_spent_us();
    client_state_t *client = find_client(c, m.client);
    if (m.kind == SERVER_JOINED)
      join(c, m.client);
    else if (m.kind == SERVER_LEFT)
      leave(c, m.client);
    else if (client)
      protocol_answer(c, client, m.text, m.bytes);
    server_forget(c->server, &m);
    cockpit_spend(c, began_us);
  }
}

static void earn(cockpit_o *c) {
  host_look_t look;
  host_look(c->host, &look);
  shoal_assert(now_us() >= c->earned_us, "time goes back");
  bool stands = look.held || look.paused;
  double now = now_us(), most = stands ? HELD_FRAME_US : COCKPIT_FRAME_US;
  c->credit_us = c->credit_us < -MOST_DEBT_US ? -MOST_DEBT_US : c->credit_us;
  c->credit_us += (now - c->earned_us) * (stands ? HELD_SHARE : SHARE);
  c->credit_us = c->credit_us > most ? most : c->credit_us;
  c->earned_us = now;
}

void cockpit_frame(cockpit_o *c) {
  if (!c)
    return;
  face_frame(c);
  if (!c->server)
    return;
  if (!server_has_news(c->server) && c->client_count == 0)
    return;
  earn(c);
  event_log_frame(c);
  if (c->credit_us >= -ANSWER_DEBT_US) {
    take_messages(c);
    question_poll(c);
    follow_due(c);
  }
  profile_frame(c); // last: what is due has the credit first
}
