// Locates LuaJIT's machine code with the dynamic linker, and patches it: loops over tables, lengths of tables, and
// tables created from templates.
#include "luajit/machine_code.h"

#include "base/assert.h"

#include <string.h>

#if defined(__linux__)
#include <link.h>
#include <lauxlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int find_segment(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  machine_code_t *code = context;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t from = info->dlpi_addr + part->p_vaddr, luajit = (uintptr_t)&lua_newstate;
    if (part->p_type == PT_LOAD && luajit >= from && luajit < from + part->p_memsz)
      *code = (machine_code_t){.bytes = (uint8_t *)from, .count = part->p_memsz};
  }
  return code->bytes != NULL;
}

machine_code_t machine_code_find(void) {
  machine_code_t code = {0};
  dl_iterate_phdr(find_segment, &code);
  return code;
}

bool machine_code_write(void *at, const void *bytes, size_t count) {
  shoal_assert(at && count > 0, "at must not be NULL, and count must not be 0");
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)at / page * page;
  size_t length = (uintptr_t)at + count - from;
  // The page must stay executable, because it may contain code that is running.
  if (mprotect((void *)from, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    return false;
  memcpy(at, bytes, count);
  __builtin___clear_cache((char *)at, (char *)at + count);
  return mprotect((void *)from, length, PROT_READ | PROT_EXEC) == 0;
}
#else
machine_code_t machine_code_find(void) {
  return (machine_code_t){0};
}

bool machine_code_write(void *at, const void *bytes, size_t count) {
  (void)at, (void)bytes, (void)count;
  return false;
}
#endif

// On x86-64, `xchg %eax, %edx` is the byte 92, and `xchg %rax, %rdx` is 48 92. LuaJIT generates machine code backwards.
// `half_swap` is the code that emits the byte 92 (asm_setupresult in lj_asm.c, as compiled for Debian). `whole_swap`
// emits both bytes, has the same length and leaves the same value in %rdx; the following code does not read %rax.
#if defined(__x86_64__) && defined(__linux__)
static const uint8_t half_swap[] = {
    0x48, 0x8b, 0x85, 0x80, 0x00, 0x00, 0x00, // mov 0x80(%rbp), %rax
    0x48, 0x8d, 0x50, 0xff,                   // lea -1(%rax), %rdx
    0x48, 0x89, 0x95, 0x80, 0x00, 0x00, 0x00, // mov %rdx, 0x80(%rbp)
    0xc6, 0x40, 0xff, 0x92,                   // movb $0x92, -1(%rax)
    0x0f, 0xb6, 0x43, 0x0f,                   // movzbl 0xf(%rbx), %eax
};

static const uint8_t whole_swap[] = {
    0x48, 0x83, 0xad, 0x80, 0x00, 0x00, 0x00, 0x02, // subq $2, 0x80(%rbp)
    0x48, 0x8b, 0x95, 0x80, 0x00, 0x00, 0x00,       // mov 0x80(%rbp), %rdx
    0x66, 0xc7, 0x02, 0x48, 0x92,                   // movw $0x9248, (%rdx)
    0x66, 0x90,                                     // nop
    0x0f, 0xb6, 0x43, 0x0f,                         // movzbl 0xf(%rbx), %eax
};

_Static_assert(sizeof half_swap == sizeof whole_swap, "a patch must not change the size of the code");

// In asm_fuseload (lj_asm_x86.h), for an operand that is the value of an IR_VLOAD: LuaJIT takes the jump to "load it
// into a register" for everything except IR_VLOAD; the fix always takes it.
static const uint8_t fused[] = {
    0x80, 0xf9, 0x48,                   // cmp $0x48, %cl: IR_VLOAD
    0x0f, 0x85, 0x12, 0xfe, 0xff, 0xff, // jne  (load it into a register)
    0x0f, 0xb6, 0x45, 0x04,             // movzbl 4(%rbp), %eax: the type
    0x83, 0xe0, 0x1f, 0x83, 0xe8, 0x03, // and $0x1f, %eax;  sub $3, %eax
    0x83, 0xf8, 0x09,                   // cmp $9, %eax
};

static const uint8_t loaded[] = {
    0x80, 0xf9, 0x48, 0xe9, 0x13, 0xfe, 0xff, 0xff, 0x90, // cmp;  jmp;  nop
    0x0f, 0xb6, 0x45, 0x04, 0x83, 0xe0, 0x1f, 0x83, 0xe8, 0x03, 0x83, 0xf8, 0x09,
};

_Static_assert(sizeof fused == sizeof loaded, "a patch must not change the size of the code");

// In lj_opt_fwd_alen (lj_opt_mem.c), which tests the result of aa_table() (0: never the same table): LuaJIT takes the
// jump to "measure it again" if the result is 0; the fix takes it if the result is not 0.
static const uint8_t forwarded[] = {
    0x85, 0xc0,                         // test %eax, %eax
    0x74, 0xb7,                         // je   (measure it again)
    0x41, 0x0f, 0xb7, 0x44, 0x24, 0x06, // movzwl 6(%r12), %eax: the store before
    0x41, 0x39, 0xc1,                   // cmp %eax, %r9d
    0x73, 0x7d,                         // jae  (take the length that is known)
};

static const uint8_t measured[] = {
    0x85, 0xc0, 0x75, 0xb7, 0x41, 0x0f, 0xb7, 0x44, 0x24, 0x06, 0x41, 0x39, 0xc1, 0x73, 0x7d,
};

_Static_assert(sizeof forwarded == sizeof measured, "a patch must not change the size of the code");

// In fwd_ahload (lj_opt_mem.c), for a value of a table that was just copied from a template: LuaJIT reads the value
// from the template and assumes that it has the expected type; for nil, false and true, it does not even read the
// template.
static const uint8_t unchecked_template[] = {
    0x80, 0x7c, 0x24, 0x17, 0x51,       // cmpb $0x51, 0x17(%rsp): a table that is created empty
    0x0f, 0x84, 0xb8, 0x00, 0x00, 0x00, // je
    0x80, 0xf9, 0x02,                   // cmp $2, %cl: nil, false or true
    0x0f, 0x86, 0x98, 0x00, 0x00, 0x00, // jbe
    0xb8, 0x10, 0x40, 0x00, 0x00,       // mov $0x4010, %eax: strings and numbers
};

static const uint8_t checked_template[] = {
    0x80, 0x7c, 0x24, 0x17, 0x51,                         // unchanged
    0x0f, 0x84, 0xb8, 0x00, 0x00, 0x00,                   //
    0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00, // nop
    0xb8, 0x17, 0x40, 0x00, 0x00,                         // mov $0x4017, %eax: nil, false and true as well
};

_Static_assert(sizeof unchecked_template == sizeof checked_template, "a patch must not change the size of the code");

// The code after the lookup of the template's value, which assumes that the value is a number or a string.
static const uint8_t assumed_type[] = {
    0x41, 0x0f, 0xb6, 0x95, 0xbc, 0x00, 0x00, 0x00,             // movzbl 0xbc(%r13), %edx: the expected type
    0x83, 0xe2, 0x1f, 0x80, 0xfa, 0x0e, 0x74, 0x4b,             // and $0x1f, %edx;  cmp $14, %dl;  je
    0x48, 0xbe, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x00, 0x00, // movabs $0x7fffffffffff, %rsi
    0x48, 0x23, 0x30,                                           // and (%rax), %rsi
};

// Inserted code, which checks that the value has the expected type. The four jump distances are filled in when the code
// is written.
static const uint8_t type_check[] = {
    0x41, 0x0f, 0xb6, 0x8d, 0xbc, 0x00, 0x00, 0x00,       // movzbl 0xbc(%r13), %ecx
    0x48, 0x8b, 0x10, 0x48, 0xc1, 0xfa, 0x2f,             // mov (%rax), %rdx;  sar $47, %rdx
    0xf7, 0xd2, 0x89, 0xce, 0x83, 0xe6, 0x1f,             // not %edx;  mov %ecx, %esi;  and $0x1f, %esi
    0x83, 0xfa, 0x0e, 0x72, 0x05,                         // cmp $14, %edx;  jb 1f
    0xba, 0x0e, 0x00, 0x00, 0x00,                         // mov $14, %edx: a number
    0x39, 0xf2, 0x0f, 0x85, 0x00, 0x00, 0x00, 0x00,       // 1: cmp %esi, %edx;  jne (no value is known)
    0x83, 0xfe, 0x0e, 0x0f, 0x84, 0x00, 0x00, 0x00, 0x00, // cmp $14, %esi;  je (a number)
    0x83, 0xfe, 0x04, 0x0f, 0x84, 0x00, 0x00, 0x00, 0x00, // cmp $4, %esi;  je (a string)
    0x89, 0xc8, 0x89, 0xf1,                               // mov %ecx, %eax;  mov %esi, %ecx
    0xe9, 0x00, 0x00, 0x00, 0x00,                         // jmp (nil, false or true)
};

// Offsets of code relative to `unchecked_template`.
enum { ASSUMED = 0x74, UNKNOWN = -0x12a, NUMBER = 0xcf, TEXT = 0x84, PRIMITIVE = 0xac };
// Offsets of the four distances in `type_check`; each distance is relative to its own end.
enum { TO_UNKNOWN = 36, TO_NUMBER = 45, TO_TEXT = 54, TO_PRIMITIVE = 63 };

static void write_displacement(uint8_t *jump, const uint8_t *from, const uint8_t *to) {
  int32_t distance = (int32_t)(to - from);
  memcpy(jump, &distance, sizeof distance);
}

// Space for the inserted code: in this program's code if LuaJIT is linked into it, so that all jumps are in range;
// otherwise in the unused end of the last page of code of LuaJIT's library.
__asm__(".pushsection .text\n"
        ".balign 16\n"
        "machine_code_room: .fill 80, 1, 0xcc\n"
        ".popsection");
__attribute__((visibility("hidden"))) extern uint8_t machine_code_room[];
enum { FREE_BYTES = 80 };
_Static_assert(sizeof type_check <= FREE_BYTES, "the inserted code must fit in the free bytes");

static uint8_t *find_free_bytes(const machine_code_t *code) {
  if (machine_code_room > code->bytes && machine_code_room + FREE_BYTES <= code->bytes + code->count)
    return machine_code_room;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), end = ((uintptr_t)code->bytes + code->count + 15) & ~(uintptr_t)15;
  static const uint8_t zeros[sizeof type_check];
  bool fits = end % page != 0 && end % page + sizeof type_check <= page;
  return fits && memcmp((const void *)end, zeros, sizeof zeros) == 0 ? (uint8_t *)end : NULL;
}

static bool patch_templates(const machine_code_t *code, uint8_t *at) {
  uint8_t *free_bytes = find_free_bytes(code), ask[sizeof type_check], go[5] = {0xe9};
  if (!free_bytes || memcmp(at + ASSUMED, assumed_type, sizeof assumed_type) != 0)
    return false;
  memcpy(ask, type_check, sizeof ask);
  write_displacement(ask + TO_UNKNOWN, free_bytes + TO_UNKNOWN + 4, at + UNKNOWN);
  write_displacement(ask + TO_NUMBER, free_bytes + TO_NUMBER + 4, at + NUMBER);
  write_displacement(ask + TO_TEXT, free_bytes + TO_TEXT + 4, at + TEXT);
  write_displacement(ask + TO_PRIMITIVE, free_bytes + TO_PRIMITIVE + 4, at + PRIMITIVE);
  write_displacement(go + 1, at + ASSUMED + sizeof go, free_bytes);
  return machine_code_write(free_bytes, ask, sizeof ask) && machine_code_write(at + ASSUMED, go, sizeof go) &&
         machine_code_write(at, checked_template, sizeof checked_template);
}

static bool patch_code(const uint8_t *before, const uint8_t *after, size_t bytes) {
  machine_code_t code = machine_code_find();
  uint8_t *at = code.bytes ? memmem(code.bytes, code.count, before, bytes) : NULL;
  if (at)
    return machine_code_write(at, after, bytes);
  return code.bytes && memmem(code.bytes, code.count, after, bytes);
}

bool machine_code_patch_pairs(void) {
  return patch_code(half_swap, whole_swap, sizeof half_swap);
}

bool machine_code_patch_entries(void) {
  return patch_code(fused, loaded, sizeof fused);
}

bool machine_code_patch_length_operator(void) {
  return patch_code(forwarded, measured, sizeof forwarded);
}

bool machine_code_patch_templates(void) {
  machine_code_t code = machine_code_find();
  uint8_t *at = code.bytes ? memmem(code.bytes, code.count, unchecked_template, sizeof unchecked_template) : NULL;
  if (at)
    return patch_templates(&code, at);
  return code.bytes && memmem(code.bytes, code.count, checked_template, sizeof checked_template);
}
#else
bool machine_code_patch_pairs(void) {
  return false;
}

bool machine_code_patch_entries(void) {
  return false;
}

bool machine_code_patch_length_operator(void) {
  return false;
}

bool machine_code_patch_templates(void) {
  return false;
}
#endif
