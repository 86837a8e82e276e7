#include "host/replay.h"

#include "base/array.h"
#include "base/files.h"
#include "base/hash.h"
#include "host/heard.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAGIC "SHOALRPL"
#define MOST_COMPONENTS 65536u
#define STATES_CHUNK_BYTES (1u << 20)

typedef ARRAY(uint8_t) bytes_t;

// Records are a letter and what belongs to it; numbers are written in sevens of bits, the lowest first.
enum {
  RECORD_BEGIN = 'B',    // was the game paused, the sample before, the hashes of all components
  RECORD_SNAPSHOT = 'S', // the whole chunk: the state in which the next one begins
  RECORD_TICK = 'T',     // sample, hash, components that changed
  RECORD_IDLE = 'I',     // sample
  RECORD_UNSEEN =
      'U',           // sample of a tick that nobody has seen yet: a recording that was made up, by hand or by a program
  RECORD_BACK = 'R', // ticks
  RECORD_FORWARD = 'F',
  RECORD_RELOAD = 'L', // hash of the game
  RECORD_PARK = 'P',   // name of a piece
  RECORD_STATES = 'D', // the whole chunk: states
  RECORD_DO = 'H'      // replay_deed_t
};

typedef struct chunk_head_t {
  uint64_t hash;
  uint32_t size, unused;
} chunk_head_t;

typedef struct file_head_t {
  char magic[8];
  uint32_t format, unused;
  replay_head_t head;
  uint64_t hash; // of the head
} file_head_t;

uint16_t replay_component_hash(world_o *w, uint32_t manager) {
  return (uint16_t)world_component_hash(w, manager);
}

// ------------------------------------------------------------------------------------------------------------------ writing

typedef struct chunk_t {
  bytes_t bytes;
  uint64_t first_tick; // of the world when it began
} chunk_t;

typedef struct piece_t {
  char name[128];
} piece_t;

struct recorder_o {
  allocator_t *allocator;
  replay_head_t head;
  FILE *file;                               // NULL: in memory only
  chunk_t recent[REPLAY_RECENT_CHUNKS + 1]; // a ring; the last one is being written
  uint32_t first, count;
  uint32_t samples; // in the last one
  bytes_t states;   // since the last chunk was written
  uint64_t ticks;   // recorded so far
  input_state_t last;
  uint64_t last_tick; // of the world after the last sample; UINT64_MAX when it may be any
  ARRAY(uint16_t) components;
  ARRAY(piece_t) parked; // in the order in which they were
  uint32_t parked_told;  // in the file
  bool failed;
};

static file_head_t file_head(const replay_head_t *head) {
  file_head_t f;
  memset(&f, 0, sizeof f);
  memcpy(f.magic, MAGIC, sizeof f.magic);
  f.format = REPLAY_FORMAT;
  f.head = *head;
  f.hash = hash_bytes(&f.head, sizeof f.head, 0);
  return f;
}

static chunk_t *last_chunk(recorder_o *r) {
  return &r->recent[(r->first + r->count - 1) % (REPLAY_RECENT_CHUNKS + 1)];
}

static void put_into(recorder_o *r, bytes_t *to, const void *bytes, size_t size) {
  array_reserve(r->allocator, to, (uint32_t)(to->count + size));
  memcpy(to->items + to->count, bytes, size);
  to->count += (uint32_t)size;
}

static void put(recorder_o *r, const void *bytes, size_t size) {
  put_into(r, &last_chunk(r)->bytes, bytes, size);
}

static void put_number_into(recorder_o *r, bytes_t *to, uint64_t n) {
  uint8_t bytes[10];
  size_t size = 0;
  do {
    bytes[size++] = (uint8_t)((n & 127) | (n > 127 ? 128 : 0));
    n >>= 7;
  } while (n > 0);
  put_into(r, to, bytes, size);
}

static void put_number(recorder_o *r, uint64_t n) {
  put_number_into(r, &last_chunk(r)->bytes, n);
}

static void put_letter(recorder_o *r, char letter) {
  put(r, &letter, 1);
}

static void put_sample(recorder_o *r, const input_state_t *now) {
  uint8_t bytes[SAMPLE_MAX_BYTES];
  put(r, bytes, sample_write(&r->last, now, bytes));
  r->last = *now;
}

// The components whose hash is another one now: how many, then which and what.
static void put_components(recorder_o *r, world_o *w) {
  uint32_t count = world_manager_count(w), changed = 0;
  while (r->components.count < count)
    array_push(r->allocator, &r->components, 0);
  for (uint32_t i = 0; i < count; i++)
    changed += replay_component_hash(w, i + 1) != r->components.items[i];
  put_number(r, changed);
  for (uint32_t i = 0; i < count && changed > 0; i++) {
    uint16_t hash = replay_component_hash(w, i + 1);
    if (hash == r->components.items[i])
      continue;
    put_number(r, i);
    put(r, &hash, sizeof hash);
    r->components.items[i] = hash;
  }
}

static void put_parked(recorder_o *r, uint32_t from) {
  for (uint32_t i = from; i < r->parked.count; i++) {
    size_t length = strlen(r->parked.items[i].name);
    put_letter(r, RECORD_PARK);
    put_number(r, length);
    put(r, r->parked.items[i].name, length);
  }
  r->parked_told = r->parked.count;
}

static void write_out(recorder_o *r, FILE *file, const bytes_t *b) {
  chunk_head_t head = {.hash = hash_bytes(b->items, b->count, 0), .size = b->count};
  if (fwrite(&head, sizeof head, 1, file) != 1 || fwrite(b->items, b->count, 1, file) != 1)
    r->failed = true;
}

static void end_chunk(recorder_o *r) {
  if (r->count == 0 || r->samples == 0)
    return;
  if (r->file) {
    write_out(r, r->file, &last_chunk(r)->bytes);
    if (r->states.count > 0)
      write_out(r, r->file, &r->states);
    r->failed |= fflush(r->file) != 0;
  }
  r->states.count = 0;
  r->samples = 0;
}

// `ticks`: recorded before it, counted from the beginning of the file.
static void put_state(recorder_o *r, bytes_t *to, const history_state_t *s, uint64_t ticks) {
  uint8_t letter = RECORD_STATES;
  if (to->count == 0)
    put_into(r, to, &letter, 1);
  put_number_into(r, to, ticks);
  put_number_into(r, to, s->tick);
  put_number_into(r, to, s->before + 1); // 0: nothing
  put_number_into(r, to, s->form);
  put_number_into(r, to, s->size);
  put_number_into(r, to, s->raw_size);
  put_number_into(r, to, s->packed_size);
  put_into(r, to, s->packed, s->packed_size);
}

void recorder_state(recorder_o *r, const history_state_t *s) {
  if (r->file)
    put_state(r, &r->states, s, r->ticks);
}

static void begin_chunk(recorder_o *r, const input_state_t *before, bool paused, uint64_t first_tick) {
  if (r->count == REPLAY_RECENT_CHUNKS + 1)
    r->first = (r->first + 1) % (REPLAY_RECENT_CHUNKS + 1);
  else
    r->count++;
  chunk_t *c = last_chunk(r);
  c->bytes.count = 0;
  c->first_tick = first_tick;
  r->components.count = 0; // all of them are told anew
  memset(&r->last, 0, sizeof r->last);
  put_letter(r, RECORD_BEGIN);
  put_number(r, paused);
  put_sample(r, before);
  put_parked(r, 0);
}

static void before_sample(recorder_o *r, const input_state_t *before, bool paused, uint64_t first_tick) {
  if (r->samples >= REPLAY_CHUNK_TICKS)
    end_chunk(r);
  if (r->samples == 0)
    begin_chunk(r, before, paused, first_tick);
  put_parked(r, r->parked_told);
  r->samples++;
}

recorder_o *recorder_create(allocator_t *a, const replay_head_t *head, const char *path, error_t *error) {
  FILE *file = path ? fopen(path, "wb") : NULL;
  if (path && !file) {
    error_set(error, "%s: %s", path, strerror(errno));
    return NULL;
  }
  recorder_o *r = alloc_resize(a, NULL, 0, sizeof *r);
  memset(r, 0, sizeof *r);
  r->allocator = a;
  r->last_tick = UINT64_MAX;
  r->head = *head;
  r->file = file;
  file_head_t f = file_head(head);
  if (file)
    r->failed = fwrite(&f, sizeof f, 1, file) != 1;
  return r;
}

void recorder_destroy(recorder_o *r) {
  if (!r)
    return;
  end_chunk(r);
  if (r->file)
    fclose(r->file);
  for (uint32_t i = 0; i <= REPLAY_RECENT_CHUNKS; i++)
    array_free(r->allocator, &r->recent[i].bytes);
  array_free(r->allocator, &r->components);
  array_free(r->allocator, &r->parked);
  array_free(r->allocator, &r->states);
  alloc_resize(r->allocator, r, sizeof *r, 0);
}

// An excerpt cannot begin before this: from a snapshot there is no way further back.
static void forget_recent(recorder_o *r) {
  end_chunk(r);
  r->count = 0;
  r->last_tick = UINT64_MAX;
}

void recorder_jump(recorder_o *r) {
  forget_recent(r);
}

void recorder_tick(recorder_o *r, const input_state_t *before, const input_state_t *now, world_o *w) {
  uint64_t tick = world_tick(w);
  before_sample(r, before, false, tick > 0 ? tick - 1 : 0);
  uint32_t hash = (uint32_t)world_hash(w);
  put_letter(r, RECORD_TICK);
  put_sample(r, now);
  put(r, &hash, sizeof hash);
  put_components(r, w);
  r->ticks++;
  bool jumped = r->last_tick != UINT64_MAX && tick != r->last_tick + 1; // a script has restored a snapshot
  r->last_tick = tick;
  if (jumped)
    forget_recent(r);
}

void recorder_idle(recorder_o *r, const input_state_t *before, const input_state_t *now, world_o *w) {
  before_sample(r, before, true, world_tick(w));
  put_letter(r, RECORD_IDLE);
  put_sample(r, now);
}

// For records that belong to no sample.
static void open_chunk(recorder_o *r) {
  input_state_t last = r->last;
  if (r->samples == 0)
    begin_chunk(r, &last, false, UINT64_MAX);
  r->samples++;
}

void recorder_back(recorder_o *r, uint64_t ticks) {
  open_chunk(r);
  put_letter(r, RECORD_BACK);
  put_number(r, ticks);
  forget_recent(r);
}

void recorder_forward(recorder_o *r) {
  open_chunk(r);
  put_letter(r, RECORD_FORWARD);
  forget_recent(r);
}

void recorder_park(recorder_o *r, const char *piece) {
  piece_t x;
  snprintf(x.name, sizeof x.name, "%s", piece);
  array_push(r->allocator, &r->parked, x);
}

void recorder_other_code(recorder_o *r) {
  r->parked.count = r->parked_told = 0;
}

void recorder_reload(recorder_o *r, uint64_t game_hash) {
  recorder_other_code(r);
  r->head.game_hash = game_hash; // an excerpt begins with what runs now
  open_chunk(r);
  put_letter(r, RECORD_RELOAD);
  put_number(r, game_hash);
  forget_recent(r);
}

void recorder_host(recorder_o *r, replay_deed_t deed) {
  open_chunk(r);
  put_letter(r, RECORD_DO);
  put_number(r, deed);
}

static bool write_snapshot(recorder_o *r, FILE *file, const snapshot_o *s) {
  size_t size = 0;
  const void *bytes = snapshot_bytes(s, &size);
  bytes_t b = {0};
  uint8_t letter = RECORD_SNAPSHOT;
  array_push(r->allocator, &b, letter);
  array_reserve(r->allocator, &b, (uint32_t)size + 1);
  memcpy(b.items + 1, bytes, size);
  b.count += (uint32_t)size;
  write_out(r, file, &b);
  array_free(r->allocator, &b);
  return !r->failed;
}

// The first of the recent chunks that can be begun with.
static const snapshot_o *find_beginning(recorder_o *r, history_o *h, uint32_t *chunk, error_t *error) {
  uint64_t tick = 0;
  for (uint32_t i = 0; i < r->count; i++) {
    const chunk_t *c = &r->recent[(r->first + i) % (REPLAY_RECENT_CHUNKS + 1)];
    const snapshot_o *s = history_peek(h, c->first_tick, &tick, error);
    *chunk = i;
    if (s && tick == c->first_tick)
      return s;
  }
  error_set(error, r->count > 0 ? "the history does not reach back to what was recorded"
                                : "nothing has happened since the last step back, reload or start");
  return NULL;
}

// What the history has from a little before `first` on.
static void write_states(recorder_o *r, FILE *file, history_o *h, uint64_t first) {
  bytes_t b = {0};
  history_state_t s;
  uint32_t from = 0;
  for (uint32_t i = 0; history_get(h, i, &s) && s.tick <= first; i++)
    from = s.form == HISTORY_WHOLE ? i : from;
  for (uint32_t i = from; history_get(h, i, &s); i++) {
    put_state(r, &b, &s, s.tick > first ? s.tick - first : 0);
    if (b.count < STATES_CHUNK_BYTES)
      continue;
    write_out(r, file, &b);
    b.count = 0;
  }
  if (b.count > 0)
    write_out(r, file, &b);
  array_free(r->allocator, &b);
}

bool recorder_excerpt(recorder_o *r, history_o *h, const char *path, error_t *error) {
  uint32_t chunk = 0;
  const snapshot_o *s = h ? find_beginning(r, h, &chunk, error) : NULL;
  if (!s)
    return h ? false : error_set(error, "no history is kept");
  FILE *file = fopen(path, "wb");
  if (!file)
    return error_set(error, "%s: %s", path, strerror(errno));
  file_head_t f = file_head(&r->head);
  bool before = r->failed;
  r->failed = fwrite(&f, sizeof f, 1, file) != 1;
  write_snapshot(r, file, s);
  for (uint32_t i = chunk; i < r->count; i++)
    write_out(r, file, &r->recent[(r->first + i) % (REPLAY_RECENT_CHUNKS + 1)].bytes);
  write_states(r, file, h, snapshot_tick(s));
  bool good = !r->failed & (fclose(file) == 0);
  r->failed = before;
  return good || error_set(error, "%s: the disk is full?", path);
}

// ------------------------------------------------------------------------------------------------------------------ reading

struct replay_o {
  allocator_t *allocator;
  file_head_t head;
  uint8_t *bytes;
  size_t size, at;         // at: behind the current chunk
  const uint8_t *in, *end; // in the current chunk
  snapshot_o *snapshot;
  bool has_snapshot, began_paused;
  input_state_t last;
  uint16_t *components; // MOST_COMPONENTS
  uint32_t component_count;
};

static bool read_bytes(replay_o *r, void *out, size_t size) {
  if ((size_t)(r->end - r->in) < size)
    return false;
  memcpy(out, r->in, size);
  r->in += size;
  return true;
}

static bool read_number(replay_o *r, uint64_t *out) {
  uint8_t byte = 128;
  *out = 0;
  for (uint32_t shift = 0; byte & 128; shift += 7) {
    if (shift > 63 || !read_bytes(r, &byte, 1))
      return false;
    *out |= (uint64_t)(byte & 127) << shift;
  }
  return true;
}

static bool read_sample(replay_o *r) {
  size_t used = sample_read(&r->last, r->in, (size_t)(r->end - r->in));
  r->in += used;
  return used > 0;
}

static bool read_components(replay_o *r) {
  uint64_t changed = 0, at = 0;
  if (!read_number(r, &changed) || changed > MOST_COMPONENTS)
    return false;
  for (uint64_t i = 0; i < changed; i++) {
    if (!read_number(r, &at) || at >= MOST_COMPONENTS || !read_bytes(r, &r->components[at], sizeof *r->components))
      return false;
    if (at >= r->component_count)
      r->component_count = (uint32_t)at + 1;
  }
  return true;
}

// Opens the next chunk. 0 at the end of the file, -1 where it is broken.
static int next_chunk(replay_o *r, error_t *error) {
  chunk_head_t head;
  if (r->at == r->size)
    return 0;
  if (r->size - r->at < sizeof head) {
    error_set(error, "the recording is cut off");
    return -1;
  }
  memcpy(&head, r->bytes + r->at, sizeof head);
  if (head.size == 0 || head.size > r->size - r->at - sizeof head) {
    error_set(error, "the recording is cut off or damaged");
    return -1;
  }
  r->in = r->bytes + r->at + sizeof head;
  r->end = r->in + head.size;
  if (hash_bytes(r->in, head.size, 0) != head.hash) {
    r->in = r->end;
    error_set(error, "the recording is damaged");
    return -1;
  }
  r->at += sizeof head + head.size;
  return 1;
}

// The next chunk that is not of states.
static int next_records(replay_o *r, error_t *error) {
  int found = 1;
  do
    found = next_chunk(r, error);
  while (found > 0 && *r->in == RECORD_STATES);
  return found;
}

static bool begin(replay_o *r) {
  uint64_t paused = 0;
  memset(&r->last, 0, sizeof r->last);
  memset(r->components, 0, r->component_count * sizeof *r->components);
  bool good = read_number(r, &paused) && paused <= 1 && read_sample(r);
  r->began_paused = paused;
  return good;
}

static bool read_piece(replay_o *r, replay_item_t *out) {
  uint64_t length = 0;
  return read_number(r, &length) && length < sizeof out->piece && read_bytes(r, out->piece, length);
}

static bool read_record(replay_o *r, uint8_t letter, replay_item_t *out) {
  out->before = r->last;
  switch (letter) {
  case RECORD_TICK:
    out->kind = REPLAY_TICK;
    out->seen = true;
    return read_sample(r) && read_bytes(r, &out->hash, sizeof out->hash) && read_components(r);
  case RECORD_UNSEEN: out->kind = REPLAY_TICK; return read_sample(r);
  case RECORD_IDLE: out->kind = REPLAY_IDLE; return read_sample(r);
  case RECORD_BACK: out->kind = REPLAY_BACK; return read_number(r, &out->ticks);
  case RECORD_FORWARD: out->kind = REPLAY_FORWARD; return true;
  case RECORD_DO: out->kind = REPLAY_DO; return read_number(r, &out->ticks);
  case RECORD_PARK: out->kind = REPLAY_PARK; return read_piece(r, out);
  case RECORD_RELOAD: out->kind = REPLAY_RELOAD; return read_number(r, &out->game_hash);
  default: return false;
  }
}

void replay_next(replay_o *r, replay_item_t *out, error_t *error) {
  uint8_t letter = 0;
  *out = (replay_item_t){.kind = REPLAY_NONE};
  for (;;) {
    if (r->in == r->end) {
      int found = next_records(r, error);
      if (found <= 0) {
        out->kind = found == 0 ? REPLAY_END : REPLAY_BROKEN;
        r->at = r->size;
        return;
      }
    }
    bool good = read_bytes(r, &letter, 1);
    if (good && letter == RECORD_BEGIN) {
      if (begin(r))
        continue;
      good = false;
    }
    if (!good || !read_record(r, letter, out)) {
      error_set(error, "the recording holds something that is no recording");
      out->kind = REPLAY_BROKEN;
      r->in = r->end = NULL;
      r->at = r->size;
      return;
    }
    out->input = r->last;
    out->components = r->components;
    out->component_count = r->component_count;
    return;
  }
}

static bool read_snapshot(replay_o *r, error_t *error) {
  int found = next_records(r, error);
  if (found < 0)
    return false;
  if (found == 0 || *r->in != RECORD_SNAPSHOT)
    return true;
  snapshot_set_bytes(r->snapshot, r->in + 1, (size_t)(r->end - r->in - 1));
  r->has_snapshot = true;
  if (next_records(r, error) < 0)
    return false;
  if (r->end - r->in > 1 && *r->in == RECORD_BEGIN)
    r->began_paused = r->in[1] == 1;
  return true;
}

replay_o *replay_of_bytes(allocator_t *a, const void *bytes, size_t size, error_t *error) {
  file_head_t head;
  if (size < sizeof head || memcmp(bytes, MAGIC, sizeof head.magic) != 0) {
    error_set(error, "this is no recording");
    return NULL;
  }
  memcpy(&head, bytes, sizeof head);
  if (head.format != REPLAY_FORMAT) {
    error_set(error, "the recording has format %u, and this version reads %u", head.format, REPLAY_FORMAT);
    return NULL;
  }
  if (head.hash != hash_bytes(&head.head, sizeof head.head, 0) || !memchr(head.head.game, 0, sizeof head.head.game)) {
    error_set(error, "the recording is damaged");
    return NULL;
  }
  replay_o *r = alloc_resize(a, NULL, 0, sizeof *r);
  *r = (replay_o){.allocator = a, .head = head, .size = size, .at = sizeof head};
  r->bytes = alloc_resize(a, NULL, 0, size);
  memcpy(r->bytes, bytes, size);
  r->components = alloc_resize(a, NULL, 0, MOST_COMPONENTS * sizeof *r->components);
  memset(r->components, 0, MOST_COMPONENTS * sizeof *r->components);
  r->snapshot = snapshot_create(a);
  if (read_snapshot(r, error))
    return r;
  replay_close(r);
  return NULL;
}

replay_o *replay_open(allocator_t *a, const char *path, error_t *error) {
  size_t size = 0;
  error_t why = {{0}};
  char *bytes = file_read(a, path, &size, error);
  if (!bytes)
    return NULL;
  replay_o *r = replay_of_bytes(a, bytes, size, &why);
  file_free(a, bytes, size);
  if (!r)
    error_set(error, "%.500s: %.500s", path, why.text);
  return r;
}

void replay_close(replay_o *r) {
  if (!r)
    return;
  snapshot_release(r->snapshot);
  alloc_resize(r->allocator, r->bytes, r->size, 0);
  alloc_resize(r->allocator, r->components, MOST_COMPONENTS * sizeof *r->components, 0);
  alloc_resize(r->allocator, r, sizeof *r, 0);
}

// One state. False where the chunk ends or makes no sense.
static bool read_state(replay_o *r, history_state_t *s, uint64_t *ticks) {
  uint64_t n[6];
  if (r->in == r->end || !read_number(r, ticks))
    return false;
  for (uint32_t i = 0; i < 6; i++)
    if (!read_number(r, &n[i]))
      return false;
  if (n[2] > HISTORY_WHOLE || n[3] > UINT32_MAX || n[4] > UINT32_MAX || n[5] > (size_t)(r->end - r->in))
    return false;
  *s = (history_state_t){.tick = n[0], .before = n[1] - 1, .form = (uint32_t)n[2]};
  s->size = (uint32_t)n[3];
  s->raw_size = (uint32_t)n[4];
  s->packed_size = (uint32_t)n[5];
  s->packed = r->in;
  r->in += n[5];
  return true;
}

// All states up to the one after the `played`-th tick, in `to`, and its tick in `tick`.
static bool read_states(const replay_o *r, uint64_t played, history_o *to, uint64_t *tick) {
  replay_o at = *r; // reads from the beginning, and leaves the other where it is
  history_state_t s;
  uint64_t ticks = 0;
  at.at = sizeof(file_head_t);
  while (next_chunk(&at, NULL) > 0) {
    if (*at.in != RECORD_STATES)
      continue;
    at.in++;
    while (read_state(&at, &s, &ticks)) {
      if (ticks > played || !history_append(to, &s))
        return false;
      *tick = s.tick;
      if (ticks == played)
        return true;
    }
  }
  return false;
}

bool replay_state(const replay_o *r, uint64_t played, snapshot_o *out, error_t *error) {
  history_o *states = history_create(r->allocator, UINT64_MAX);
  uint64_t tick = 0;
  const snapshot_o *s = read_states(r, played, states, &tick) ? history_seek(states, tick) : NULL;
  if (s) {
    size_t size = 0;
    const void *bytes = snapshot_bytes(s, &size);
    snapshot_set_bytes(out, bytes, size);
  }
  history_destroy(states);
  return s || error_set(error, "the recording has no state of this tick");
}

const replay_head_t *replay_head(const replay_o *r) {
  return &r->head.head;
}

const snapshot_o *replay_snapshot(const replay_o *r) {
  return r->has_snapshot ? r->snapshot : NULL;
}

bool replay_began_paused(const replay_o *r) {
  return r->began_paused;
}
