// Stubs for all engine functions that scripts call through the FFI. A stub marks the thread while the function runs.
#include "watchdog/host_call.h"

#include "base/assert.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STUBS 512
#define NAME_BYTES 96
#define MAX_TEXTS 8

_Thread_local volatile bool host_call_inside, host_call_stop_pending;
_Thread_local void *volatile host_call_return;

// A stub saves its caller's return address, calls its function with the stack as the caller set it up, and returns to
// that address. Arguments on the stack are therefore where the function expects them. The functions never call other
// stubs, so one saved address per thread is enough. STUB passes its number to COMMON, which preserves all registers
// that carry arguments or results.
#if defined(__x86_64__) && defined(__linux__)
#define STUB                                                                                                           \
  "  movl $\\n, %r10d\n"                                                                                               \
  "  jmp host_call_common\n"
#define COMMON                                                                                                         \
  "  leaq host_call_targets(%rip), %r11\n"                                                                             \
  "  movq (%r11,%r10,8), %r10\n"                                                                                       \
  "  movq host_call_return@gottpoff(%rip), %r11\n"                                                                     \
  "  popq %fs:(%r11)\n"                                                                                                \
  "  movq host_call_inside@gottpoff(%rip), %r11\n"                                                                     \
  "  movb $1, %fs:(%r11)\n"                                                                                            \
  "  call *%r10\n"                                                                                                     \
  "  movq host_call_inside@gottpoff(%rip), %r11\n"                                                                     \
  "  movb $0, %fs:(%r11)\n"                                                                                            \
  "  movq host_call_stop_pending@gottpoff(%rip), %r11\n"                                                               \
  "  cmpb $0, %fs:(%r11)\n"                                                                                            \
  "  jne 1f\n"                                                                                                         \
  "  movq host_call_return@gottpoff(%rip), %r11\n"                                                                     \
  "  pushq %fs:(%r11)\n"                                                                                               \
  "  ret\n"                                                                                                            \
  "1: call host_call_stop@PLT\n"
#elif defined(__aarch64__) && defined(__linux__)
#define STUB                                                                                                           \
  "  mov w16, \\n\n"                                                                                                   \
  "  b host_call_common\n"
#define COMMON                                                                                                         \
  ".macro place name\n" /* of this thread */                                                                           \
  "  adrp x17, :gottprel:\\name\n"                                                                                     \
  "  ldr x17, [x17, :gottprel_lo12:\\name]\n"                                                                          \
  "  mrs x9, tpidr_el0\n"                                                                                              \
  "  add x17, x17, x9\n"                                                                                               \
  ".endm\n"                                                                                                            \
  "  place host_call_return\n"                                                                                         \
  "  str x30, [x17]\n"                                                                                                 \
  "  place host_call_inside\n"                                                                                         \
  "  mov w9, 1\n"                                                                                                      \
  "  strb w9, [x17]\n"                                                                                                 \
  "  adrp x17, host_call_targets\n"                                                                                    \
  "  add x17, x17, :lo12:host_call_targets\n"                                                                          \
  "  ldr x17, [x17, x16, lsl 3]\n"                                                                                     \
  "  blr x17\n"                                                                                                        \
  "  place host_call_inside\n"                                                                                         \
  "  strb wzr, [x17]\n"                                                                                                \
  "  place host_call_stop_pending\n"                                                                                   \
  "  ldrb w9, [x17]\n"                                                                                                 \
  "  cbnz w9, 1f\n"                                                                                                    \
  "  place host_call_return\n"                                                                                         \
  "  ldr x30, [x17]\n"                                                                                                 \
  "  ret\n"                                                                                                            \
  "1: bl host_call_stop\n"
#endif

#ifdef STUB
#define HAS_STUBS 1
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

__attribute__((visibility("hidden"))) void *host_call_targets[STUBS];

__asm__(".text\n"
        ".balign 16\n"
        "host_call_common:\n" COMMON ".altmacro\n"
        ".macro host_call_stub n\n"
        "  .balign 16\n"
        "  .globl host_call_\\n\n"
        "  .type host_call_\\n, @function\n"
        "host_call_\\n:\n" STUB ".endm\n"
        ".set host_call_number, 0\n"
        ".rept " TEXT(STUBS) "\n"
                             "  host_call_stub %host_call_number\n"
                             "  .set host_call_number, host_call_number + 1\n"
                             ".endr\n"
                             ".noaltmacro\n");
#else
#define HAS_STUBS 0
static void *host_call_targets[STUBS];
#endif

// Functions that take no lock, allocate no memory and change at most one variable: interrupting them leaves nothing
// inconsistent, and some are called very often.
static const char *const HARMLESS[] = {
    "random_unit",           "strings_text",        "strings_length",        "strings_epoch",  "view_tick",
    "world_is_deferring",    "world_has_component", "world_set_event_field", "world_is_alive", "world_tick_rate",
    "view_query_is_aligned", "view_query_version",  "watchdog_check_stack",
};

static bool is_harmless_function(const char *name) {
  for (size_t i = 0; i < sizeof HARMLESS / sizeof *HARMLESS; ++i)
    if (strcmp(HARMLESS[i], name) == 0)
      return true;
  return false;
}

// Extracts the function's name, the word before the first parenthesis: "view_tick" from "double view_tick(const world_o
// *w)". Returns false if the declaration is not a function.
static bool read_function_name(const char *from, const char *end, char *name) {
  while (*from == ' ')
    ++from;
  const char *open = memchr(from, '(', (size_t)(end - from));
  if (!open || strncmp(from, "typedef", 7) == 0)
    return false;
  const char *begin = open;
  while (begin > from && begin[-1] != ' ' && begin[-1] != '*')
    --begin;
  snprintf(name, NAME_BYTES, "%.*s", (int)(open - begin), begin);
  return true;
}

// Returns the ';' that ends the declaration at `from`, ignoring semicolons inside braces.
static const char *find_declaration_end(const char *from) {
  for (int depth = 0; *from; ++from) {
    depth += (*from == '{') - (*from == '}');
    if (*from == ';' && depth == 0)
      return from;
  }
  return NULL;
}

static const host_call_name_t *known;
static uint32_t known_count;

void host_call_set_names(const host_call_name_t *names, uint32_t count) {
  shoal_assert(names || count == 0, "names must not be NULL (count %u)", count);
  known = names;
  known_count = count;
}

#if HAS_STUBS
#define STUB_BYTES 16
extern char host_call_0[];

static void *find_stub(const char *name) {
  static const char prefix[] = "host_call_";
  size_t length = sizeof prefix - 1;
  if (strncmp(name, prefix, length) != 0 || !strchr("0123456789", name[length]) || !name[length])
    return NULL;
  return host_call_0 + STUB_BYTES * strtoul(name + length, NULL, 10);
}
#else
static void *find_stub(const char *name) {
  (void)name;
  return NULL;
}
#endif

void *host_call_find_function(const char *name) {
  for (uint32_t i = 0; i < known_count; ++i)
    if (strcmp(known[i].name, name) == 0)
      return known[i].function;
  return known_count > 0 ? find_stub(name) : NULL;
}

static void *find_function(const char *name) {
  void *found = host_call_find_function(name);
  return found ? found : dlsym(RTLD_DEFAULT, name);
}

// Appends the declaration [from, end), and returns the number of bytes written. A known function that is not harmless
// is renamed to its stub.
static size_t add_declaration(char *out, const char *from, const char *end, uint32_t *count) {
  char name[NAME_BYTES];
  size_t length = (size_t)(end - from);
  memcpy(out, from, length);
  void *target = read_function_name(from, end, name) && !is_harmless_function(name) ? find_function(name) : NULL;
  if (!target) // LuaJIT reports unknown functions
    return length;
  if (*count == STUBS) {
    fprintf(stderr, "the ABI has more than %d functions: raise STUBS in %s\n", STUBS, __FILE__);
    abort();
  }
  host_call_targets[*count] = target;
  return length + (size_t)sprintf(out + length, " __asm__(\"host_call_%u\")", (*count)++);
}

bool host_call_is_marked(void) {
  return HAS_STUBS;
}

typedef struct made_t {
  const char *text;
  char *made; // declarations with stub names
} made_t;

static made_t made[MAX_TEXTS];
static uint32_t made_count, stub_count;

static char *add_stubs(const char *text) {
  char *out = malloc(strlen(text) + STUBS * 40 + 1);
  shoal_assert(out, "out of memory: cannot build the ABI declarations");
  size_t used = 0;
  const char *from = text;
  for (const char *end; (end = find_declaration_end(from)) != NULL; from = end + 1) {
    used += add_declaration(out + used, from, end, &stub_count);
    out[used++] = ';';
  }
  strcpy(out + used, from);
  return out;
}

const char *host_call_rewrite_declarations(const char *text) {
  for (uint32_t i = 0; i < made_count; ++i)
    if (made[i].text == text)
      return made[i].made;
  if (!HAS_STUBS)
    return text;
  shoal_assert(made_count < MAX_TEXTS, "more than %d ABI texts: raise MAX_TEXTS", MAX_TEXTS);
  made[made_count] = (made_t){text, add_stubs(text)};
  return made[made_count++].made;
}
