// A plugin with external resources: a listening port, whose connections wait until `take` accepts them, and a thread
// that counts. With -DINSIDE it has only the thread, and a system that waits for it. With -DSTUBBORN the thread does
// not stop.
#define _GNU_SOURCE
#include <shoal/external_resources.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define LINK_FIELDS(F) F(u32, dummy, 0)
SHOAL_SINGLE(link_state, LINK_FIELDS)

typedef struct kept_t {
  uint32_t instances, dialled, taken;
  uint64_t counted;
} kept_t;

typedef struct link_t {
  kept_t kept; // passed to the next instance on a reload; the thread writes `counted` while it runs
  uint64_t counted_before;
  int port;
} link_t;

static void *open_it(shoal_context *c, const shoal_handover *previous) {
  link_t *l = shoal_realloc(c, NULL, 0, sizeof *l);
  memset(l, 0, sizeof *l);
  if (previous && previous->version == 1 && previous->size == sizeof l->kept)
    memcpy(&l->kept, previous->bytes, previous->size);
  l->counted_before = l->kept.counted;
  ++l->kept.instances;
#ifndef INSIDE
  FILE *log = fopen(getenv("LINK_LOG"), "a");
  fprintf(log, "opened\n");
  fclose(log);
  l->port = shoal_get_fd(c, "port");
  if (l->port < 0) {
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    l->port = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (bind(l->port, (struct sockaddr *)&any, sizeof any) != 0 || listen(l->port, 1000) != 0 ||
        !shoal_store_fd(c, "port", l->port))
      shoal_fail(c, "no port");
  }
#endif
  return l;
}

static void close_it(shoal_context *c, void *state) {
  shoal_realloc(c, state, sizeof(link_t), 0);
}

static size_t hand_over(shoal_context *c, void *state, void *bytes, size_t room) {
  const link_t *l = state;
  (void)c;
  if (room >= sizeof l->kept)
    memcpy(bytes, &l->kept, sizeof l->kept);
  return sizeof l->kept;
}

static void count(const shoal_stop_token *stop, void *state) {
  link_t *l = state;
  struct pollfd wake = {.fd = stop->wake_fd, .events = POLLIN};
  do {
    __atomic_add_fetch(&l->kept.counted, 1, __ATOMIC_RELAXED);
    poll(&wake, 1, 1);
#ifdef STUBBORN
  } while (true);
#else
  } while (!shoal_stop_requested(stop));
#endif
}

static uint64_t read_counter(link_t *l) {
  return __atomic_load_n(&l->kept.counted, __ATOMIC_RELAXED);
}

// Waits until this instance's thread has increased the counter.
static void wait_for_thread(link_t *l) {
  while (read_counter(l) <= l->counted_before)
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

// Connects to the port and sends the connection's number.
static void dial(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  link_t *l = shoal_plugin_state(c);
  struct sockaddr_in to;
  socklen_t bytes = sizeof to;
  (void)arguments;
  getsockname(l->port, (struct sockaddr *)&to, &bytes);
  int client = socket(AF_INET, SOCK_STREAM, 0);
  uint32_t number = ++l->kept.dialled;
  if (connect(client, (struct sockaddr *)&to, sizeof to) != 0 || write(client, &number, sizeof number) != sizeof number)
    shoal_fail(c, "cannot connect");
  close(client);
  results[0].number = number;
}

// Accepts all waiting connections, including those made to earlier instances, and checks their order.
static void take(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  link_t *l = shoal_plugin_state(c);
  uint32_t number;
  (void)arguments;
  for (int one; (one = accept(l->port, NULL, NULL)) >= 0; close(one))
    if (read(one, &number, sizeof number) != sizeof number || number != ++l->kept.taken)
      shoal_fail(c, "expected connection %u, got %u", l->kept.taken, number);
  results[0].number = l->kept.taken;
}

static void get_instances(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  link_t *l = shoal_plugin_state(c);
  (void)arguments;
  wait_for_thread(l);
  results[0].number = l->kept.instances;
}

static void wait_in_system(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)v, (void)dt_s;
  wait_for_thread(shoal_plugin_state(c));
}

SHOAL_PLUGIN(.name = "link", .version = 1, .components = SHOAL_COMPONENTS(link_state),
             .systems = SHOAL_SYSTEMS({.name = "wait", .run = wait_in_system}),
             .functions = SHOAL_FUNCTIONS({.name = "dial", .results = "n:number", .call = dial},
                                          {.name = "take", .results = "n:number", .call = take},
                                          {.name = "instances", .results = "n:number", .call = get_instances}),
             .close = close_it,
#ifndef INSIDE
             .has_side_effects = true,
#endif
             .threads = SHOAL_THREADS({.name = "counter", .run = count}), .reopen = open_it, .save_handover = hand_over)
