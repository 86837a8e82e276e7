// Jobs that take longer than a tick: sums of numbers, delivered in a given tick or as soon as they are computed.
#define _POSIX_C_SOURCE 200809L
#include <shoal/job.h>

#include <stdlib.h>
#include <time.h>

#define SUMS_FIELDS(F) F(u32, wanted, 0) F(u32, done, 0) F(f64, sum, 0) F(u32, late, 0) F(f64, due, 0)
SHOAL_SINGLE(sums, SUMS_FIELDS)

static size_t sum(const void *input, size_t size, void *output, size_t room, const shoal_stop_token *stop) {
  uint32_t seed;
  double total = 0;
  memcpy(&seed, input, size);
  for (uint32_t i = 0; i < 2000000 && !shoal_stop_requested(stop); ++i)
    total += (double)((i ^ seed) & 255);
#ifdef ENDLESS
  for (volatile uint32_t i = 0; seed == 2; ++i) {
  }
#endif
#ifdef WAITS
  while (seed == 2 && !getenv("ANSWERS") && !shoal_stop_requested(stop))
    nanosleep(&(struct timespec){0, 5000000}, NULL);
#endif
#ifdef SLOW
  for (int i = 0; i < 40 && !shoal_stop_requested(stop); ++i)
    nanosleep(&(struct timespec){0, 5000000}, NULL);
#endif
#ifdef LIES
  return room + 1;
#endif
  memcpy(output, &total, sizeof total);
  return room < sizeof total ? 0 : sizeof total;
}

static void work(shoal_context *c, const shoal_view *v, float dt_s) {
  const sums_columns *s = SHOAL_ROWS_COLUMNS(shoal_get_rows(shoal_get_world(c), &sums_component), sums);
  size_t size;
  (void)v, (void)dt_s;
  if (s->wanted[0] == s->done[0]) {
    ++s->wanted[0];
    s->due[0] = DUE ? (double)(shoal_tick(c) + DUE) : 0;
  }
  const uint32_t input = s->wanted[0];
  const shoal_job job = {.name = NAME,
                         .work = WORK,
                         .input = &input,
                         .input_size = sizeof input,
                         .output_capacity = sizeof(double),
                         .due_tick = (uint64_t)s->due[0]};
  const void *result = shoal_poll_job(c, &job, &size);
  s->late[0] += result == NULL;
  if (!result)
    return;
  double sum_of;
  memcpy(&sum_of, result, sizeof sum_of);
  s->sum[0] += sum_of;
  s->done[0] = s->wanted[0];
}

SHOAL_PLUGIN(.name = "jobs", .version = 1, .components = SHOAL_COMPONENTS(sums),
             .systems = SHOAL_SYSTEMS({.name = "work", .run = work}))
